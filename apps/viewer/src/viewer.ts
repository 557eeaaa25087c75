// One scene: what is seen, and all that can be done with it.

import { write, type Address } from "./address";
import { MODES, modesOf, type Mode } from "./colours";
import type { Line, Listener } from "./connection";
import { button, element, repaint } from "./dom";
import { quantity, seconds } from "./format";
import { help } from "./help";
import { Inspector } from "./inspector";
import { Options } from "./options";
import { Plots } from "./plots";
import { Pointer, TOOLS, type Tool } from "./pointer";
import { KIND, type Complaint, type Frame, type SceneDescription, type Status, type Vector } from "./protocol";
import { Stage, type Chosen, type Pick } from "./stage";
import { switchTheme, theme } from "./theme";

/** Findings of a run that are shown one by one. */
const FINDINGS = 4;

const SPEEDS: [number, string][] = [
  [0.05, "1/20"],
  [0.1, "1/10"],
  [0.25, "1/4"],
  [0.5, "1/2"],
  [1, "1 ×"],
  [2, "2 ×"],
  [4, "4 ×"],
  [0, "max"],
];

/** What a second run may differ in. */
const RIVALS: [string, string][] = [
  ["", "nothing: one run only"],
  ["solver.rigid.stepper=vsp", "stepper vsp (shock propagation, Erleben 2007)"],
  ["solver.rigid.stepper=pgs", "stepper pgs (plain Gauss-Seidel)"],
  ["solver.rigid.stepper=pgs-projection", "stepper pgs-projection"],
  ["solver.rigid.stepper=isp", "stepper isp (Guendelman 2003)"],
  ["solver.rigid.stepper=soft", "stepper soft (soft contacts)"],
  ["preset=paper", "preset paper (as published)"],
  ["preset=repaired", "preset repaired"],
  ["preset=converged", "preset converged"],
  ["solver.rigid.sleeping=true", "sleeping on"],
];

type Tab = "see" | "options" | "plots" | "body";
const TABS: [Tab, string, string][] = [
  ["see", "See", "S"],
  ["options", "Options", "O"],
  ["plots", "Plots", "P"],
  ["body", "Thing", "I"],
];

/** What the page can be asked to write, by the ending of the file. */
const FILES: [string, string, string][] = [
  ["usda", "USD", "for Houdini, Maya and Blender"],
  ["glb", "glTF", "for Blender and the web"],
  ["html", "Page", "one page with the run in it, to send to a colleague"],
];

export class Viewer {
  readonly stage: Stage;
  readonly connection: Line;
  status: Status | null = null;
  frames: (Frame | null)[] = [];
  /** Frames received. */
  received = 0;
  connected = false;
  private readonly plots = new Plots();
  private readonly inspector: Inspector;
  private readonly options: Options;
  private readonly pointer: Pointer;
  private readonly shown = { arrows: false, axes: false, envelopes: false };
  private tab: Tab | null = null;
  private optionsSession = 0;
  private scrubbing = false;
  private refusals = -1;
  private addressDue = false;
  private readonly ui: ReturnType<Viewer["layout"]>;

  constructor(
    root: HTMLElement,
    private readonly address: Address,
    private readonly scene: string,
    call: (listener: Listener, query: () => string) => Line,
    /** Whether there is no engine behind the page. */
    private readonly alone: boolean,
  ) {
    document.title = `${scene} · Drystone`;
    this.inspector = new Inspector();
    this.options = new Options((session, assignment) => this.connection.send({ do: "set", session, assignment }));
    const view = element("div", { class: "stage" });
    const listener: Listener = {
      scene: (description) => this.onScene(description),
      status: (status) => this.onStatus(status),
      frame: (frame) => this.onFrame(frame),
      history: (times, numbers) => this.plots.history(times, numbers),
      refused: (message) => this.toast(message),
      line: (up) => this.onLine(up),
    };
    // the engine is called first: it answers while the stage is set up, and that is lit while the rest is laid out
    this.connection = call(listener, () => this.query());
    this.stage = new Stage(view);
    this.ui = this.layout(view);
    root.replaceChildren(this.ui.root);
    this.stage.dress(theme());
    this.stage.onmove = () => this.noteAddress();
    if (MODES.some(([mode]) => mode === address.colour)) this.stage.mode = address.colour as Mode;
    this.ui.colour.value = this.stage.mode;
    this.pointer = new Pointer(this.stage, this.connection, this.ui.tip, {
      choose: (pick) => this.choose(pick),
      gravity: () => this.gravity(),
      words: (pick) => this.words(pick),
    });
    this.display({ arrows: address.arrows, axes: address.axes, envelopes: address.envelopes });
    this.setTool("look");
    if (innerWidth > 900) this.setTab("see");
    addEventListener("keydown", (event) => this.onKey(event));
    addEventListener("blur", () => this.pointer.release());
  }

