// What is seen inside strands and cloth: time steps, penalty layers and twist as colours, material frames as
// small axes.

import * as THREE from "three";
import { css, scale, split, type Legend, type Mode } from "./colours";
import { quantity } from "./format";
import type { Frame, SceneDescription } from "./protocol";

/** Colours of all segments and of the vertices of each cloth, linear, where they are not their own. A segment whose
 * numbers are not numbers keeps its own colour. */
export interface Paint {
  strands: Float32Array | null;
  cloths: Float32Array[] | null;
  legend: Legend;
}

export const PLAIN: Paint = { strands: null, cloths: null, legend: [] };

/** Strands and cloths of `frame` by `mode`. */
export function paintSoft(mode: Mode, description: SceneDescription, frame: Frame): Paint {
  if (mode === "twist" && frame.frames) return twist(description, frame, frame.frames);
  if (mode === "clock" && frame.layers) return clocks(inCloth(description, frame, frame.layers));
  if (mode === "penalty" && frame.layers) return penalties(inCloth(description, frame, frame.layers));
  return PLAIN;
}

/** What is known of cloth, vertex by vertex: time step [s] and active layers. */
interface Clocks {
  cloths: Float32Array[];
  /** Of all segments: the shorter step and the more layers of both ends; of strands that are no cloth not numbers. */
  segments: Float32Array;
}

function inCloth(description: SceneDescription, frame: Frame, cloths: Float32Array[]): Clocks {
  const found: number[] = [];
  frame.strands.forEach((points, which) => {
    const own = description.strands[which]?.kind === "strand" ? undefined : frame.chainLayers?.[which];
    for (let s = 0; 3 * s + 5 < points.length; s++) {
      const at = (k: number): number => own?.[2 * s + k] ?? NaN;
      found.push(Math.min(at(0), at(2)), Math.max(at(1), at(3)));
    }
  });
  return { cloths, segments: new Float32Array(found) };
}

/** The shortest period of all forces that act on a vertex (Harmon 2012, Fig. 2 and 4), by powers of two. */
function clocks({ cloths, segments }: Clocks): Paint {
  let [low, high] = [Infinity, -Infinity];
  const level = (list: Float32Array, i: number): number => Math.log2(Math.max(list[2 * i] as number, 1e-13));
  for (const list of [...cloths, segments]) {
    for (let i = 0; 2 * i < list.length; i++) {
      if (!((list[2 * i] as number) > 0)) continue;
      low = Math.min(low, level(list, i));
      high = Math.max(high, level(list, i));
    }
  }
  if (high < low) return PLAIN;
  const range = Math.max(high - low, 1);
  // short steps are bright: that is where something happens
  const place = (x: number): number => (high - x) / range;
  const paint = (list: Float32Array): Float32Array => each(list, (i) => scale(place(level(list, i))));
  const some = [high, Math.round(0.5 * (high + low)), low].filter((x, k, all) => all.indexOf(x) === k);
  const legend = some.map((x) => ({ text: quantity(2 ** x, "s"), colour: css(scale(place(x))) }));
  return { strands: paint(segments), cloths: cloths.map(paint), legend };
}

/** How many penalty layers are active at a vertex, on a scale of doublings. */
function penalties({ cloths, segments }: Clocks): Paint {
  let most = 1;
  // what is not a number is not more
  for (const list of [...cloths, segments]) for (let i = 1; i < list.length; i += 2) if ((list[i] as number) > most) most = list[i] as number;
  const none: [number, number, number] = [0.32, 0.33, 0.35];
  const place = (n: number): number => 0.12 + 0.88 * (most > 1 ? Math.log(n) / Math.log(most) : 1);
  const colour = (n: number): [number, number, number] => (n > 0 ? scale(place(n)) : none);
  const paint = (list: Float32Array): Float32Array => each(list, (i) => colour(list[2 * i + 1] as number));
  const some = [1, Math.round(Math.sqrt(most)), most].filter((n, k, all) => all.indexOf(n) === k);
  const legend = [{ text: "none", colour: css(none) }];
  legend.push(...some.map((n) => ({ text: n === 1 ? "1 layer" : `${n}`, colour: css(colour(n)) })));
  return { strands: paint(segments), cloths: cloths.map(paint), legend };
}

