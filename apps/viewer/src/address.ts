// The address of the page: scene, changes, comparison, time, camera and colours, so that a link
// shows the same again.

import type { Vector } from "./protocol";

export interface Address {
  scene: string | null;
  sets: string[];
  compare: string[] | null;
  time: number | null;
  camera: { eye: Vector; target: Vector } | null;
  colour: string | null;
  arrows: boolean;
  axes: boolean;
  envelopes: boolean;
  /** Whether time runs at once. */
  play: boolean;
}

export function read(search: string): Address {
  const query = new URLSearchParams(search);
  const numbers = (query.get("camera") ?? "").split(",").map(Number);
  const whole = numbers.length === 6 && numbers.every(Number.isFinite);
  const time = query.get("t");
  const compare = query.getAll("compare");
  return {
    scene: query.get("scene"),
    sets: query.getAll("set"),
    compare: compare.length > 0 ? compare.filter((set) => set !== "") : null,
    time: time !== null && Number.isFinite(Number(time)) ? Number(time) : null,
    camera: whole
      ? { eye: numbers.slice(0, 3) as Vector, target: numbers.slice(3) as Vector }
      : null,
    colour: query.get("colour"),
    arrows: query.has("arrows"),
    axes: query.has("frames"),
    envelopes: query.has("envelopes"),
    play: query.get("play") !== "0",
  };
}

export function write(address: Address): string {
  const query = new URLSearchParams();
  if (address.scene !== null) query.append("scene", address.scene);
  for (const set of address.sets) query.append("set", set);
  for (const set of address.compare?.length === 0 ? [""] : (address.compare ?? [])) query.append("compare", set);
  if (address.time !== null) query.append("t", String(Number(address.time.toFixed(4))));
  if (address.camera) {
    const numbers = [...address.camera.eye, ...address.camera.target];
    query.append("camera", numbers.map((x) => Number(x.toPrecision(6))).join(","));
  }
  if (address.colour && address.colour !== "own") query.append("colour", address.colour);
  if (address.arrows) query.append("arrows", "1");
  if (address.axes) query.append("frames", "1");
  if (address.envelopes) query.append("envelopes", "1");
  if (!address.play) query.append("play", "0");
  return query.toString();
}
