// All there is to know of one body, read live.

import { element } from "./dom";
import { quantity, vector } from "./format";
import { NONE, type BodyDescription, type Frame } from "./protocol";

export class Inspector {
  readonly box = element("div", { class: "inspector" });

  constructor() {
    this.clear();
  }

  clear(): void {
    this.box.replaceChildren(element("p", { class: "about" }, "Click a body to read its state."));
  }

  show(index: number, bodies: BodyDescription[], frame: Frame): void {
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
    if (frame.contacts) {
      const { count, words, floats } = frame.contacts;
      for (let k = 0; k < count; k++) {
        const [a, b] = [words[10 * k] as number, words[10 * k + 1] as number];
        if (a !== index && b !== index) continue;
        const other = a === index ? b : a;
        const sign = b === index ? 1 : -1;
        const one = touching.get(other) ?? { points: 0, force: [0, 0, 0], gap: Infinity };
        one.points++;
        for (const c of [0, 1, 2] as const) one.force[c] += sign * (floats[10 * k + 5 + c] as number);
        one.gap = Math.min(one.gap, floats[10 * k + 8] as number);
        touching.set(other, one);
      }
    }
    const list = [...touching].map(([other, one]) => {
      const name = bodies[other]?.name ?? `body ${other}`;
      const force = quantity(Math.hypot(...one.force), "N");
      return element("li", {}, element("b", {}, name), ` ${force}, ${one.points} points, gap ${quantity(one.gap, "m")}`);
    });
    this.box.replaceChildren(
      element("h3", {}, body.name),
      element("dl", { class: "numbers" }, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
      element("h3", {}, `Touches ${list.length}`),
      element("ul", {}, ...list.slice(0, 40)),
    );
  }
}