/** Colours of a list of pairs of numbers; what is not a number has none. */
function each(list: Float32Array, colour: (i: number) => [number, number, number]): Float32Array {
  const out = new Float32Array(1.5 * list.length);
  for (let i = 0; 2 * i < list.length; i++) {
    const known = list[2 * i] === list[2 * i];
    out.set(known ? colour(i) : [NaN, NaN, NaN], 3 * i);
  }
  return out;
}

/** Twist away from rest for each length of strand. */
function twist(description: SceneDescription, frame: Frame, frames: Float32Array[]): Paint {
  const rates: number[] = [];
  let most = 0;
  frame.strands.forEach((points, which) => {
    const own = description.strands[which]?.kind === "strand";
    for (let s = 0; 3 * s + 5 < points.length; s++) {
      const rate = own ? ((frames[which]?.[5 * s + 4] ?? 0) as number) / Math.max(length(points, s), 1e-9) : NaN;
      rates.push(rate);
      if (rate === rate) most = Math.max(most, Math.abs(rate));
    }
  });
  const strands = new Float32Array(3 * rates.length);
  rates.forEach((rate, k) => strands.set(split(most > 1e-6 ? (rate || 0) / most : 0), 3 * k));
  const legend =
    most > 1e-6
      ? [-1, 0, 1].map((x) => ({ text: x === 0 ? "none" : `${x > 0 ? "+" : "−"}${quantity(most, "rad/m")}`, colour: css(split(x)) }))
      : [{ text: "no twist anywhere", colour: css(split(0)) }];
  return { strands, cloths: null, legend };
}

/** Length of segment `s` [m]. */
export function length(points: Float32Array, s: number): number {
  const d = (c: number): number => (points[3 * s + 3 + c] as number) - (points[3 * s + c] as number);
  return Math.hypot(d(0), d(1), d(2));
}

/** Most segments whose axes are drawn. */
const MOST = 6000;

/** The x and z axes of the material frames of segments, at their middles: red and blue. */
export class Axes {
  readonly lines: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly positions: THREE.BufferAttribute;

  constructor() {
    const geometry = new THREE.BufferGeometry();
    this.positions = new THREE.BufferAttribute(new Float32Array(12 * MOST), 3).setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("position", this.positions);
    const colours = new Float32Array(12 * MOST);
    for (let k = 0; k < MOST; k++) {
      for (const at of [0, 3]) colours.set([0.85, 0.06, 0.05], 12 * k + at);
      for (const at of [6, 9]) colours.set([0.05, 0.16, 0.85], 12 * k + at);
    }
    geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
    this.lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true }));
    this.lines.frustumCulled = false;
    this.lines.visible = false;
  }

  /** Axes `size` long [m]. */
  update(frame: Frame, size: number): void {
    const { frames } = frame;
    const { geometry } = this.lines;
    if (!frames || !this.lines.visible) {
      geometry.setDrawRange(0, 0);
      return;
    }
    const all = frames.reduce((sum, list) => sum + list.length / 5, 0);
    const every = Math.max(1, Math.ceil(all / MOST));
    const out = this.positions.array as Float32Array;
    const [ox, oy, oz] = frame.origin;
    let [count, k] = [0, 0];
    frame.strands.forEach((points, which) => {
      const list = frames[which];
      for (let s = 0; list && 5 * s + 4 < list.length && count < MOST; s++, k++) {
        if (k % every !== 0) continue;
        const m = (c: number): number => 0.5 * ((points[3 * s + c] as number) + (points[3 * s + 3 + c] as number));
        const at = [ox + m(0), oy + m(1), oz + m(2)];
        const [x, y, z, w] = [list[5 * s], list[5 * s + 1], list[5 * s + 2], list[5 * s + 3]] as [number, number, number, number];
        const first = [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)];
        const third = [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)];
        const o = 12 * count++;
        for (let c = 0; c < 3; c++) {
          out[o + c] = out[o + 6 + c] = at[c] as number;
          out[o + 3 + c] = (at[c] as number) + size * (first[c] as number);
          out[o + 9 + c] = (at[c] as number) + size * (third[c] as number);
        }
      }
    });
    geometry.setDrawRange(0, 4 * count);
    this.positions.clearUpdateRanges();
    this.positions.addUpdateRange(0, 12 * count);
    this.positions.needsUpdate = true;
  }

  dispose(): void {
    this.lines.geometry.dispose();
    this.lines.material.dispose();
  }
}
