// Contact points with arrows for what is pushed: seen through everything else.

import * as THREE from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Frame } from "./protocol";

const MOST = 20000;

export class Arrows {
  readonly group = new THREE.Group();
  private readonly mesh: THREE.InstancedMesh;
  private readonly balls: THREE.InstancedMesh;
  /** Force of the longest arrow [N], smoothed over time. */
  reference = 0;

  constructor() {
    const shaft = new THREE.CylinderGeometry(0.035, 0.035, 0.72, 6).translate(0, 0.36, 0);
    const tip = new THREE.ConeGeometry(0.11, 0.28, 10).translate(0, 0.86, 0);
    const arrow = mergeGeometries([shaft, tip]);
    const make = (geometry: THREE.BufferGeometry, colour: number, order: number): THREE.InstancedMesh => {
      const material = new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity: 0.92 });
      const mesh = new THREE.InstancedMesh(geometry, material, MOST);
      mesh.frustumCulled = false;
      mesh.renderOrder = order;
      mesh.count = 0;
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      this.group.add(mesh);
      return mesh;
    };
    this.mesh = make(arrow, 0xe8552f, 11);
    this.balls = make(new THREE.SphereGeometry(1, 8, 6), 0x2a6f97, 10);
    this.group.visible = false;
  }

  /** Arrows of `frame`, the longest about `size` long [m]. */
  update(frame: Frame, size: number): void {
    const contacts = frame.contacts;
    if (!contacts || !this.group.visible) {
      this.mesh.count = this.balls.count = 0;
      return;
    }
    const { floats, words } = contacts;
    const count = Math.min(contacts.count, MOST);
    let most = 0;
    const force = (k: number): number =>
      Math.hypot(floats[10 * k + 5] as number, floats[10 * k + 6] as number, floats[10 * k + 7] as number);
    for (let k = 0; k < count; k++) most = Math.max(most, force(k));
    this.reference = this.reference > 0 ? Math.max(most, 0.9 * this.reference) : most;
    const out = this.mesh.instanceMatrix.array as Float32Array;
    const dots = this.balls.instanceMatrix.array as Float32Array;
    const [ox, oy, oz] = frame.origin;
    const radius = 0.03 * size;
    for (let k = 0; k < count; k++) {
      const at = 10 * k;
      const [x, y, z] = [
        ox + (floats[at + 2] as number),
        oy + (floats[at + 3] as number),
        oz + (floats[at + 4] as number),
      ];
      const o = 16 * k;
      // strands touch in very many places, each of them small
      const part = (words[at + 1] as number) < frame.bodies ? 1 : 0.4;
      dots.fill(0, o, o + 16);
      dots[o] = dots[o + 5] = dots[o + 10] = part * radius;
      dots[o + 12] = x;
      dots[o + 13] = y;
      dots[o + 14] = z;
      dots[o + 15] = 1;
      const f = force(k);
      out.fill(0, o, o + 16);
      // the root of the force: small ones are seen beside large ones
      const length = this.reference > 0 ? part * size * Math.sqrt(f / this.reference) : 0;
      if (length < 1e-3 * size) continue;
      const [dx, dy, dz] = [
        (floats[at + 5] as number) / f,
        (floats[at + 6] as number) / f,
        (floats[at + 7] as number) / f,
      ];
      let [ux, uy, uz] = Math.abs(dy) < 0.9 ? [dz, 0, -dx] : [0, -dz, dy];
      const across = Math.hypot(ux, uy, uz) || 1;
      [ux, uy, uz] = [ux / across, uy / across, uz / across];
      const [vx, vy, vz] = [uy * dz - uz * dy, uz * dx - ux * dz, ux * dy - uy * dx];
      const thick = 0.5 * part * size + 0.5 * length;
      out[o] = ux * thick;
      out[o + 1] = uy * thick;
      out[o + 2] = uz * thick;
      out[o + 4] = dx * length;
      out[o + 5] = dy * length;
      out[o + 6] = dz * length;
      out[o + 8] = vx * thick;
      out[o + 9] = vy * thick;
      out[o + 10] = vz * thick;
      out[o + 12] = x;
      out[o + 13] = y;
      out[o + 14] = z;
      out[o + 15] = 1;
    }
    for (const mesh of [this.mesh, this.balls]) {
      mesh.count = count;
      mesh.instanceMatrix.clearUpdateRanges();
      mesh.instanceMatrix.addUpdateRange(0, 16 * count);
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  dispose(): void {
    for (const mesh of [this.mesh, this.balls]) {
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
      mesh.dispose();
    }
  }
}