  private layout(view: HTMLElement) {
    const send = (name: "restart"): void => this.connection.send({ do: name });
    const about = element("p");
    const title = element("h1", {}, this.scene);
    const tools = TOOLS.map(([tool, picture, name, key]) => {
      const made = button(picture, name, () => this.setTool(tool), key);
      made.dataset["tool"] = tool;
      return made;
    });
    const panelButton = button("panel", "Panel", () => this.setTab(this.tab ? null : "see"), "S");
    const top = element(
      "header",
      { class: "top" },
      !this.alone && element("a", { class: "icon", href: "?", "aria-label": "All scenes", title: "All scenes" }, element("img", { src: "icon.svg", alt: "" })),
      element("div", { class: "title" }, title, about),
      element("div", { class: "group", role: "toolbar", "aria-label": "What the pointer does" }, ...tools),
      element(
        "div",
        { class: "group" },
        button("frame", "Camera of the scene", () => this.home(), "F"),
        button("theme", "Dark or light", () => this.switchTheme(), "D"),
        button("help", "Help", () => help(), "?"),
        panelButton,
      ),
    );

    const play = button("play", "Play", () => this.togglePlay(), "Space");
    const loop = button("loop", "Begin again at the end", () => this.connection.send({ do: "loop", on: !this.status?.loop }), "L");
    const clock = element("output", { class: "clock", "aria-label": "Time" }, "0.00 s");
    const line = element("input", {
      type: "range",
      class: "timeline",
      min: "0",
      max: "1",
      step: "any",
      value: "0",
      "aria-label": "Time",
      oninput: () => {
        this.scrubbing = true;
        this.goTo(Number(line.value));
      },
      onchange: () => (this.scrubbing = false),
    });
    const speed = element(
      "select",
      {
        "aria-label": "Speed",
        title: "Simulated seconds for each second",
        onchange: () => this.connection.send({ do: "speed", factor: Number(speed.value) }),
      },
      ...SPEEDS.map(([value, text]) => element("option", { value: String(value), selected: value === 1 }, text)),
    );
    const bottom = element(
      "footer",
      { class: "bottom" },
      element(
        "div",
        { class: "group", role: "toolbar", "aria-label": "Time" },
        button("restart", "Restart", () => send("restart"), "R"),
        button("back", "Back by one frame", () => this.connection.send({ do: "step", count: -1 }), ","),
        play,
        button("next", "One step", () => this.connection.send({ do: "step", count: 1 }), "."),
        loop,
      ),
      clock,
      line,
      speed,
    );

    const colour = element(
      "select",
      { id: "colour", onchange: () => this.setMode(colour.value as Mode) },
      ...MODES.map(([mode, name]) => element("option", { value: mode }, name)),
    );
    const legend = element("div", { class: "legend" });
    const check = (name: "arrows" | "axes" | "envelopes"): HTMLInputElement => {
      const box = element("input", { id: name, type: "checkbox", onchange: () => this.display({ [name]: box.checked }) });
      return box;
    };
    const checks = { arrows: check("arrows"), axes: check("axes"), envelopes: check("envelopes") };
    const switched = (name: keyof typeof checks, words: string, about: string): HTMLElement =>
      element("div", { class: "option" }, element("label", { for: name }, words), checks[name], element("p", { class: "about" }, about));
    const axesRow = switched("axes", "Material frames", "Of strands: red is the x axis of a segment, blue its z axis.");
    const arrowsRow = switched("arrows", "Contacts and forces", "Arrows show what the upper body, or the strand, receives; bodies become translucent.");
    const envelopesRow = switched("envelopes", "Envelopes", "How far contact reaches: about bodies, and the outermost layer of cloth.");
    const rival = element(
      "select",
      { id: "rival", onchange: () => this.compare(rival.value ? [rival.value] : null) },
      ...RIVALS.map(([value, text]) => element("option", { value }, text)),
    );
    const numbers = element("dl", { class: "numbers" });
    const see = element(
      "div",
      { class: "see" },
      element("div", { class: "option" }, element("label", { for: "colour" }, "Colours"), colour),
      legend,
      arrowsRow,
      axesRow,
      envelopesRow,
      !this.alone && element(
        "div",
        { class: "option wide" },
        element("label", { for: "rival" }, "Beside it, a run with"),
        rival,
        element("p", { class: "about" }, "Two runs from the same start, with one camera and one clock."),
      ),
      element("h3", {}, "Now"),
      numbers,
      element(
        "div",
        { class: "row" },
        element("button", { type: "button", onclick: () => void this.savePicture() }, "Save picture"),
        !this.alone && element("button", { type: "button", onclick: () => void this.copyLink() }, "Copy link"),
      ),
      !this.alone && element("h3", {}, "Write what has been seen"),
      !this.alone && element(
        "div",
        { class: "row" },
        ...FILES.map(([ending, name, about]) =>
          element("button", { type: "button", title: about, "data-ending": ending, onclick: () => void this.saveFile(ending) }, name),
        ),
      ),
    );
    const sessionChoice = element(
      "select",
      {
        "aria-label": "Which run",
        onchange: () => {
          this.optionsSession = Number(sessionChoice.value);
          this.showOptions();
        },
      },
      element("option", { value: "0" }, "left run"),
      element("option", { value: "1" }, "right run"),
    );
    const sessionRow = element("div", { class: "row" }, sessionChoice);
    const reset = element(
      "button",
      { type: "button", onclick: () => this.connection.send({ do: "reset", session: this.optionsSession }) },
      "Undo all changes",
    );
    const pages: Record<Tab, HTMLElement> = {
      see,
      options: element("div", {}, sessionRow, this.options.box, element("div", { class: "row" }, reset)),
      plots: this.plots.box,
      body: this.inspector.box,
    };
    const tabs = TABS.filter(([tab]) => !(this.alone && tab === "options")).map(([tab, name, key]) =>
      element(
        "button",
        { type: "button", role: "tab", "data-tab": tab, title: `${name} (${key})`, onclick: () => this.setTab(tab) },
        name,
      ),
    );
    const side = element(
      "aside",
      { class: "side", "aria-label": "Panel" },
      element("div", { role: "tablist", class: "tabs" }, ...tabs),
      ...Object.values(pages),
    );

    const labels = element("div", { class: "labels" });
    const banner = element("div", { class: "banner", role: "alert" });
    const findings = element("div", { class: "findings", role: "status", "aria-label": "Findings" });
    const toast = element("div", { class: "toast", role: "status" });
    const tip = element("div", { class: "tip" });
    const hud = element("div", { class: "hud" });
    view.append(labels, banner, findings, toast, hud);
    const root = element("div", { class: "viewer" }, top, view, side, bottom, tip);
    return { root, title, about, tools, play, loop, clock, line, speed, colour, legend, checks, axesRow, arrowsRow, envelopesRow, rival, numbers, sessionRow, pages, tabs, side, labels, banner, findings, toast, tip, hud, panelButton };
  }

