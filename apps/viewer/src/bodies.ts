// Bodies on the screen: equal shapes are one draw call, moved by writing into buffers in place.

import * as THREE from "three";
import type { BodyDescription, Frame, Part, ShapeDescription } from "./protocol";

/** Parts of bodies that share a geometry. */
interface Batch {
  mesh: THREE.InstancedMesh;
  /** Of each instance: its body, place in the body, and scale. */
  body: Uint32Array;
  place: Float32Array;
  scale: Float32Array;
}

export interface Pick {
  body: number;
  point: THREE.Vector3;
  distance: number;
}

export class Bodies {
  readonly group = new THREE.Group();
  /** Linear colours of all bodies, to be written by whoever decides on them. */
  readonly colours: Float32Array;
  private readonly batches: Batch[] = [];
  private readonly materials: THREE.MeshStandardMaterial[] = [];
  private readonly moving: THREE.MeshStandardMaterial[] = [];
  private readonly grounds: { mesh: THREE.Mesh; body: number; part: Part }[] = [];
  /** Everything once more, grown by how far contact reaches; made when first asked for. */
  private shells: { mesh: THREE.InstancedMesh; reach: { value: number } }[] | null = null;

  constructor(
    shapes: ShapeDescription[],
    readonly bodies: BodyDescription[],
    ground: () => THREE.Mesh,
  ) {
    this.colours = new Float32Array(3 * bodies.length);
    const groups = new Map<string, { body: number; part: Part; scale: [number, number, number] }[]>();
    bodies.forEach((body, i) => {
      for (const part of body.parts) {
        const shape = shapes[part[0]];
        if (!shape || shape.kind === "none") continue;
        if (shape.kind === "half-space") {
          const mesh = ground();
          this.grounds.push({ mesh, body: i, part });
          this.group.add(mesh);
          continue;
        }
        const [kind, scale] = batchOf(shape, part[0]);
        const key = body.motion === "dynamic" ? kind : `${kind} fixed`;
        const list = groups.get(key) ?? [];
        list.push({ body: i, part, scale });
        groups.set(key, list);
      }
    });
    for (const [key, list] of groups) {
      const first = list[0];
      const shape = first && shapes[first.part[0]];
      if (shape) this.batches.push(this.batch(key, shape, list));
    }
  }

