// Strands as tapered tubes with round ends and cloths as sheets, moved by writing into buffers in place.

import * as THREE from "three";
import type { Paint } from "./inside";
import type { Frame, SceneDescription, Vector } from "./protocol";

const HAIR: Vector = [0.195, 0.084, 0.037];
const FABRICS: Vector[] = [
  [0.069, 0.159, 0.376],
  [0.462, 0.084, 0.069],
  [0.584, 0.361, 0.07],
  [0.156, 0.275, 0.168],
];

/** Where the light comes from. */
export const SUN = new THREE.Vector3(-0.62, 1.05, 0.55).normalize();

type Sheet = THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;

/** A segment of a strand or a vertex of a cloth under the pointer. */
export interface SoftPick {
  kind: "strand" | "cloth";
  index: number;
  part: number;
  point: THREE.Vector3;
  distance: number;
}

export class Soft {
  readonly group = new THREE.Group();
  /** The outermost layer about cloth, on both of its sides. */
  readonly hull = new THREE.Group();
  private readonly tubes: THREE.InstancedMesh | null;
  /** With ends that are seen, and without. */
  private readonly forms: [THREE.BufferGeometry, THREE.BufferGeometry] | null;
  private readonly radii: Float32Array[];
  private readonly thickest: number;
  private readonly sheets: Sheet[];
  private readonly hulls: THREE.Material[] = [];
  /** Mean length of the edges of each cloth when it was first seen [m]. */
  private readonly edges: number[] = [];
  /** Own colours: of each segment of all strands, and of each cloth. */
  private readonly own: Float32Array;
  private readonly fabrics: Vector[];
  private frame: Frame | null = null;
  private least = 0;

  constructor(description: SceneDescription) {
    const segments = description.strands.reduce((sum, strand) => sum + Math.max(strand.points - 1, 0), 0);
    this.radii = description.strands.map((strand) => new Float32Array(strand.radii));
    this.thickest = this.radii.reduce((most, list) => list.reduce((a, b) => Math.max(a, b), most), 0);
    this.own = new Float32Array(3 * segments);
    this.forms = segments > 0 ? [capsule(), tube()] : null;
    this.tubes = this.forms ? this.makeTubes(description, segments, this.forms) : null;
    this.fabrics = description.cloths.map((cloth, k) => cloth.colour ?? (FABRICS[k % FABRICS.length] as Vector));
    this.sheets = description.cloths.map((cloth) => this.makeSheet(cloth.points, cloth.triangles));
    const half = 0.5 * (description.thickness ?? 0);
    for (const sheet of this.sheets) for (const side of [half, -half]) this.addHull(sheet, side);
    this.hull.visible = false;
    this.group.add(this.hull);
  }

  private makeSheet(points: number, triangles: number[]): Sheet {
    const geometry = new THREE.BufferGeometry();
    // normals are there from the first: without them the sheet would be drawn in facets, and stay so
    for (const name of ["position", "normal", "color"]) {
      const attribute = new THREE.BufferAttribute(new Float32Array(3 * points), 3);
      geometry.setAttribute(name, attribute.setUsage(THREE.DynamicDrawUsage));
    }
    geometry.setIndex(triangles);
    const material = new THREE.MeshStandardMaterial({ roughness: 0.9, side: THREE.DoubleSide, vertexColors: true });
    // seen from the light a sheet begins a part of an edge later than it is: its triangles, flat where the
    // shading is round, would else lie in their own shadow; on both sides alike
    const chunk = THREE.ShaderChunk.shadowmap_vertex.replaceAll("shadowWorldNormal * directionalLightShadows[ i ].shadowNormalBias", "sunward");
    const sunward = { value: new THREE.Vector3() };
    material.userData["sunward"] = sunward;
    material.onBeforeCompile = (shader) => {
      shader.uniforms["sunward"] = sunward;
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nuniform vec3 sunward;")
        .replace("#include <shadowmap_vertex>", chunk);
      shader.fragmentShader = shader.fragmentShader.replace(
        "#include <color_fragment>",
        "#include <color_fragment>\nif (!gl_FrontFacing) diffuseColor.rgb *= 0.66;",
      );
    };
    const mesh = new THREE.Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    this.group.add(mesh);
    return mesh;
  }

  private addHull(sheet: Sheet, offset: number): void {
    const material = new THREE.MeshBasicMaterial({ color: 0x3d8fb5, transparent: true, opacity: 0.16, side: THREE.DoubleSide, depthWrite: false });
    material.onBeforeCompile = (shader) => {
      shader.uniforms["offset"] = { value: offset };
      // without light there are no normals in the shader, so they are asked for by name
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nuniform float offset;")
        .replace("#include <begin_vertex>", "#include <begin_vertex>\ntransformed += normal * offset;");
    };
    const mesh = new THREE.Mesh(sheet.geometry, material);
    mesh.frustumCulled = false;
    this.hulls.push(material);
    this.hull.add(mesh);
  }