  /** What is asked of the engine at each call. */
  private query(): string {
    return write({ ...this.address, camera: null, colour: null, arrows: false, axes: false, envelopes: false });
  }

  private onLine(up: boolean): void {
    this.connected = up;
    this.ui.root.classList.toggle("cut", !up);
    this.showBanner();
  }

  private onScene(description: SceneDescription): void {
    const first = this.stage.sessions.length === 0;
    // going to the scene's own camera writes that into the address
    const { camera } = this.address;
    this.stage.describe(description);
    if (description.session === 0) {
      this.ui.about.textContent = description.about;
      if (first && camera) this.stage.lookFrom(camera.eye, camera.target);
      this.inspector.clear();
      this.stage.chosen = null;
      this.offer(description);
    }
  }

  /** Shows the switches that tell something about this scene. */
  private offer(description: SceneDescription): void {
    const modes = modesOf(description, this.status?.recording ?? false);
    for (const option of this.ui.colour.options) option.hidden = !modes.includes(option.value as Mode);
    if (!modes.includes(this.stage.mode)) this.setMode("own");
    const strands = description.strands.some((strand) => strand.kind === "strand");
    const bodies = description.bodies.length > 0;
    this.ui.axesRow.hidden = !strands;
    this.ui.arrowsRow.hidden = !bodies;
    this.ui.envelopesRow.hidden = !bodies && description.cloths.length === 0;
  }

