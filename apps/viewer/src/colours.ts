// Which colour a body has, and why.

import { NONE, type BodyDescription, type Frame, type SceneDescription } from "./protocol";

/** Name, words, and what a scene must have for it to tell something. */
export const MODES = [
  ["own", "Own colours", "any"],
  ["layers", "Stack layers", "bodies"],
  ["islands", "Islands", "bodies"],
  ["sleeping", "Sleeping", "bodies"],
  ["speed", "Speed", "bodies"],
  ["twist", "Strand twist", "strands"],
  ["clock", "Cloth time step", "cloth"],
  ["penalty", "Penalty layers", "cloth"],
] as const;
export type Mode = (typeof MODES)[number][0];

/** What no recording has kept. */
const LIVE: Mode[] = ["sleeping", "clock", "penalty"];

/** The ways of colouring that tell something about a scene, or a recording of it. */
export function modesOf(description: SceneDescription, recorded: boolean): Mode[] {
  const has = {
    any: true,
    bodies: description.bodies.some((body) => body.motion === "dynamic"),
    strands: description.strands.some((strand) => strand.kind === "strand"),
    cloth: description.cloths.length > 0 || description.strands.some((strand) => strand.kind !== "strand"),
  };
  const known = (mode: Mode): boolean => !recorded || !LIVE.includes(mode);
  return MODES.filter(([mode, , what]) => has[what] && known(mode)).map(([mode]) => mode);
}

type Rgb = readonly [number, number, number];

/** From dark violet to yellow, evenly light: the stops of a scale that also reads in grey. */
const SCALE: Rgb[] = [
  [0.267, 0.005, 0.329],
  [0.254, 0.265, 0.53],
  [0.164, 0.471, 0.558],
  [0.135, 0.659, 0.518],
  [0.478, 0.821, 0.318],
  [0.993, 0.906, 0.144],
];

/** For kinds rather than amounts: neighbours in the list are easy to tell apart. */
const KINDS: Rgb[] = [
  [0.31, 0.47, 0.65],
  [0.95, 0.56, 0.17],
  [0.88, 0.34, 0.35],
  [0.46, 0.72, 0.7],
  [0.35, 0.63, 0.31],
  [0.93, 0.79, 0.28],
  [0.69, 0.48, 0.63],
  [1.0, 0.62, 0.65],
  [0.61, 0.46, 0.37],
  [0.73, 0.69, 0.67],
];

const linear = (c: Rgb): [number, number, number] => {
  const one = (x: number): number => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  return [one(c[0]), one(c[1]), one(c[2])];
};

/** The colour of `x` from 0 to 1 on the scale, linear. */
export function scale(x: number): [number, number, number] {
  const at = Math.min(Math.max(x, 0), 1) * (SCALE.length - 1);
  const k = Math.min(Math.floor(at), SCALE.length - 2);
  const [a, b] = [SCALE[k] as Rgb, SCALE[k + 1] as Rgb];
  const mix = (i: 0 | 1 | 2): number => a[i] + (b[i] - a[i]) * (at - k);
  return linear([mix(0), mix(1), mix(2)]);
}

/** From blue over grey to red for `x` from -1 to 1, linear. */
export function split(x: number): [number, number, number] {
  const at = Math.min(Math.max(x, -1), 1);
  const [middle, end]: [Rgb, Rgb] = [[0.8, 0.79, 0.77], at < 0 ? [0.1, 0.3, 0.75] : [0.76, 0.13, 0.1]];
  const part = Math.sqrt(Math.abs(at));
  const mix = (i: 0 | 1 | 2): number => middle[i] + (end[i] - middle[i]) * part;
  return linear([mix(0), mix(1), mix(2)]);
}

export function css(c: Rgb): string {
  const one = (x: number): number => Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
  return `rgb(${one(c[0])} ${one(c[1])} ${one(c[2])})`;
}

const GREY = linear([0.62, 0.61, 0.59]);
const FREE = linear([0.85, 0.84, 0.82]);

/** What the colours mean, for the legend: text and colour. */
export type Legend = { text: string; colour: string }[];

/** Colours of all bodies by `mode`: three linear numbers each into `out`. */
export function paint(mode: Mode, bodies: BodyDescription[], frame: Frame, out: Float32Array): Legend {
  const put = (i: number, c: Rgb): void => out.set(c, 3 * i);
  const count = Math.min(bodies.length, frame.bodies, out.length / 3);
  const legend: Legend = [];
  const own = (i: number): Rgb => (bodies[i] as BodyDescription).colour;
  const still = (i: number): boolean => bodies[i]?.motion !== "dynamic";
  const { graph, velocities } = frame;
  if (mode === "layers" && graph) {
    let most = 1;
    for (let i = 0; i < count; i++) {
      const height = graph[2 * i] as number;
      if (height !== NONE) most = Math.max(most, height);
    }
    for (let i = 0; i < count; i++) {
      const height = graph[2 * i] as number;
      if (still(i)) put(i, GREY);
      else put(i, height === NONE ? FREE : scale((height - 1) / Math.max(most - 1, 1)));
    }
    const some = [1, Math.ceil(most / 2), most];
    for (const h of new Set(some)) {
      legend.push({ text: `${h}`, colour: css(scale((h - 1) / Math.max(most - 1, 1))) });
    }
    legend.push({ text: "free", colour: css(FREE) });
  } else if (mode === "islands" && graph) {
    const sizes = new Map<number, number>();
    for (let i = 0; i < count; i++) {
      const island = graph[2 * i + 1] as number;
      sizes.set(island, (sizes.get(island) ?? 0) + 1);
    }
    for (let i = 0; i < count; i++) {
      const island = graph[2 * i + 1] as number;
      if (still(i)) put(i, GREY);
      else if (sizes.get(island) === 1) put(i, FREE);
      else put(i, linear(KINDS[island % KINDS.length] as Rgb));
    }
    const together = [...sizes].filter(([island, size]) => island !== NONE && size > 1).length;
    legend.push({ text: `${together} together`, colour: css(linear(KINDS[0] as Rgb)) });
    legend.push({ text: "alone", colour: css(FREE) });
  } else if (mode === "sleeping") {
    const [awake, asleep] = [linear([0.93, 0.64, 0.25]), linear([0.28, 0.4, 0.58])];
    for (let i = 0; i < count; i++) put(i, still(i) ? GREY : (frame.states[i] as number) & 2 ? asleep : awake);
    legend.push({ text: "awake", colour: css(awake) }, { text: "asleep", colour: css(asleep) });
  } else if (mode === "speed" && velocities) {
    const speed = (i: number): number =>
      Math.hypot(velocities[6 * i] as number, velocities[6 * i + 1] as number, velocities[6 * i + 2] as number);
    // logarithmic from 1 mm/s to 30 m/s: standing still is what stacks are about
    const [low, high] = [Math.log(1e-3), Math.log(30)];
    const place = (v: number): number => (Math.log(Math.max(v, 1e-3)) - low) / (high - low);
    for (let i = 0; i < count; i++) put(i, still(i) ? GREY : scale(place(speed(i))));
    for (const [v, text] of [
      [1e-3, "≤ 1 mm/s"],
      [0.1, "10 cm/s"],
      [1, "1 m/s"],
      [30, "30 m/s"],
    ] as const) {
      legend.push({ text, colour: css(scale(place(v))) });
    }
  } else {
    for (let i = 0; i < count; i++) put(i, own(i));
  }
  return legend;
}
