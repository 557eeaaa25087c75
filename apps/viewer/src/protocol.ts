// What goes between the page and the engine; apps/view-server/src/wire.rs documents the bytes.

export const KIND = { velocities: 1, graph: 2, contacts: 4, strands: 8, cloths: 16, frames: 32, layers: 64 } as const;
export const NONE = 0xffffffff;

export type Vector = [number, number, number];

export type ShapeDescription =
  | { kind: "box"; size: Vector }
  | { kind: "sphere"; radius: number }
  | { kind: "capsule"; length: number; radius: number }
  | { kind: "half-space" }
  | { kind: "mesh"; positions: number[]; normals: number[]; triangles: number[] }
  | { kind: "none" };

/** Number of a shape, then position and rotation (x, y, z, w) in the body. */
export type Part = [number, number, number, number, number, number, number, number];

export interface BodyDescription {
  name: string;
  parts: Part[];
  colour: Vector;
  motion: "dynamic" | "fixed" | "path";
  mass: number | null;
  material: string;
}

export interface SceneDescription {
  type: "scene";
  session: number;
  epoch: number;
  name: string;
  about: string;
  gravity: Vector;
  camera: { eye: Vector; target: Vector; degrees: number };
  floor: number | null;
  shapes: ShapeDescription[];
  bodies: BodyDescription[];
  strands: StrandDescription[];
  cloths: ClothDescription[];
  /** At which the outermost layer about cloth acts [m]; none without cloth. */
  thickness: number | null;
}

export interface StrandDescription {
  name: string;
  points: number;
  radii: number[];
  colour: Vector | null;
  /** "strand", or "chain" or "particle" of cloth. */
  kind: "strand" | "chain" | "particle";
}

export interface ClothDescription {
  name: string;
  points: number;
  triangles: number[];
  colour: Vector | null;
  /** Vertices that are prescribed. */
  pinned: number[];
}

export interface Complaint {
  file: string | null;
  line: number | null;
  column: number | null;
  message: string;
  help: string | null;
  excerpt: [number, string][];
}

/** Something that went wrong in the run and that its result must not hide. */
export interface Finding {
  kind: string;
  /** Name of the body, strand or cloth. */
  thing: string;
  /** Number of the body, where it is one. */
  body: number | null;
  /** When it was found first [s]. */
  time: number;
  what: string;
  likelyCause: string;
  remedy: string;
}

export interface SessionStatus {
  epoch: number;
  sets: string[];
  settings: Record<string, unknown>;
  thrown: { shapes: ShapeDescription[]; body: BodyDescription }[];
  /** The first findings of the run, and how many there are. */
  findings: Finding[];
  found: number;
}

export interface Status {
  type: "status";
  scene: string;
  system: string;
  playing: boolean;
  seeking: number | null;
  past: boolean;
  recording: boolean;
  over: boolean;
  speed: number;
  loop: boolean;
  duration: number;
  step: number;
  sessions: SessionStatus[];
  error: Complaint | null;
  refused: Complaint | null;
  refusals: number;
}

/** The numbers of a frame, in the order in which they stand in it. */
export const NUMBERS = [
  "kinetic",
  "potential",
  "penetration",
  "contacts",
  "pairs",
  "islands",
  "sweeps",
  "residual",
  "stepMs",
  "collisionMs",
  "dynamicsMs",
  "asleep",
  "rate",
  "moving",
  "layers",
  "events",
] as const;
export type Numbers = Record<(typeof NUMBERS)[number], number>;

export interface Contacts {
  count: number;
  /** a, b, point (3), force on b (3), distance, layer: 10 words each; from the number of bodies on, b is a strand. */
  floats: Float32Array;
  words: Uint32Array;
}

export interface Frame {
  session: number;
  kinds: number;
  playing: boolean;
  past: boolean;
  epoch: number;
  step: number;
  bodies: number;
  time: number;
  first: number;
  reached: number;
  origin: Vector;
  numbers: Numbers;
  /** Position and rotation of each body: 7 numbers. */
  poses: Float32Array;
  /** 1 visible, 2 asleep. */
  states: Uint8Array;
  velocities: Float32Array | null;
  graph: Uint32Array | null;
  contacts: Contacts | null;
  strands: Float32Array[];
  cloths: Float32Array[];
  /** Of each segment of each strand its rotation (x, y, z, w), and the twist of its joint [rad]. */
  frames: Float32Array[] | null;
  /** Of each vertex of each cloth its shortest time step [s], and the layers active at it. */
  layers: Float32Array[] | null;
  /** The same of each point of each strand that is a chain or a particle of cloth; zeros of others. */
  chainLayers: Float32Array[] | null;
}