  private onStatus(status: Status): void {
    const before = this.status?.recording;
    this.status = status;
    const description = this.stage.sessions[0]?.description;
    if (description && before !== status.recording) this.offer(description);
    this.plots.recorded(status.recording);
    this.stage.status(status.sessions);
    this.plots.sessions(status.sessions.length);
    this.frames.length = Math.min(this.frames.length, status.sessions.length);
    const running = status.playing || status.seeking !== null;
    repaint(this.ui.play, running ? "pause" : "play", running ? "Pause" : "Play", "Space");
    this.ui.loop.setAttribute("aria-pressed", String(status.loop));
    this.ui.speed.value = String(status.speed);
    this.ui.sessionRow.hidden = status.sessions.length < 2;
    if (this.optionsSession >= status.sessions.length) this.optionsSession = 0;
    this.showOptions();
    this.showLabels(status);
    this.showBanner();
    this.showFindings(status);
    if (this.refusals >= 0 && status.refusals > this.refusals && status.refused) this.toast(status.refused.message);
    this.refusals = status.refusals;
    this.address.sets = status.sessions[0]?.sets ?? this.address.sets;
    this.address.compare = status.sessions.length > 0 ? (status.sessions[1]?.sets ?? null) : this.address.compare;
    const rival = this.address.compare?.at(-1) ?? "";
    if (RIVALS.some(([value]) => value === rival)) this.ui.rival.value = rival;
    this.noteAddress();
  }

  private onFrame(frame: Frame): void {
    this.received++;
    this.frames[frame.session] = frame;
    this.stage.frame(frame);
    this.plots.frame(frame, this.status?.recording ?? false);
    if (frame.session === 0) {
      this.ui.clock.textContent = seconds(frame.time);
      const end = Math.max(this.status?.duration ?? 1, frame.reached, 1e-3);
      const { line } = this.ui;
      line.max = String(end);
      if (!this.scrubbing) line.value = String(frame.time);
      line.style.setProperty("--from", `${(100 * frame.first) / end}%`);
      line.style.setProperty("--reached", `${(100 * frame.reached) / end}%`);
      line.style.setProperty("--now", `${(100 * frame.time) / end}%`);
      this.ui.hud.textContent = this.hud(frame);
      this.showLegend();
      if (this.tab === "see") this.showNumbers();
    }
    const chosen = this.stage.chosen;
    if (chosen?.session === frame.session && this.tab === "body") this.inspect(chosen, frame);
  }

  private inspect(chosen: Chosen, frame: Frame): void {
    const session = this.stage.sessions[chosen.session];
    if (session?.description) this.inspector.show(chosen, session.description, session.bodies?.bodies ?? [], frame);
  }