  private makeTubes(description: SceneDescription, segments: number, forms: THREE.BufferGeometry[]): THREE.InstancedMesh {
    const taper = new Float32Array(segments).fill(1);
    const tapers = new THREE.InstancedBufferAttribute(taper, 1);
    for (const form of forms) form.setAttribute("taper", tapers);
    const material = new THREE.MeshStandardMaterial({ roughness: 0.55 });
    // `end.x` is how far along a point is, 0 or 1; `end.y` how far out of its end, in radii
    material.onBeforeCompile = (shader) => {
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nattribute float taper;\nattribute vec2 end;")
        .replace(
          "#include <beginnormal_vertex>",
          `#include <beginnormal_vertex>
          float slender = length(instanceMatrix[0].xyz) / length(instanceMatrix[1].xyz);
          objectNormal.y /= max(slender, 1e-6);`,
        )
        .replace(
          "#include <begin_vertex>",
          `#include <begin_vertex>
          float thick = mix(1.0, taper, end.x);
          transformed.xz *= thick;
          transformed.y = end.x + end.y * thick * length(instanceMatrix[0].xyz) / length(instanceMatrix[1].xyz);`,
        );
    };
    const mesh = new THREE.InstancedMesh(forms[0], material, segments);
    mesh.frustumCulled = false;
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    let k = 0;
    for (const strand of description.strands) {
      const colour = strand.colour ?? HAIR;
      for (let s = 0; s + 1 < strand.points; s++, k++) {
        const [a, b] = [strand.radii[s] ?? 0, strand.radii[s + 1] ?? 0];
        taper[k] = a > 0 ? b / a : 1;
        this.own.set(colour, 3 * k);
      }
    }
    mesh.instanceColor = new THREE.InstancedBufferAttribute(this.own.slice(), 3);
    mesh.instanceColor.setUsage(THREE.DynamicDrawUsage);
    this.group.add(mesh);
    return mesh;
  }

