// All there is to know of one body, strand or cloth, read live.

import { element } from "./dom";
import { quantity, vector } from "./format";
import { length } from "./inside";
import { NONE, type BodyDescription, type Frame, type SceneDescription } from "./protocol";
import type { Chosen } from "./stage";

export class Inspector {
  readonly box = element("div", { class: "inspector" });

  constructor() {
    this.clear();
  }

  clear(): void {
    this.box.replaceChildren(element("p", { class: "about" }, "Click a body, a strand or a cloth to read its state."));
  }

  /** Shows what was chosen as `frame` has it. */
  show(chosen: Chosen, description: SceneDescription, bodies: BodyDescription[], frame: Frame): void {
    if (chosen.kind === "body") this.showBody(chosen.index, bodies, description, frame);
    else if (chosen.kind === "strand") this.showStrand(chosen, description, bodies, frame);
    else this.showCloth(chosen, description, frame);
  }

  private list(title: string, rows: [string, string][], ...more: HTMLElement[]): void {
    const cells = rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
    this.box.replaceChildren(element("h3", {}, title), element("dl", { class: "numbers" }, ...cells), ...more);
  }

  private showStrand(chosen: Chosen, description: SceneDescription, bodies: BodyDescription[], frame: Frame): void {
    const { index, part } = chosen;
    const [strand, points] = [description.strands[index], frame.strands[index]];
    if (!strand || !points) return this.clear();
    const at = (p: number): number[] => [0, 1, 2].map((c) => (points[3 * p + c] as number) + (frame.origin[c] as number));
    const count = points.length / 3 - 1;
    let long = 0;
    for (let s = 0; s < count; s++) long += length(points, s);
    const rows: [string, string][] = [["kind", strand.kind === "strand" ? "strand" : `${strand.kind} of cloth`]];
    if (strand.kind === "particle") {
      rows.push(["position [m]", vector(at(0))]);
    } else {
      rows.push(["segment", `${part} of ${count}`]);
      rows.push(["length", quantity(long, "m")], ["radius here", quantity(strand.radii[part] ?? 0, "m")]);
      rows.push(["root [m]", vector(at(0))], ["here [m]", vector(at(part))], ["tip [m]", vector(at(count))]);
    }
    const own = frame.frames?.[index];
    if (own && strand.kind === "strand") {
      const twist = (s: number): number => own[5 * s + 4] as number;
      let whole = 0;
      for (let s = 0; s < count; s++) whole += twist(s);
      const here = [0, 1, 2, 3].map((c) => own[5 * part + c] as number);
      rows.push(["twist of this joint", `${((twist(part) * 180) / Math.PI).toFixed(3)}°`]);
      rows.push(["twist root to tip", `${((whole * 180) / Math.PI).toFixed(2)}°`], ["frame (x, y, z, w)", vector(here)]);
    }
    const inside = frame.chainLayers?.[index];
    if (inside && strand.kind !== "strand") rows.push(...clock(inside, part));
    const touching = touches(frame, frame.bodies + index);
    const list = touching.map(({ other, force, gap }) => {
      const name = bodies[other]?.name ?? `body ${other}`;
      return element("li", {}, element("b", {}, name), ` ${quantity(Math.hypot(...force), "N")}, gap ${quantity(gap, "m")}`);
    });
    this.list(strand.name, rows, element("h3", {}, `Touches at ${list.length} points`), element("ul", {}, ...list.slice(0, 40)));
  }

  private showCloth(chosen: Chosen, description: SceneDescription, frame: Frame): void {
    const { index, part } = chosen;
    const [cloth, points] = [description.cloths[index], frame.cloths[index]];
    if (!cloth || !points) return this.clear();
    const position = [0, 1, 2].map((c) => (points[3 * part + c] as number) + (frame.origin[c] as number));
    const rows: [string, string][] = [
      ["vertices", String(cloth.points)],
      ["triangles", String(cloth.triangles.length / 3)],
      ["vertex", `${part}${cloth.pinned.includes(part) ? ", pinned" : ""}`],
      ["position [m]", vector(position)],
    ];
    const inside = frame.layers?.[index];
    if (inside) {
      rows.push(...clock(inside, part));
      let [least, most] = [Infinity, 0];
      for (let i = 0; 2 * i < inside.length; i++) {
        least = Math.min(least, inside[2 * i] as number);
        most = Math.max(most, inside[2 * i + 1] as number);
      }
      rows.push(["shortest step of all", quantity(least, "s")], ["deepest layer of all", String(most)]);
    }
    this.list(cloth.name, rows);
  }