  /** What something under the pointer is called, with what is known of it. */
  private words(pick: Pick): string {
    const session = this.stage.sessions[pick.session];
    const frame = this.frames[pick.session];
    if (pick.kind === "strand") {
      const strand = session?.description?.strands[pick.index];
      const twist = frame?.frames?.[pick.index]?.[5 * pick.part + 4];
      const turned = twist === undefined ? "" : `, twist ${((twist * 180) / Math.PI).toFixed(2)}°`;
      if (!strand) return "";
      const more = strand.kind === "strand" ? turned : clocked(frame?.chainLayers?.[pick.index], pick.part);
      const place = strand.kind === "particle" ? "" : `, segment ${pick.part} of ${strand.points - 1}`;
      return `${strand.name}${place}${more}`;
    }
    if (pick.kind === "cloth") {
      const cloth = session?.description?.cloths[pick.index];
      const more = clocked(frame?.layers?.[pick.index], pick.part);
      return cloth ? `${cloth.name}, vertex ${pick.part}${cloth.pinned.includes(pick.part) ? " (pinned)" : ""}${more}` : "";
    }
    const body = session?.bodies?.bodies[pick.index];
    if (!body) return "";
    return body.motion === "dynamic" ? body.name : `${body.name} (${body.motion})`;
  }

  private hud(frame: Frame): string {
    if (this.status?.seeking != null) return `simulating up to ${seconds(this.status.seeking)} …`;
    if (this.status?.recording) return "a recording";
    if (frame.past) return `looking back; the simulation is at ${seconds(frame.reached)}`;
    if (!frame.playing) return this.status?.over ? "the scene is over; play to go on" : "";
    const { rate, stepMs } = frame.numbers;
    return `${rate.toFixed(2)} × real time · ${stepMs.toFixed(1)} ms a step`;
  }

  private showNumbers(): void {
    const frames = this.frames.filter((frame): frame is Frame => frame !== null);
    const description = this.stage.sessions[0]?.description;
    const moving = frames.some((f) => f.numbers.moving > 0);
    const count = (lists: Float32Array[]): string => String(lists.reduce((sum, list) => sum + list.length / 3, 0));
    const rows: [string, (frame: Frame) => string][] = [];
    const live = !this.status?.recording;
    if (moving) rows.push(["moving bodies", (f) => String(f.numbers.moving)]);
    if (moving && live) rows.push(["asleep", (f) => String(f.numbers.asleep)]);
    if (description?.strands.length) rows.push(["strand points", (f) => count(f.strands)]);
    if (description?.cloths.length) rows.push(["cloth vertices", (f) => count(f.cloths)]);
    if (moving || description?.strands.length) rows.push(["contact points", (f) => String(f.numbers.contacts)]);
    if (moving) rows.push(["islands", (f) => String(f.numbers.islands)]);
    if (moving || description?.strands.length) rows.push(["deepest overlap", (f) => quantity(f.numbers.penetration, "m")]);
    rows.push(["kinetic energy", (f) => quantity(f.numbers.kinetic, "J")]);
    if (moving && live) rows.push(["sweeps a step", (f) => String(f.numbers.sweeps)], ["residual", (f) => quantity(f.numbers.residual, "m/s")]);
    if (frames.some((f) => f.numbers.events > 0)) rows.push(["cloth events a step", (f) => quantity(f.numbers.events, "")]);
    rows.push(["step time", (f) => `${f.numbers.stepMs.toFixed(2)} ms`]);
    if (this.shown.arrows) {
      rows.push(["longest arrow", (f) => quantity(this.stage.sessions[f.session]?.arrows.reference ?? 0, "N")]);
    }
    const { numbers } = this.ui;
    const names = rows.map(([name]) => name).join();
    if (numbers.dataset["names"] !== names) {
      numbers.dataset["names"] = names;
      numbers.replaceChildren(...rows.flatMap(([name]) => [element("dt", {}, name), element("dd")]));
    }
    rows.forEach(([, value], k) => {
      const cell = numbers.children[2 * k + 1] as HTMLElement;
      cell.textContent = frames.map(value).join(" | ");
    });
  }