  private batch(
    key: string,
    shape: ShapeDescription,
    list: { body: number; part: Part; scale: [number, number, number] }[],
  ): Batch {
    const boxes = shape.kind === "box";
    const geometry = geometryOf(shape, list.length);
    const material = new THREE.MeshStandardMaterial({ roughness: 0.82, metalness: 0 });
    edged(material);
    if (!key.endsWith(" fixed")) this.moving.push(material);
    this.materials.push(material);
    const mesh = new THREE.InstancedMesh(geometry, material, list.length);
    mesh.frustumCulled = false;
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * list.length).fill(1), 3);
    mesh.instanceColor.setUsage(THREE.DynamicDrawUsage);
    const scale = new Float32Array(list.flatMap((one) => one.scale));
    geometry.setAttribute("extent", new THREE.InstancedBufferAttribute(boxes ? scale : new Float32Array(scale.length), 3));
    this.group.add(mesh);
    return {
      mesh,
      body: new Uint32Array(list.map((one) => one.body)),
      place: new Float32Array(list.flatMap((one) => one.part.slice(1))),
      scale,
    };
  }

  /** Moves everything to where `frame` has it. */
  update(frame: Frame): void {
    const [ox, oy, oz] = frame.origin;
    for (const batch of this.batches) {
      const { mesh, body, place, scale } = batch;
      const out = mesh.instanceMatrix.array as Float32Array;
      for (let k = 0; k < body.length; k++) {
        const i = body[k] as number;
        const shown = i < frame.bodies && ((frame.states[i] as number) & 1) !== 0;
        if (!shown) {
          out.fill(0, 16 * k, 16 * k + 16);
          continue;
        }
        compose(out, 16 * k, frame.poses, 7 * i, place, 7 * k, scale, 3 * k, ox, oy, oz);
      }
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
    for (const { mesh, body, part } of this.grounds) {
      const p = frame.poses.subarray(7 * body, 7 * body + 7);
      mesh.position.set(ox + (p[0] ?? 0) + part[1], oy + (p[1] ?? 0) + part[2], oz + (p[2] ?? 0) + part[3]);
      mesh.quaternion.set(p[3] ?? 0, p[4] ?? 0, p[5] ?? 0, p[6] ?? 1);
      mesh.visible = true;
    }
  }

  /** Shows `colours`, with body `chosen` lit up and those with a finding in red. */
  recolour(chosen: number | null, found: ReadonlySet<number>): void {
    for (const { mesh, body } of this.batches) {
      const out = mesh.instanceColor?.array as Float32Array;
      for (let k = 0; k < body.length; k++) {
        const i = 3 * (body[k] as number);
        const marked = found.has(body[k] as number);
        const lift = body[k] === chosen ? 0.45 : marked ? 0.8 : 0;
        for (let c = 0; c < 3; c++) {
          const own = this.colours[i + c] as number;
          const light = c === 0 ? 1 : marked ? 0.02 : c === 1 ? 0.55 : 0.1;
          out[3 * k + c] = own + (light - own) * lift;
        }
      }
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  /** Lets what is inside of moving bodies shine through. */
  translucent(on: boolean): void {
    for (const material of this.moving) {
      if (material.transparent === on) continue;
      material.transparent = on;
      material.opacity = on ? 0.22 : 1;
      material.depthWrite = !on;
      material.needsUpdate = true;
    }
  }

  /** Shows everything grown by `reach` [m]: the far side of it, which stands out around each body. */
  envelopes(on: boolean, reach: number): void {
    if (!on && !this.shells) return;
    this.shells ??= this.batches.map(({ mesh }) => {
      const size = { value: reach };
      const material = new THREE.MeshBasicMaterial({ color: 0x3d8fb5, transparent: true, opacity: 0.5, side: THREE.BackSide, depthWrite: false });
      const box = mesh.geometry instanceof THREE.BoxGeometry;
      material.onBeforeCompile = (shader) => {
        shader.uniforms["reach"] = size;
        // in the shape's own measure: scales are taken out of the way again
        shader.vertexShader = shader.vertexShader
          .replace("#include <common>", "#include <common>\nuniform float reach;")
          .replace(
            "#include <begin_vertex>",
            `#include <begin_vertex>
            vec3 size = vec3(length(instanceMatrix[0].xyz), length(instanceMatrix[1].xyz), length(instanceMatrix[2].xyz));
            transformed += ${box ? "sign(position)" : "normal"} * reach / max(size, vec3(1e-9));`,
          );
      };
      const shell = new THREE.InstancedMesh(mesh.geometry, material, mesh.count);
      shell.instanceMatrix = mesh.instanceMatrix;
      shell.frustumCulled = false;
      shell.renderOrder = 5;
      this.group.add(shell);
      return { mesh: shell, reach: size };
    });
    for (const shell of this.shells) {
      shell.mesh.visible = on;
      shell.reach.value = reach;
    }
  }

  /** The nearest body on a ray. */
  pick(ray: THREE.Raycaster): Pick | null {
    let best: Pick | null = null;
    for (const { mesh, body } of this.batches) {
      for (const hit of ray.intersectObject(mesh, false)) {
        if (hit.instanceId === undefined || (best && hit.distance >= best.distance)) continue;
        best = { body: body[hit.instanceId] as number, point: hit.point, distance: hit.distance };
      }
    }
    return best;
  }

  dispose(): void {
    for (const { mesh } of this.batches) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
    for (const { mesh } of this.shells ?? []) (mesh.material as THREE.Material).dispose();
    for (const material of this.materials) material.dispose();
    for (const { mesh } of this.grounds) mesh.geometry.dispose();
  }
}

/** Boxes and balls of all sizes are one batch each: unit shapes, scaled. */
function batchOf(shape: ShapeDescription, number: number): [string, [number, number, number]] {
  if (shape.kind === "box") return ["box", shape.size];
  if (shape.kind === "sphere") return ["sphere", [shape.radius, shape.radius, shape.radius]];
  return [`shape ${number}`, [1, 1, 1]];
}

/** The surface of a shape; of many balls each has fewer triangles, which nobody sees. */
function geometryOf(shape: ShapeDescription, count: number): THREE.BufferGeometry {
  switch (shape.kind) {
    case "box":
      return new THREE.BoxGeometry(1, 1, 1);
    case "sphere":
      return count > 400 ? new THREE.SphereGeometry(1, 14, 9) : new THREE.SphereGeometry(1, 28, 18);
    case "capsule":
      return new THREE.CapsuleGeometry(shape.radius, shape.length, 8, 24);
    case "mesh": {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.Float32BufferAttribute(shape.positions, 3));
      geometry.setIndex(shape.triangles);
      if (shape.normals.length === shape.positions.length) {
        geometry.setAttribute("normal", new THREE.Float32BufferAttribute(shape.normals, 3));
      } else {
        geometry.computeVertexNormals();
      }
      return geometry;
    }
    default:
      return new THREE.BufferGeometry();
  }
}

/** Darkens the edges of boxes a little, so that equal stones in a wall are told apart. */
function edged(material: THREE.MeshStandardMaterial): void {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nattribute vec3 extent;\nvarying vec3 vLocal;\nvarying vec3 vExtent;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvLocal = position * extent;\nvExtent = extent;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vLocal;\nvarying vec3 vExtent;")
      .replace(
        "#include <color_fragment>",
        `#include <color_fragment>
        vec3 inside = 0.5 * vExtent - abs(vLocal);
        float edge = max(min(inside.x, inside.y), min(max(inside.x, inside.y), inside.z));
        float least = min(vExtent.x, min(vExtent.y, vExtent.z));
        float width = max(0.035 * least, 0.9 * fwidth(edge));
        if (least > 0.0) diffuseColor.rgb *= mix(0.5, 1.0, smoothstep(0.0, width, edge));`,
      );
  };
}

