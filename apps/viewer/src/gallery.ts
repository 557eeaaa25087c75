// The first page: every scene with a picture and a line.

import { element } from "./dom";

interface Row {
  name: string;
  about: string;
  system: string;
  bodies: number;
  strands: number;
  cloths: number;
  seconds: number;
}

interface Answer {
  scenes: Row[];
  files: string[];
  start: string | null;
  version: string;
}

const SYSTEMS: Record<string, [string, string]> = {
  rigid: ["Rigid bodies", "Stacks that stand still, and come apart believably when they are hit."],
  strand: ["Strands", "Hair, ropes and branches: stiff, twisting, oriented."],
  cloth: ["Cloth", "Nothing ever passes through anything."],
  coupled: ["Together", "Bodies, strands and cloth that act on each other."],
  file: ["Your files", "Scene files beside the one you opened."],
};

export async function gallery(root: HTMLElement, tools: HTMLElement): Promise<void> {
  const answer = (await (await fetch("gallery.json")).json()) as Answer;
  document.title = "Drystone: the gallery";
  const rows = [
    ...answer.files.map((name): Row => ({ name, about: "", system: "file", bodies: 0, strands: 0, cloths: 0, seconds: 0 })),
    ...answer.scenes,
  ];
  const systems = [...new Set(rows.map((row) => row.system))];
  const cards = new Map<HTMLElement, string>();
  const sections = systems.map((system) => {
    const [title, about] = SYSTEMS[system] ?? [system, ""];
    const list = rows.filter((row) => row.system === system).map((row) => {
      const made = card(row);
      cards.set(made, `${row.name} ${row.about} ${row.system}`.toLowerCase());
      return made;
    });
    const grid = element("div", { class: "cards" }, ...list);
    return element("section", {}, element("h2", {}, title), element("p", { class: "about" }, about), grid);
  });
  const search = element("input", {
    type: "search",
    placeholder: `Find among ${rows.length} scenes`,
    "aria-label": "Find a scene",
    oninput: () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const [made, text] of cards) made.hidden = !words.every((word) => text.includes(word));
      for (const section of sections) {
        section.hidden = ![...section.querySelectorAll<HTMLElement>(".card")].some((made) => !made.hidden);
      }
    },
  });
  const logo = element("img", { src: "icon.svg", alt: "", width: "44", height: "44" });
  root.replaceChildren(
    element(
      "div",
      { class: "gallery" },
      element(
        "header",
        {},
        logo,
        element("div", {}, element("h1", {}, "Drystone"), element("p", {}, "Contact done properly. Choose a scene to watch, take apart and play with.")),
        search,
        tools,
      ),
      element("main", {}, ...sections),
      element("footer", {}, `Drystone ${answer.version}`),
    ),
  );
}

function card(row: Row): HTMLElement {
  const picture = element("img", {
    src: `thumbnail/${encodeURIComponent(row.name)}.png`,
    alt: "",
    loading: "lazy",
    decoding: "async",
    width: "400",
    height: "250",
    onload: () => picture.classList.add("there"),
    onerror: () => picture.classList.add("missing"),
  });
  const count = (n: number, one: string, many: string): string[] => (n > 0 ? [`${n} ${n === 1 ? one : many}`] : []);
  const things = [
    ...count(row.bodies, "body", "bodies"),
    ...count(row.strands, "strand", "strands"),
    ...count(row.cloths, "cloth", "cloths"),
  ];
  const kind = row.name.endsWith(".drec") ? "recording" : "scene file";
  const facts = things.length > 0 ? [...things, `${row.seconds} s`].join(" · ") : kind;
  return element(
    "a",
    { class: "card", href: `?scene=${encodeURIComponent(row.name)}` },
    element("div", { class: "frame" }, picture),
    element("h3", {}, row.name),
    element("p", {}, row.about),
    element("small", {}, facts),
  );
}
