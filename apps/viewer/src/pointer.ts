// What the pointer does: look around, drag bodies, strands and cloth, throw balls.

import * as THREE from "three";
import type { Line } from "./connection";
import type { Vector } from "./protocol";
import type { Chosen, Pick, Stage } from "./stage";

export type Tool = "look" | "grab" | "throw";
export const TOOLS: [Tool, string, string, string][] = [
  ["look", "look", "Look around and choose things", "1"],
  ["grab", "grab", "Drag bodies, strands and cloth", "2"],
  ["throw", "throw", "Throw balls", "3"],
];

interface Wishes {
  choose(pick: Chosen | null): void;
  gravity(): Vector;
  /** What something under the pointer is called, in a few words. */
  words(pick: Pick): string;
}

/** A press that moves less than this is a click [pixels]. */
const STILL = 5;

export class Pointer {
  tool: Tool = "look";
  private held: { pointer: number; plane: THREE.Plane } | null = null;
  private pressed: { x: number; y: number; time: number; pointer: number } | null = null;
  private last = { x: 0, y: 0 };
  private hover = 0;
  private due = 0;
  private readonly abort = new AbortController();

  constructor(
    private readonly stage: Stage,
    private readonly connection: Line,
    private readonly tip: HTMLElement,
    private readonly wishes: Wishes,
  ) {
    const { canvas, box } = stage;
    // before the camera's own listeners, which sit on the canvas
    const early = { capture: true, signal: this.abort.signal };
    box.addEventListener("pointerdown", (event) => event.target === canvas && this.down(event), early);
    box.addEventListener("pointermove", (event) => this.move(event), early);
    addEventListener("pointerup", (event) => this.up(event), early);
    addEventListener("pointercancel", () => this.release(), early);
    canvas.addEventListener("dblclick", (event) => {
      if (this.tool === "look") this.throwAt(event.clientX, event.clientY);
    });
    box.addEventListener("pointerleave", () => this.tip.classList.remove("there"), early);
  }

  private down(event: PointerEvent): void {
    this.pressed = { x: event.clientX, y: event.clientY, time: performance.now(), pointer: event.pointerId };
    this.tip.classList.remove("there");
    const wantsHold = this.tool === "grab" || event.shiftKey;
    if (!wantsHold || event.button !== 0 || this.held) return;
    const pick = this.stage.pick(event.clientX, event.clientY);
    if (!pick || !this.seize(pick)) return;
    // the hand moves in the plane that faces the camera
    const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, pick.point);
    this.held = { pointer: event.pointerId, plane };
    this.stage.controls.enabled = false;
  }

  /** Asks the engine to hold what is there; false if it cannot be moved. */
  private seize(pick: Pick): boolean {
    const { session, index, part } = pick;
    const point = pick.point.toArray();
    const body = this.stage.sessions[session]?.bodies?.bodies[index];
    if (pick.kind === "strand") this.connection.send({ do: "grab-strand", session, curve: index, segment: part, point });
    else if (pick.kind === "cloth") this.connection.send({ do: "grab-cloth", session, cloth: index, vertex: part, point });
    else if (!body || body.motion === "fixed") return false;
    else this.connection.send({ do: "grab", session, body: index, point });
    return true;
  }

  private move(event: PointerEvent): void {
    this.last = { x: event.clientX, y: event.clientY };
    if (this.held?.pointer === event.pointerId) {
      // of many moves between two pictures the last one counts
      if (this.due === 0) this.due = requestAnimationFrame(() => this.drag());
      return;
    }
    if (event.buttons !== 0 || event.pointerType !== "mouse" || event.target !== this.stage.canvas) return;
    const now = performance.now();
    if (now - this.hover < 90) return;
    this.hover = now;
    const pick = this.stage.pick(event.clientX, event.clientY);
    this.tip.classList.toggle("there", !!pick);
    if (pick) {
      this.tip.textContent = this.wishes.words(pick);
      this.tip.style.translate = `${event.clientX + 14}px ${event.clientY + 16}px`;
    }
  }

  private drag(): void {
    this.due = 0;
    if (!this.held) return;
    const { ray } = this.stage.aim(this.last.x, this.last.y);
    const at = ray.ray.intersectPlane(this.held.plane, new THREE.Vector3());
    if (at) this.connection.send({ do: "drag", target: at.toArray() });
  }

  private up(event: PointerEvent): void {
    const held = this.held?.pointer === event.pointerId;
    if (held) this.release();
    const pressed = this.pressed;
    if (!pressed || pressed.pointer !== event.pointerId) return;
    this.pressed = null;
    const moved = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
    const click = moved < STILL && performance.now() - pressed.time < 500 && event.button === 0;
    if (!click || held) return;
    if (this.tool === "throw") this.throwAt(event.clientX, event.clientY);
    else if (this.tool === "look") this.wishes.choose(this.stage.pick(event.clientX, event.clientY));
  }

  release(): void {
    if (!this.held) return;
    this.held = null;
    this.stage.controls.enabled = true;
    this.connection.send({ do: "release" });
  }

  /** Throws towards where the pointer was last, or the middle. */
  throwAhead(): void {
    const rect = this.stage.canvas.getBoundingClientRect();
    const { x, y } = this.last;
    const inside = x > rect.left && x < rect.right && y > rect.top && y < rect.bottom;
    if (inside) this.throwAt(x, y);
    else this.throwAt(rect.left + rect.width / 2 / this.stage.sessions.length, rect.top + rect.height / 2);
  }

  /** A ball from the eye to what is at a pixel, aimed a little higher because it falls. */
  throwAt(x: number, y: number): void {
    const pick = this.stage.pick(x, y);
    const { ray } = this.stage.aim(x, y);
    const reach = pick?.distance ?? this.stage.distance();
    const size = this.stage.distance();
    const direction = ray.ray.direction.clone();
    const origin = ray.ray.origin.clone().addScaledVector(direction, 0.08 * size);
    const speed = 1.6 * size + 3;
    const flight = reach / speed;
    const velocity = direction.multiplyScalar(speed).addScaledVector(new THREE.Vector3(...this.wishes.gravity()), -0.5 * flight);
    this.connection.send({ do: "throw", origin: origin.toArray(), velocity: velocity.toArray(), radius: 0.022 * size });
  }
}
