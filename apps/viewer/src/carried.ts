// A recording that the page carries with it: no engine, the same frames, time in the page's own hand.

import type { Line, Listener } from "./connection";
import { decode, numbersOf, type Command, type Frame, type SceneDescription, type Status } from "./protocol";

/** What stands in a page that was written by `drystone export`. */
export interface Package {
  name: string;
  scene: SceneDescription;
  settings: Record<string, unknown>;
  /** Every frame with its length and the length of its records before it (u32), the first bytes of all records
   * first, then their second bytes and so on, after what is left over; compressed (zlib), in base64. */
  frames: string;
}

/** The recording in this page, if there is one. */
export function carried(): Package | null {
  const text = document.getElementById("recording")?.textContent?.trim();
  return text ? (JSON.parse(text) as Package) : null;
}

/** The frames one by one, each in a buffer of its own. */
async function unpack(text: string): Promise<ArrayBuffer[]> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k++) bytes[k] = binary.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const whole = await new Response(stream).arrayBuffer();
  const view = new DataView(whole);
  const frames: ArrayBuffer[] = [];
  for (let at = 0; at + 8 <= whole.byteLength; ) {
    const [length, stride] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    frames.push(woven(new Uint8Array(whole, at + 8, length), stride));
    at += 8 + length;
  }
  return frames;
}

/** Records of `stride` bytes from their first bytes, second bytes and so on. */
function woven(planes: Uint8Array, stride: number): ArrayBuffer {
  const out = new Uint8Array(planes.length);
  const rest = planes.length % stride;
  const count = (planes.length - rest) / stride;
  out.set(planes.subarray(0, rest));
  for (let k = 0, from = rest; k < stride; k++) {
    for (let i = 0, to = rest + k; i < count; i++, to += stride) out[to] = planes[from++] as number;
  }
  return out.buffer;
}

/** Time of a frame, read without the rest of it [s]. */
const timeOf = (frame: ArrayBuffer): number => new DataView(frame).getFloat64(16, true);

export class Carried implements Line {
  private frames: ArrayBuffer[] = [];
  private times: number[] = [];
  private index = 0;
  private playing: boolean;
  private looped = false;
  private speed = 1;
  /** Wall time [ms] and shown time [s] at which playing began. */
  private anchor: [number, number] | null = null;
  /** Shown time, between frames [s]. */
  private time = 0;

  constructor(
    private readonly data: Package,
    private readonly listener: Listener,
    start: { time: number | null; play: boolean },
  ) {
    this.playing = start.play && start.time === null;
    void this.begin(start.time);
  }

  private async begin(time: number | null): Promise<void> {
    try {
      this.frames = await unpack(this.data.frames);
    } catch (error) {
      this.listener.refused(`the recording in this page cannot be read: ${String(error)}`);
      return;
    }
    this.times = this.frames.map(timeOf);
    this.listener.line(true);
    this.listener.scene(this.data.scene);
    this.say();
    this.listener.history(this.times, this.frames.map(numbersOf));
    this.show(time ?? this.first());
    const tick = (): void => {
      this.tick();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  private first(): number {
    return this.times[0] ?? 0;
  }

  private last(): number {
    return this.times.at(-1) ?? 0;
  }

  private tick(): void {
    if (!this.playing) return;
    const now = performance.now();
    this.anchor ??= [now, this.time];
    const time = this.anchor[1] + (1e-3 * (now - this.anchor[0])) * (this.speed || 1);
    if (time < this.last()) {
      this.show(time);
      return;
    }
    this.anchor = null;
    if (!this.looped) this.playing = false;
    this.show(this.looped ? this.first() : this.last());
    this.say();
  }

  /** Shows the last frame that is not after `time`. */
  private show(time: number): void {
    this.time = Math.min(Math.max(time, this.first()), this.last());
    let index = 0;
    while (index + 1 < this.times.length && (this.times[index + 1] as number) <= this.time + 1e-9) index++;
    this.index = index;
    const buffer = this.frames[index];
    if (!buffer) return;
    const frame: Frame = { ...decode(buffer), playing: this.playing, past: false, first: this.first(), reached: this.last() };
    this.listener.frame(frame);
  }

  private say(): void {
    const status: Status = {
      type: "status",
      scene: this.data.name,
      system: "recording",
      playing: this.playing,
      seeking: null,
      past: false,
      recording: true,
      over: this.time >= this.last(),
      speed: this.speed,
      loop: this.looped,
      duration: this.last(),
      step: this.times.length > 1 ? (this.last() - this.first()) / (this.times.length - 1) : 0.01,
      sessions: [{ epoch: this.data.scene.epoch, sets: [], settings: this.data.settings, thrown: [], findings: [], found: 0 }],
      error: null,
      refused: null,
      refusals: 0,
    };
    this.listener.status(status);
  }

  send(command: Command): void {
    this.anchor = null;
    switch (command.do) {
      case "play":
        this.playing = true;
        if (this.time >= this.last()) this.time = this.first();
        break;
      case "pause":
        this.playing = false;
        break;
      case "restart":
        this.time = this.first();
        break;
      case "step":
        this.playing = false;
        this.time = this.times[Math.min(Math.max(this.index + command.count, 0), this.times.length - 1)] ?? 0;
        break;
      case "goto":
        this.playing = false;
        this.time = command.time;
        break;
      case "speed":
        this.speed = command.factor;
        break;
      case "loop":
        this.looped = command.on;
        break;
      case "drag":
      case "release":
        return;
      default:
        this.listener.refused("this is a recording: it can be looked at, but not changed");
        return;
    }
    this.show(this.time);
    this.say();
  }

  /** Frames carry what they carry. */
  watch(): void {
    return;
  }
}
