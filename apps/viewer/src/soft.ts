// Strands as tapered tubes and cloths as sheets, moved by writing into buffers in place.

import * as THREE from "three";
import type { Frame, SceneDescription, Vector } from "./protocol";

const HAIR: Vector = [0.195, 0.084, 0.037];
const FABRICS: Vector[] = [
  [0.069, 0.159, 0.376],
  [0.462, 0.084, 0.069],
  [0.584, 0.361, 0.07],
  [0.156, 0.275, 0.168],
];

export class Soft {
  readonly group = new THREE.Group();
  private readonly tubes: THREE.InstancedMesh | null;
  private readonly radii: Float32Array[];
  private readonly sheets: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>[];

  constructor(description: SceneDescription) {
    const segments = description.strands.reduce((sum, strand) => sum + Math.max(strand.points - 1, 0), 0);
    this.radii = description.strands.map((strand) => new Float32Array(strand.radii));
    this.tubes = segments > 0 ? this.makeTubes(description, segments) : null;
    this.sheets = description.cloths.map((cloth, k) => {
      const geometry = new THREE.BufferGeometry();
      const positions = new THREE.BufferAttribute(new Float32Array(3 * cloth.points), 3);
      positions.setUsage(THREE.DynamicDrawUsage);
      geometry.setAttribute("position", positions);
      geometry.setIndex(cloth.triangles);
      const [r, g, b] = cloth.colour ?? (FABRICS[k % FABRICS.length] as Vector);
      const material = new THREE.MeshStandardMaterial({ roughness: 0.9, side: THREE.DoubleSide });
      material.color.setRGB(r, g, b);
      const mesh = new THREE.Mesh(geometry, material);
      mesh.frustumCulled = false;
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      this.group.add(mesh);
      return mesh;
    });
  }

  private makeTubes(description: SceneDescription, segments: number): THREE.InstancedMesh {
    // a tube along y from 0 to 1; `taper` is the radius at its end over that at its beginning
    const geometry = new THREE.CylinderGeometry(1, 1, 1, 8, 1, true).translate(0, 0.5, 0);
    const taper = new Float32Array(segments).fill(1);
    geometry.setAttribute("taper", new THREE.InstancedBufferAttribute(taper, 1));
    const material = new THREE.MeshStandardMaterial({ roughness: 0.55 });
    material.onBeforeCompile = (shader) => {
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nattribute float taper;")
        .replace("#include <begin_vertex>", "#include <begin_vertex>\ntransformed.xz *= mix(1.0, taper, position.y);");
    };
    const mesh = new THREE.InstancedMesh(geometry, material, segments);
    mesh.frustumCulled = false;
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    const colours = new Float32Array(3 * segments);
    let k = 0;
    for (const strand of description.strands) {
      const colour = strand.colour ?? HAIR;
      for (let s = 0; s + 1 < strand.points; s++, k++) {
        const [a, b] = [strand.radii[s] ?? 0, strand.radii[s + 1] ?? 0];
        taper[k] = a > 0 ? b / a : 1;
        colours.set(colour, 3 * k);
      }
    }
    mesh.instanceColor = new THREE.InstancedBufferAttribute(colours, 3);
    this.group.add(mesh);
    return mesh;
  }

  /** Moves everything to where `frame` has it; no strand is drawn thinner than `least` [m]. */
  update(frame: Frame, least: number): void {
    const [ox, oy, oz] = frame.origin;
    if (this.tubes) {
      const out = this.tubes.instanceMatrix.array as Float32Array;
      let k = 0;
      frame.strands.forEach((points, which) => {
        const radii = this.radii[which];
        for (let s = 0; 3 * s + 5 < points.length && 16 * k + 15 < out.length; s++, k++) {
          segment(out, 16 * k, points, 3 * s, Math.max(radii?.[s] ?? 0, least), ox, oy, oz);
        }
      });
      this.tubes.instanceMatrix.needsUpdate = true;
    }
    this.sheets.forEach((mesh, k) => {
      const points = frame.cloths[k];
      const positions = mesh.geometry.getAttribute("position") as THREE.BufferAttribute;
      if (!points || points.length !== positions.array.length) return;
      (positions.array as Float32Array).set(points);
      positions.needsUpdate = true;
      mesh.position.set(ox, oy, oz);
      mesh.geometry.computeVertexNormals();
    });
  }

  dispose(): void {
    this.tubes?.geometry.dispose();
    (this.tubes?.material as THREE.Material | undefined)?.dispose();
    this.tubes?.dispose();
    for (const mesh of this.sheets) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
  }
}

/** The matrix of a unit tube laid from point `p` to the next. */
function segment(
  out: Float32Array,
  o: number,
  points: Float32Array,
  p: number,
  radius: number,
  ox: number,
  oy: number,
  oz: number,
): void {
  const [ax, ay, az] = [points[p] as number, points[p + 1] as number, points[p + 2] as number];
  const dx = (points[p + 3] as number) - ax;
  const dy = (points[p + 4] as number) - ay;
  const dz = (points[p + 5] as number) - az;
  const length = Math.hypot(dx, dy, dz) || 1e-9;
  // any direction across
  let [ux, uy, uz] = Math.abs(dy) < 0.9 * length ? [dz, 0, -dx] : [0, -dz, dy];
  const across = Math.hypot(ux, uy, uz) || 1;
  [ux, uy, uz] = [ux / across, uy / across, uz / across];
  const [vx, vy, vz] = [(uy * dz - uz * dy) / length, (uz * dx - ux * dz) / length, (ux * dy - uy * dx) / length];
  out[o] = ux * radius;
  out[o + 1] = uy * radius;
  out[o + 2] = uz * radius;
  out[o + 4] = dx;
  out[o + 5] = dy;
  out[o + 6] = dz;
  out[o + 8] = vx * radius;
  out[o + 9] = vy * radius;
  out[o + 10] = vz * radius;
  out[o + 12] = ox + ax;
  out[o + 13] = oy + ay;
  out[o + 14] = oz + az;
  out[o + 3] = out[o + 7] = out[o + 11] = 0;
  out[o + 15] = 1;
}