/** Version of the layout that is understood. */
const VERSION = 3;
const HEADER = 128;

/** The numbers of the frame in `buffer`, without the rest of it. */
export function numbersOf(buffer: ArrayBuffer): Numbers {
  const numbers = {} as Numbers;
  const view = new DataView(buffer);
  NUMBERS.forEach((name, k) => (numbers[name] = view.getFloat32(64 + 4 * k, true)));
  return numbers;
}

/** The frame in `buffer`, without copying what is in it. */
export function decode(buffer: ArrayBuffer): Frame {
  const view = new DataView(buffer);
  const version = view.getUint8(0);
  if (version !== VERSION) throw new Error(`a frame of version ${version}; this page knows version ${VERSION}: reload it`);
  const kinds = view.getUint8(2);
  const flags = view.getUint8(3);
  const bodies = view.getUint32(12, true);
  const numbers = numbersOf(buffer);

  let at = HEADER;
  const floats = (count: number): Float32Array => {
    const list = new Float32Array(buffer, at, count);
    at += 4 * count;
    return list;
  };
  const word = (): number => {
    at += 4;
    return view.getUint32(at - 4, true);
  };
  const poses = floats(7 * bodies);
  const states = new Uint8Array(buffer, at, bodies);
  at += 4 * Math.ceil(bodies / 4);
  const velocities = kinds & KIND.velocities ? floats(6 * bodies) : null;
  let graph: Uint32Array | null = null;
  if (kinds & KIND.graph) {
    graph = new Uint32Array(buffer, at, 2 * bodies);
    at += 8 * bodies;
  }
  let contacts: Contacts | null = null;
  if (kinds & KIND.contacts) {
    const count = word();
    contacts = {
      count,
      words: new Uint32Array(buffer, at, 10 * count),
      floats: new Float32Array(buffer, at, 10 * count),
    };
    at += 40 * count;
  }
  const curves = (there: number): Float32Array[] => {
    const list: Float32Array[] = [];
    if (!there) return list;
    for (let count = word(); count > 0; count--) list.push(floats(3 * word()));
    return list;
  };
  const strands = curves(kinds & KIND.strands);
  const cloths = curves(kinds & KIND.cloths);
  const frames = kinds & KIND.frames ? strands.map((points) => floats(5 * Math.max(points.length / 3 - 1, 0))) : null;
  const clocks = (points: Float32Array): Float32Array => floats((2 * points.length) / 3);
  const layers = kinds & KIND.layers ? cloths.map(clocks) : null;
  const chainLayers = kinds & KIND.layers ? strands.map(clocks) : null;
  return {
    session: view.getUint8(1),
    kinds,
    playing: (flags & 1) !== 0,
    past: (flags & 2) !== 0,
    epoch: view.getUint32(4, true),
    step: view.getUint32(8, true),
    bodies,
    time: view.getFloat64(16, true),
    first: view.getFloat64(24, true),
    reached: view.getFloat64(32, true),
    origin: [view.getFloat64(40, true), view.getFloat64(48, true), view.getFloat64(56, true)],
    numbers,
    poses,
    states,
    velocities,
    graph,
    contacts,
    strands,
    cloths,
    frames,
    layers,
    chainLayers,
  };
}

export type Command =
  | { do: "play" | "pause" | "restart" | "release" }
  | { do: "step"; count: number }
  | { do: "speed"; factor: number }
  | { do: "loop"; on: boolean }
  | { do: "goto"; time: number }
  | { do: "set"; session: number; assignment: string }
  | { do: "reset"; session: number }
  | { do: "compare"; sets: string[] | null }
  | { do: "grab"; session: number; body: number; point: Vector }
  | { do: "grab-strand"; session: number; curve: number; segment: number; point: Vector }
  | { do: "grab-cloth"; session: number; cloth: number; vertex: number; point: Vector }
  | { do: "drag"; target: Vector }
  | { do: "throw"; origin: Vector; velocity: Vector; radius: number }
  | { do: "watch"; kinds: number };