  private showLegend(): void {
    const legend = this.stage.sessions[0]?.legend ?? [];
    const now = JSON.stringify(legend);
    if (this.ui.legend.dataset["now"] === now) return;
    this.ui.legend.dataset["now"] = now;
    this.ui.legend.replaceChildren(
      ...legend.map(({ text, colour }) => {
        const dot = element("i");
        dot.style.background = colour;
        return element("span", {}, dot, text);
      }),
    );
  }

  private showLabels(status: Status): void {
    const text = (sets: string[]): string => (sets.length > 0 ? sets.join(", ") : "as written");
    const list = status.sessions.length > 1 ? status.sessions : [];
    const labels = list.map((session) => element("span", {}, element("b", {}, text(session.sets))));
    if (this.ui.labels.textContent !== list.map((session) => text(session.sets)).join("")) {
      this.ui.labels.replaceChildren(...labels);
    }
    if (labels.length === 0) this.ui.labels.replaceChildren();
  }

  /** What is wrong, while the last good state stays to be seen. */
  private showBanner(): void {
    const { banner } = this.ui;
    if (!this.connected && this.received > 0) {
      banner.replaceChildren(
        element("b", {}, "The engine does not answer."),
        element("p", {}, "Has `drystone view` been stopped? The page calls again by itself."),
      );
    } else if (this.status?.error) {
      banner.replaceChildren(...complaint(this.status.error));
    } else {
      banner.replaceChildren();
    }
  }

  /** What went wrong in the runs: the first few with time and thing, and how many more there are. */
  private showFindings(status: Status): void {
    const { findings } = this.ui;
    const several = status.sessions.length > 1;
    const key = JSON.stringify(status.sessions.map((session) => [session.found, session.findings[0]?.time]));
    if (findings.dataset["key"] === key) return;
    findings.dataset["key"] = key;
    const lists = status.sessions.map((session, k) => {
      if (session.found === 0) return null;
      const rows = session.findings.slice(0, FINDINGS).map((one) =>
        element(
          "button",
          {
            type: "button",
            title: `Likely cause: ${one.likelyCause}. To try: ${one.remedy}.`,
            onclick: () => {
              if (one.body !== null) this.choose({ session: k, kind: "body", index: one.body, part: 0 });
            },
          },
          element("b", {}, `${one.time.toFixed(3)} s  ${one.thing}`),
          ` ${one.what} (${one.kind})`,
        ),
      );
      const more = session.found - rows.length;
      const head = `Not sound${several ? ` (run ${k + 1})` : ""}: ${session.found} ${session.found === 1 ? "finding" : "findings"}`;
      return element("div", {}, element("strong", {}, head), ...rows, more > 0 ? element("small", {}, `and ${more} more`) : "");
    });
    findings.replaceChildren(...lists.filter((list) => list !== null));
  }

  toast(message: string): void {
    const { toast } = this.ui;
    toast.textContent = message;
    toast.classList.add("there");
    clearTimeout(Number(toast.dataset["timer"]));
    toast.dataset["timer"] = String(setTimeout(() => toast.classList.remove("there"), 6000));
  }

  private showOptions(): void {
    if (this.tab === "options") void this.options.show(this.optionsSession, this.status?.sessions[this.optionsSession]);
  }

  private gravity(): Vector {
    return this.stage.sessions[0]?.description?.gravity ?? [0, 0, 0];
  }

  togglePlay(): void {
    const running = this.status?.playing || this.status?.seeking != null;
    this.connection.send({ do: running ? "pause" : "play" });
  }

  private scrubTimer = 0;
  private goTo(time: number): void {
    // the last of many moves is the one that counts
    clearTimeout(this.scrubTimer);
    this.scrubTimer = window.setTimeout(() => this.connection.send({ do: "goto", time }), 20);
  }

  compare(sets: string[] | null): void {
    this.connection.send({ do: "compare", sets });
  }