  private showBody(index: number, bodies: BodyDescription[], description: SceneDescription, frame: Frame): void {
    const body = bodies[index];
    if (!body || index >= frame.bodies) {
      this.clear();
      return;
    }
    const at = (k: number): number => frame.poses[7 * index + k] as number;
    const position = [at(0) + frame.origin[0], at(1) + frame.origin[1], at(2) + frame.origin[2]];
    const turn = (2 * Math.acos(Math.min(1, Math.abs(at(6)))) * 180) / Math.PI;
    const state = frame.states[index] as number;
    const rows: [string, string][] = [
      ["number", String(index)],
      ["motion", !(state & 1) ? "not there" : state & 2 ? "asleep" : body.motion],
      ["mass", body.mass === null || body.motion !== "dynamic" ? "–" : quantity(1e3 * body.mass, "g")],
      ["material", body.material],
      ["position [m]", vector(position)],
      ["turned", `${turn.toFixed(2)}°`],
    ];
    if (frame.velocities) {
      const v = (k: number): number => frame.velocities?.[6 * index + k] as number;
      rows.push(["speed", quantity(Math.hypot(v(0), v(1), v(2)), "m/s")]);
      rows.push(["velocity [m/s]", vector([v(0), v(1), v(2)])]);
      rows.push(["spin", quantity(Math.hypot(v(3), v(4), v(5)), "rad/s")]);
    }
    if (frame.graph) {
      const [height, island] = [frame.graph[2 * index] as number, frame.graph[2 * index + 1] as number];
      rows.push(["stack height", height === NONE ? "hangs free" : String(height)]);
      rows.push(["island", island === NONE ? "–" : String(island)]);
    }
    const touching = new Map<number, { points: number; force: [number, number, number]; gap: number }>();
    for (const { other, force, gap } of touches(frame, index)) {
      const one = touching.get(other) ?? { points: 0, force: [0, 0, 0], gap: Infinity };
      one.points++;
      for (const c of [0, 1, 2] as const) one.force[c] += force[c];
      one.gap = Math.min(one.gap, gap);
      touching.set(other, one);
    }
    const list = [...touching].map(([other, one]) => {
      const name = bodies[other]?.name ?? description.strands[other - frame.bodies]?.name ?? `body ${other}`;
      const force = quantity(Math.hypot(...one.force), "N");
      return element("li", {}, element("b", {}, name), ` ${force}, ${one.points} points, gap ${quantity(one.gap, "m")}`);
    });
    this.list(body.name, rows, element("h3", {}, `Touches ${list.length}`), element("ul", {}, ...list.slice(0, 40)));
  }
}

/** Time step and layers of a vertex. */
function clock(inside: Float32Array, vertex: number): [string, string][] {
  return [
    ["time step", quantity(inside[2 * vertex] as number, "s")],
    ["active layers", String(inside[2 * vertex + 1])],
  ];
}

/** Contact points of thing `index`: the other thing, the force on this one [N], and the gap [m]. */
function touches(frame: Frame, index: number): { other: number; force: [number, number, number]; gap: number }[] {
  const found: { other: number; force: [number, number, number]; gap: number }[] = [];
  if (!frame.contacts) return found;
  const { count, words, floats } = frame.contacts;
  for (let k = 0; k < count; k++) {
    const [a, b] = [words[10 * k] as number, words[10 * k + 1] as number];
    if (a !== index && b !== index) continue;
    const sign = b === index ? 1 : -1;
    const force = [5, 6, 7].map((c) => sign * (floats[10 * k + c] as number)) as [number, number, number];
    found.push({ other: a === index ? b : a, force, gap: floats[10 * k + 8] as number });
  }
  return found;
}