/** matrix = pose of the body * place in the body * scale, column by column. */
function compose(
  out: Float32Array,
  o: number,
  pose: Float32Array,
  p: number,
  place: Float32Array,
  l: number,
  scale: Float32Array,
  s: number,
  ox: number,
  oy: number,
  oz: number,
): void {
  const px = pose[p] as number;
  const py = pose[p + 1] as number;
  const pz = pose[p + 2] as number;
  let x = pose[p + 3] as number;
  let y = pose[p + 4] as number;
  let z = pose[p + 5] as number;
  let w = pose[p + 6] as number;
  const lx = place[l] as number;
  const ly = place[l + 1] as number;
  const lz = place[l + 2] as number;
  // the offset, turned by the body's rotation: v + 2 q x (q x v + w v)
  const cx = y * lz - z * ly + w * lx;
  const cy = z * lx - x * lz + w * ly;
  const cz = x * ly - y * lx + w * lz;
  const tx = px + lx + 2 * (y * cz - z * cy);
  const ty = py + ly + 2 * (z * cx - x * cz);
  const tz = pz + lz + 2 * (x * cy - y * cx);
  const bx = place[l + 3] as number;
  const by = place[l + 4] as number;
  const bz = place[l + 5] as number;
  const bw = place[l + 6] as number;
  if (bw !== 1) {
    const [ax, ay, az, aw] = [x, y, z, w];
    x = aw * bx + ax * bw + ay * bz - az * by;
    y = aw * by - ax * bz + ay * bw + az * bx;
    z = aw * bz + ax * by - ay * bx + az * bw;
    w = aw * bw - ax * bx - ay * by - az * bz;
  }
  const sx = scale[s] as number;
  const sy = scale[s + 1] as number;
  const sz = scale[s + 2] as number;
  out[o] = (1 - 2 * (y * y + z * z)) * sx;
  out[o + 1] = 2 * (x * y + z * w) * sx;
  out[o + 2] = 2 * (x * z - y * w) * sx;
  out[o + 3] = 0;
  out[o + 4] = 2 * (x * y - z * w) * sy;
  out[o + 5] = (1 - 2 * (x * x + z * z)) * sy;
  out[o + 6] = 2 * (y * z + x * w) * sy;
  out[o + 7] = 0;
  out[o + 8] = 2 * (x * z + y * w) * sz;
  out[o + 9] = 2 * (y * z - x * w) * sz;
  out[o + 10] = (1 - 2 * (x * x + y * y)) * sz;
  out[o + 11] = 0;
  out[o + 12] = ox + tx;
  out[o + 13] = oy + ty;
  out[o + 14] = oz + tz;
  out[o + 15] = 1;
}