  /** Moves everything to where `frame` has it; no strand is drawn thinner than `least` [m]. */
  update(frame: Frame, least: number): void {
    this.frame = frame;
    this.least = least;
    const [ox, oy, oz] = frame.origin;
    if (this.tubes && this.forms) {
      // ends are seen where a tube is wider than a few pixels
      this.tubes.geometry = this.thickest > 2.5 * least ? this.forms[0] : this.forms[1];
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
      mesh.updateMatrixWorld();
      mesh.geometry.computeVertexNormals();
      mesh.geometry.boundingSphere = null;
      if (!this.edges[k]) {
        this.edges[k] = meanEdge(mesh.geometry);
        (mesh.material.userData["sunward"] as { value: THREE.Vector3 }).value.copy(SUN).multiplyScalar(0.4 * (this.edges[k] ?? 0));
      }
    });
    this.hull.position.set(ox, oy, oz);
  }

  /** Colours everything: as `paint` says, else as it is. */
  recolour(paint: Paint): void {
    const colours = this.tubes?.instanceColor;
    if (colours) {
      const [out, { strands }] = [colours.array as Float32Array, paint];
      out.set(this.own);
      if (strands?.length === out.length) strands.forEach((x, k) => x === x && (out[k] = x));
      colours.needsUpdate = true;
    }
    this.sheets.forEach((mesh, k) => {
      const attribute = mesh.geometry.getAttribute("color") as THREE.BufferAttribute;
      const out = attribute.array as Float32Array;
      const painted = paint.cloths?.[k];
      if (painted?.length === out.length) out.set(painted);
      else for (let i = 0; i < out.length; i += 3) out.set(this.fabrics[k] as Vector, i);
      attribute.needsUpdate = true;
    });
  }

  /** The nearest segment or vertex on a ray; thin strands are met from a few pixels away. */
  pick(ray: THREE.Raycaster): SoftPick | null {
    let best: SoftPick | null = null;
    this.sheets.forEach((mesh, index) => {
      const hit = ray.intersectObject(mesh, false)[0];
      if (!hit?.face || (best && hit.distance >= best.distance)) return;
      const { a, b, c } = hit.face;
      const positions = mesh.geometry.getAttribute("position") as THREE.BufferAttribute;
      const off = (v: number): number => new THREE.Vector3().fromBufferAttribute(positions, v).add(mesh.position).distanceTo(hit.point);
      const part = [a, b, c].reduce((near, v) => (off(v) < off(near) ? v : near));
      best = { kind: "cloth", index, part, point: hit.point, distance: hit.distance };
    });
    return this.pickStrand(ray, best);
  }

  private pickStrand(ray: THREE.Raycaster, before: SoftPick | null): SoftPick | null {
    const { frame } = this;
    let best = before;
    if (!frame) return best;
    const { origin, direction } = ray.ray;
    const [ex, ey, ez] = [origin.x - frame.origin[0], origin.y - frame.origin[1], origin.z - frame.origin[2]];
    let least = best ? best.distance : Infinity;
    frame.strands.forEach((points, index) => {
      const radii = this.radii[index];
      for (let s = 0; 3 * s + 5 < points.length; s++) {
        const p = 3 * s;
        const [ax, ay, az] = [(points[p] as number) - ex, (points[p + 1] as number) - ey, (points[p + 2] as number) - ez];
        const [dx, dy, dz] = [
          (points[p + 3] as number) - (points[p] as number),
          (points[p + 4] as number) - (points[p + 1] as number),
          (points[p + 5] as number) - (points[p + 2] as number),
        ];
        // both ends without their part along the ray: the nearest point of that shadow to the eye
        const [al, dl] = [
          ax * direction.x + ay * direction.y + az * direction.z,
          dx * direction.x + dy * direction.y + dz * direction.z,
        ];
        const [sx, sy, sz] = [ax - al * direction.x, ay - al * direction.y, az - al * direction.z];
        const [tx, ty, tz] = [dx - dl * direction.x, dy - dl * direction.y, dz - dl * direction.z];
        const long = tx * tx + ty * ty + tz * tz;
        const u = long > 0 ? Math.min(Math.max(-(sx * tx + sy * ty + sz * tz) / long, 0), 1) : 0;
        const away = al + u * dl;
        const gap = Math.hypot(sx + u * tx, sy + u * ty, sz + u * tz);
        const reach = Math.max(radii?.[s] ?? 0, 4 * this.least);
        if (away <= 0 || gap > reach) continue;
        // what is hit in its middle counts for nearer than what is just missed
        const score = away + 3 * gap;
        if (score >= least) continue;
        least = score;
        const point = new THREE.Vector3(ax + u * dx, ay + u * dy, az + u * dz).add(origin);
        best = { kind: "strand", index, part: s, point, distance: away };
      }
    });
    return best;
  }

  dispose(): void {
    this.forms?.forEach((form) => form.dispose());
    (this.tubes?.material as THREE.Material | undefined)?.dispose();
    this.tubes?.dispose();
    for (const mesh of this.sheets) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
    for (const material of this.hulls) material.dispose();
  }
}

function meanEdge(geometry: THREE.BufferGeometry): number {
  const [index, positions] = [geometry.getIndex(), geometry.getAttribute("position")];
  const count = Math.min(index?.count ?? 0, 600);
  const [a, b] = [new THREE.Vector3(), new THREE.Vector3()];
  let sum = 0;
  for (let k = 0; k + 1 < count; k++) {
    if (!index || k % 3 === 2) continue;
    sum += a.fromBufferAttribute(positions, index.getX(k)).distanceTo(b.fromBufferAttribute(positions, index.getX(k + 1)));
  }
  return sum / Math.max((2 * count) / 3, 1);
}

/** Rings of a unit tube along y: radius, place (0 or 1) and how far out of the end. */
function rings(list: [number, number, number][], sides: number): THREE.BufferGeometry {
  const [positions, normals, ends, index]: [number[], number[], number[], number[]] = [[], [], [], []];
  list.forEach(([radius, at, out], ring) => {
    for (let k = 0; k <= sides; k++) {
      const angle = (2 * Math.PI * k) / sides;
      const [x, z] = [Math.sin(angle), Math.cos(angle)];
      positions.push(radius * x, at, radius * z);
      normals.push(radius * x, out, radius * z);
      ends.push(at, out);
      const here = ring * (sides + 1) + k;
      if (ring > 0 && k < sides) {
        const below = here - sides - 1;
        index.push(below, below + 1, here, here, below + 1, here + 1);
      }
    }
  });
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new THREE.Float32BufferAttribute(normals, 3));
  geometry.setAttribute("end", new THREE.Float32BufferAttribute(ends, 2));
  geometry.setIndex(index);
  return geometry;
}

function tube(): THREE.BufferGeometry {
  return rings(
    [
      [1, 0, 0],
      [1, 1, 0],
    ],
    4,
  );
}

function capsule(): THREE.BufferGeometry {
  const half = Math.SQRT1_2;
  return rings(
    [
      [0, 0, -1],
      [half, 0, -half],
      [1, 0, 0],
      [1, 1, 0],
      [half, 1, half],
      [0, 1, 1],
    ],
    12,
  );
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