  setTool(tool: Tool): void {
    this.pointer.tool = tool;
    for (const made of this.ui.tools) made.setAttribute("aria-pressed", String(made.dataset["tool"] === tool));
    this.stage.canvas.dataset["tool"] = tool;
  }

  setMode(mode: Mode): void {
    this.stage.mode = mode;
    this.ui.colour.value = mode;
    this.address.colour = mode;
    this.watch();
    this.stage.refresh();
    this.showLegend();
    this.noteAddress();
  }

  /** Switches what is shown beside things themselves. */
  display(change: Partial<Viewer["shown"]>): void {
    Object.assign(this.shown, change);
    Object.assign(this.address, this.shown);
    for (const name of ["arrows", "axes", "envelopes"] as const) this.ui.checks[name].checked = this.shown[name];
    this.watch();
    this.stage.display({ ...this.shown });
    this.noteAddress();
  }

  setTab(tab: Tab | null): void {
    this.tab = tab;
    this.ui.root.classList.toggle("wide", tab === null);
    this.plots.visible = tab === "plots";
    this.plots.schedule();
    for (const [name, page] of Object.entries(this.ui.pages)) page.hidden = name !== tab;
    for (const made of this.ui.tabs) made.setAttribute("aria-selected", String(made.dataset["tab"] === tab));
    this.ui.panelButton.setAttribute("aria-pressed", String(tab !== null));
    this.showOptions();
    this.watch();
  }

  private choose(pick: Chosen | null): void {
    this.stage.chosen = pick;
    this.stage.refresh();
    if (pick) this.setTab("body");
    else this.inspector.clear();
    this.watch();
    const frame = pick && this.frames[pick.session];
    if (pick && frame) this.inspect(pick, frame);
  }

  /** Asks for what is shown, and no more. */
  private watch(): void {
    let kinds = 0;
    const { mode, chosen } = this.stage;
    if (mode === "layers" || mode === "islands") kinds |= KIND.graph;
    if (mode === "speed") kinds |= KIND.velocities;
    if (mode === "twist" || this.shown.axes) kinds |= KIND.frames;
    if (mode === "clock" || mode === "penalty") kinds |= KIND.layers;
    if (this.shown.arrows) kinds |= KIND.contacts;
    if (chosen) kinds |= KIND.velocities | KIND.graph | KIND.contacts | KIND.frames | KIND.layers;
    this.connection.watch(kinds);
  }

  private home(): void {
    this.stage.goHome();
    this.address.camera = null;
    this.noteAddress(false);
  }

  private switchTheme(): void {
    this.stage.dress(switchTheme());
    this.plots.schedule();
  }

  /** Writes into the address what is seen, now and then. */
  private noteAddress(camera = true): void {
    if (camera && this.stage?.sessions.length) {
      const { camera: eye, controls } = this.stage;
      this.address.camera = { eye: eye.position.toArray(), target: controls.target.toArray() };
    }
    if (this.addressDue) return;
    this.addressDue = true;
    setTimeout(() => {
      this.addressDue = false;
      const frame = this.frames[0];
      const still = frame && !frame.playing && this.status?.seeking == null;
      this.address.time = still && frame.time > 0 ? frame.time : null;
      if (frame?.playing) this.address.play = true;
      try {
        history.replaceState(null, "", `?${write(this.address)}`);
      } catch {
        // a page that was opened from a disk may not be allowed to
      }
    }, 500);
  }

  private async savePicture(): Promise<void> {
    const blob = await this.stage.picture();
    if (!blob) return;
    save(blob, `${this.scene}.png`);
  }

  /** Has the engine write what has been seen of this run as a file. */
  private async saveFile(ending: string): Promise<void> {
    const name = `${this.scene.replace(/\.[^.]*$/, "")}.${ending}`;
    this.toast(`Writing ${name} …`);
    const answer = await fetch(`export/${encodeURIComponent(name)}?${this.query()}`);
    if (!answer.ok) return this.toast(await answer.text());
    const blob = await answer.blob();
    save(blob, name);
    this.toast(`${name} has been written (${quantity(blob.size, "B")}).`);
  }

  private async copyLink(): Promise<void> {
    try {
      await navigator.clipboard.writeText(location.href);
      this.toast("The link is on the clipboard. It works while this server runs.");
    } catch {
      this.toast(location.href);
    }
  }

  private onKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const typing = target.matches?.("input:not([type=checkbox]):not([type=range]), select, textarea");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const cycle = (): void => {
      const description = this.stage.sessions[0]?.description;
      const modes = description ? modesOf(description, this.status?.recording ?? false) : [];
      this.setMode(modes[(modes.indexOf(this.stage.mode) + 1) % modes.length] ?? "own");
    };
    const arrow = (dx: number, dy: number): void => {
      if (event.shiftKey) this.stage.shift(0.06 * dx, 0.06 * dy);
      else this.stage.nudge(-0.12 * dx, -0.1 * dy, 1);
    };
    const keys: Record<string, () => void> = {
      " ": () => this.togglePlay(),
      ".": () => this.connection.send({ do: "step", count: 1 }),
      ",": () => this.connection.send({ do: "step", count: -1 }),
      r: () => this.connection.send({ do: "restart" }),
      l: () => this.connection.send({ do: "loop", on: !this.status?.loop }),
      c: cycle,
      k: () => this.display({ arrows: !this.shown.arrows }),
      m: () => this.display({ axes: !this.shown.axes }),
      e: () => this.display({ envelopes: !this.shown.envelopes }),
      f: () => this.home(),
      d: () => this.switchTheme(),
      s: () => this.setTab(this.tab === "see" ? null : "see"),
      o: () => this.setTab(this.tab === "options" ? null : "options"),
      p: () => this.setTab(this.tab === "plots" ? null : "plots"),
      i: () => this.setTab(this.tab === "body" ? null : "body"),
      b: () => this.pointer.throwAhead(),
      "1": () => this.setTool("look"),
      "2": () => this.setTool("grab"),
      "3": () => this.setTool("throw"),
      "?": () => help(),
      h: () => help(),
      "+": () => this.stage.nudge(0, 0, 0.88),
      "=": () => this.stage.nudge(0, 0, 0.88),
      "-": () => this.stage.nudge(0, 0, 1.14),
      Escape: () => this.choose(null),
    };
    const arrows: Record<string, () => void> = {
      ArrowLeft: () => arrow(-1, 0),
      ArrowRight: () => arrow(1, 0),
      ArrowUp: () => arrow(0, 1),
      ArrowDown: () => arrow(0, -1),
    };
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    const turn = target.matches?.("input[type=range], [role=tab]") ? undefined : arrows[event.key];
    // a button that has the focus is pressed by Space itself
    if (event.key === " " && target.matches?.("button, input, summary, a")) return;
    if (!act && !turn) return;
    event.preventDefault();
    (act ?? turn)?.();
  }
}

/** Time step and layers of a vertex of cloth, if they are known. */
function clocked(inside: Float32Array | undefined, vertex: number): string {
  return inside ? `, step ${quantity(inside[2 * vertex] as number, "s")}, ${inside[2 * vertex + 1]} layers` : "";
}

/** Gives a file to whoever looks at the page. */
function save(blob: Blob, name: string): void {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function complaint(error: Complaint): HTMLElement[] {
  const place = error.file ? `${error.file}${error.line ? `:${error.line}` : ""}${error.column ? `:${error.column}` : ""}` : "";
  const lines = error.excerpt.map(([number, text]) =>
    element("code", { class: number === error.line ? "here" : "" }, `${String(number).padStart(4)}  ${text}\n`),
  );
  return [
    element("b", {}, place || "The scene cannot be shown"),
    element("p", {}, error.message + (error.help ? `; ${error.help}` : "")),
    ...(lines.length > 0 ? [element("pre", {}, ...lines)] : []),
    element("small", {}, "What is seen is the last good state."),
  ];
}
