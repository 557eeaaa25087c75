// The stage: light, ground, camera and one or two runs side by side.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Arrows } from "./arrows";
import { Bodies } from "./bodies";
import { paint, type Legend, type Mode } from "./colours";
import { Axes, paintSoft } from "./inside";
import type { BodyDescription, Frame, SessionStatus, SceneDescription, Vector } from "./protocol";
import { Soft, SUN } from "./soft";

interface Look {
  background: number;
  fog: number;
  ground: number;
  sky: number;
  earth: number;
  ambient: number;
  sun: number;
}

const LOOKS: Record<"light" | "dark", Look> = {
  light: { background: 0xdfe5ea, fog: 0xdfe5ea, ground: 0xbdb7aa, sky: 0xe3ecff, earth: 0xa39682, ambient: 1.35, sun: 2.45 },
  dark: { background: 0x15191e, fog: 0x15191e, ground: 0x353a40, sky: 0x9db4d4, earth: 0x4a4238, ambient: 1.0, sun: 1.7 },
};

/** Width over height that the cameras of scenes are made for [1]. */
const WIDE = 1.6;

/** One run as it is shown. */
class SessionView {
  readonly scene = new THREE.Scene();
  readonly sun = new THREE.DirectionalLight(0xfff2df, 2.6);
  readonly sky = new THREE.HemisphereLight(0xdfeaff, 0x9a8c78, 1.5);
  /** From the eye: what is turned away from the sun has a shape too. */
  readonly lamp = new THREE.DirectionalLight(0xffffff, 0.55);
  readonly arrows = new Arrows();
  readonly axes = new Axes();
  bodies: Bodies | null = null;
  soft: Soft | null = null;
  floor: THREE.Mesh | null = null;
  description: SceneDescription | null = null;
  thrown = 0;
  frame: Frame | null = null;
  legend: Legend = [];
  /** How strands and cloths were coloured last. */
  private painted: Mode | null = null;

  constructor(readonly ground: THREE.MeshStandardMaterial) {
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.04;
    this.scene.add(this.sun, this.sun.target, this.sky, this.lamp, this.lamp.target, this.arrows.group, this.axes.lines);
  }

  /** A box on the floor: what most scenes are drawn with. Only to have its programs made; kept, so that they are. */
  specimen(): THREE.Object3D {
    const body: BodyDescription = { name: "", parts: [[0, 0, 0, 0, 0, 0, 0, 1]], colour: [1, 1, 1], motion: "dynamic", mass: 1, material: "" };
    return new THREE.Group().add(this.disc(), new Bodies([{ kind: "box", size: [1, 1, 1] }], [body], () => this.disc()).group);
  }

  /** Bodies that a finding names. */
  found: ReadonlySet<number> = new Set();

  describe(description: SceneDescription): void {
    this.description = description;
    this.thrown = 0;
    this.frame = null;
    this.soft?.dispose();
    if (this.soft) this.scene.remove(this.soft.group);
    this.soft = new Soft(description);
    this.painted = null;
    this.scene.add(this.soft.group);
    if (this.floor) this.scene.remove(this.floor);
    this.floor = null;
    if (description.floor !== null) {
      this.floor = this.disc();
      this.floor.position.y = description.floor - 0.002;
      this.scene.add(this.floor);
    }
    this.rebuild(description, []);
  }

  private disc(): THREE.Mesh {
    const mesh = new THREE.Mesh(new THREE.CircleGeometry(1, 64).rotateX(-Math.PI / 2), this.ground);
    mesh.scale.setScalar(4000);
    mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    return mesh;
  }

  private rebuild(description: SceneDescription, thrown: SessionStatus["thrown"]): void {
    this.bodies?.dispose();
    if (this.bodies) this.scene.remove(this.bodies.group);
    const shapes = [...description.shapes];
    const bodies = [...description.bodies];
    for (const one of thrown) {
      const first = shapes.length;
      shapes.push(...one.shapes);
      const parts = one.body.parts.map((part) => [part[0] + first, ...part.slice(1)] as typeof part);
      bodies.push({ ...one.body, parts });
    }
    this.bodies = new Bodies(shapes, bodies, () => this.disc());
    this.scene.add(this.bodies.group);
  }

  /** Takes in balls that were thrown, or are gone again. */
  throwIn(thrown: SessionStatus["thrown"]): void {
    if (!this.description || thrown.length === this.thrown) return;
    this.thrown = thrown.length;
    this.rebuild(this.description, thrown);
  }

  /** Shows `frame` from a camera that is `distance` away [m]. */
  show(frame: Frame, mode: Mode, chosen: number | null, distance: number): void {
    this.frame = frame;
    if (!this.bodies || !this.description) return;
    this.bodies.update(frame);
    this.legend = paint(mode, this.bodies.bodies, frame, this.bodies.colours);
    this.bodies.recolour(chosen, this.found);
    this.bodies.translucent(this.arrows.group.visible);
    // a hair is at least about a pixel wide, or it would be drawn as dots
    this.soft?.update(frame, 0.0006 * distance);
    if (this.soft && (mode !== "own" || mode !== this.painted)) {
      const soft = paintSoft(mode, this.description, frame);
      this.soft.recolour(soft);
      if (soft.legend.length > 0) this.legend = soft.legend;
      this.painted = mode;
    }
    this.arrows.update(frame, 0.055 * distance);
    this.axes.update(frame, 0.014 * distance);
  }

  /** Shows how far contact reaches: about bodies [m], and the outermost layer of cloth. */
  envelopes(on: boolean, reach: number): void {
    this.bodies?.envelopes(on, reach);
    if (this.soft) this.soft.hull.visible = on;
  }

  dispose(): void {
    this.bodies?.dispose();
    this.soft?.dispose();
    this.arrows.dispose();
    this.axes.dispose();
    this.sun.shadow.dispose();
  }
}

/** Something in a run: a body, a strand and a segment of it, or a cloth and a vertex of it. */
export interface Chosen {
  session: number;
  kind: "body" | "strand" | "cloth";
  index: number;
  part: number;
}

export interface Pick extends Chosen {
  point: THREE.Vector3;
  distance: number;
}

export class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly camera = new THREE.PerspectiveCamera(40, 1, 0.1, 1000);
  readonly controls: OrbitControls;
  readonly sessions: SessionView[] = [];
  /** Distance up to which bodies count as touching, by run [m]. */
  private readonly reach: number[] = [];
  mode: Mode = "own";
  chosen: Chosen | null = null;
  /** How many pictures of a frame have been drawn. */
  drawn = 0;
  /** Called when the camera has been moved. */
  onmove: () => void = () => undefined;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly ray = new THREE.Raycaster();
  private readonly grounds: THREE.MeshStandardMaterial[] = [];
  /** The first run's view, there before its scene, and what was compiled for it. */
  private readonly early = new SessionView(groundMaterial());
  private readonly specimen = this.early.specimen();
  private look: Look = LOOKS.light;
  private dirty = true;
  /** What tells that the last picture is done. */
  private fence: WebGLSync | null = null;
  /** Whether shadows are to be cast anew. */
  private stale = true;
  private home: { eye: Vector; target: Vector } | null = null;
  /** Whether the camera is where the scene has it. */
  private atHome = false;
  private shown = { arrows: false, axes: false, envelopes: false };

  constructor(readonly box: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    // shadows are cast anew when something has moved, not when the camera has
    this.renderer.shadowMap.autoUpdate = false;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 1.0;
    this.renderer.autoClear = false;
    // whoever asks for the errors of a program waits until it is made; where one fails, the tests see it missing
    this.renderer.debug.checkShaderErrors = false;
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "The scene in three dimensions");
    box.append(this.canvas);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = 0.995 * Math.PI;
    this.controls.addEventListener("change", () => {
      this.dirty = true;
      this.onmove();
    });
    this.controls.addEventListener("start", () => (this.atHome = false));
    new ResizeObserver(() => this.resize()).observe(box);
    // the programs of bodies and floor are made while the page waits for its scene
    this.dressSession(this.early);
    this.renderer.compile(this.specimen, this.camera, this.early.scene);
    const tick = (): void => {
      this.controls.update();
      // pictures that queue up before a slow card would only be late
      if (this.dirty && this.isDone()) this.draw();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  dress(theme: "light" | "dark"): void {
    this.look = LOOKS[theme];
    this.renderer.setClearColor(this.look.background);
    this.sessions.forEach((session) => this.dressSession(session));
    this.dirty = true;
  }

  private dressSession(session: SessionView): void {
    const { look } = this;
    session.scene.background = new THREE.Color(look.background);
    session.scene.fog = new THREE.Fog(look.fog, 1, 1000);
    session.sky.color.set(look.sky);
    session.sky.groundColor.set(look.earth);
    session.sky.intensity = look.ambient;
    session.sun.intensity = look.sun;
    session.ground.color.set(look.ground);
  }

  /** Makes as many views as there are runs. */
  private session(number: number): SessionView {
    while (this.sessions.length <= number) {
      const session = this.sessions.length === 0 ? this.early : new SessionView(groundMaterial());
      this.grounds.push(session.ground);
      this.sessions.push(session);
      this.dressSession(session);
    }
    return this.sessions[number] as SessionView;
  }

  describe(description: SceneDescription): void {
    const first = this.home === null;
    this.session(description.session).describe(description);
    if (description.session === 0) {
      this.camera.fov = description.camera.degrees;
      this.home = { eye: description.camera.eye, target: description.camera.target };
      if (first) this.goHome();
      this.camera.updateProjectionMatrix();
    }
    this.display(this.shown);
    this.dirty = this.stale = true;
  }

  status(sessions: SessionStatus[]): void {
    sessions.forEach((status, k) => {
      this.sessions[k]?.throwIn(status.thrown);
      const session = this.sessions[k];
      if (session) session.found = new Set(status.findings.flatMap((one) => (one.body === null ? [] : [one.body])));
      const solver = status.settings["solver"] as { rigid?: { tuning?: { envelope?: number } } } | undefined;
      this.reach[k] = solver?.rigid?.tuning?.envelope ?? 0.01;
      this.sessions[k]?.envelopes(this.shown.envelopes, this.reach[k] ?? 0.01);
    });
    while (this.sessions.length > Math.max(sessions.length, 1)) {
      this.sessions.pop()?.dispose();
      this.dirty = this.stale = true;
    }
    if (this.chosen && this.chosen.session >= this.sessions.length) this.chosen = null;
    this.resize();
  }

  frame(frame: Frame): void {
    const session = this.sessions[frame.session];
    if (!session || session.description?.epoch !== frame.epoch) return;
    this.show(session, frame);
  }

  private show(session: SessionView, frame: Frame): void {
    const own = this.chosen?.session === frame.session && this.chosen.kind === "body";
    const chosen = own && this.chosen ? this.chosen.index : null;
    session.show(frame, this.mode, chosen, this.distance());
    this.dirty = this.stale = true;
  }

  /** Shows the frames that are there in another way. */
  refresh(): void {
    for (const session of this.sessions) if (session.frame) this.show(session, session.frame);
    this.dirty = true;
  }

  /** Shows contacts with their forces, material frames, and how far contact reaches. */
  display(shown: { arrows: boolean; axes: boolean; envelopes: boolean }): void {
    this.shown = shown;
    this.sessions.forEach((session, k) => {
      session.arrows.group.visible = shown.arrows;
      session.axes.lines.visible = shown.axes;
      session.envelopes(shown.envelopes, this.reach[k] ?? 0.01);
    });
    this.refresh();
  }

  /** From the eye to what it looks at [m]. */
  distance(): number {
    return this.camera.position.distanceTo(this.controls.target);
  }

  /** To where the scene says; farther away where the picture is narrower than the scene's. */
  goHome(): void {
    if (!this.home) return;
    const { eye, target } = this.home;
    const back = Math.min(Math.max(WIDE / this.camera.aspect, 1), 2.5);
    this.lookFrom(eye.map((x, k) => (target[k] as number) + back * (x - (target[k] as number))) as Vector, target);
    this.atHome = true;
  }

  lookFrom(eye: Vector, target: Vector): void {
    this.atHome = false;
    this.camera.position.set(...eye);
    this.controls.target.set(...target);
    this.controls.update();
    this.dirty = true;
  }

  /** Turns the camera about its target, or closer (`zoom` below 1), by the keyboard. */
  nudge(turn: number, tilt: number, zoom: number): void {
    this.atHome = false;
    const away = this.camera.position.clone().sub(this.controls.target);
    const place = new THREE.Spherical().setFromVector3(away);
    place.theta += turn;
    place.phi = Math.min(Math.max(place.phi + tilt, 0.02), 0.98 * Math.PI);
    place.radius *= zoom;
    this.camera.position.copy(this.controls.target).add(new THREE.Vector3().setFromSpherical(place));
    this.controls.update();
    this.dirty = true;
    this.onmove();
  }

  /** Moves camera and target sideways and up, in parts of their distance. */
  shift(right: number, up: number): void {
    this.atHome = false;
    const step = this.distance();
    const side = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 0).multiplyScalar(right * step);
    side.y += up * step;
    this.camera.position.add(side);
    this.controls.target.add(side);
    this.controls.update();
    this.dirty = true;
    this.onmove();
  }

  /** Which run is at a pixel of the window, and its ray. */
  aim(x: number, y: number): { session: number; ray: THREE.Raycaster } {
    const rect = this.canvas.getBoundingClientRect();
    const width = rect.width / this.sessions.length;
    const session = Math.min(Math.max(Math.floor((x - rect.left) / width), 0), this.sessions.length - 1);
    const place = new THREE.Vector2(
      (2 * (x - rect.left - session * width)) / width - 1,
      1 - (2 * (y - rect.top)) / rect.height,
    );
    this.camera.updateMatrixWorld();
    this.ray.setFromCamera(place, this.camera);
    return { session, ray: this.ray };
  }

  /** The nearest thing at a pixel of the window. */
  pick(x: number, y: number): Pick | null {
    const { session, ray } = this.aim(x, y);
    const view = this.sessions[session];
    const body = view?.bodies?.pick(ray) ?? null;
    const soft = view?.soft?.pick(ray) ?? null;
    if (soft && (!body || soft.distance < body.distance)) return { ...soft, session };
    return body && { session, kind: "body", index: body.body, part: 0, point: body.point, distance: body.distance };
  }

  /** Pixel of the window at which a point of the world is seen. */
  project(point: Vector, session = 0): { x: number; y: number; inside: boolean } {
    // a camera that has been moved is asked before it has drawn
    this.camera.updateMatrixWorld();
    const rect = this.canvas.getBoundingClientRect();
    const p = new THREE.Vector3(...point).project(this.camera);
    const width = rect.width / this.sessions.length;
    return {
      x: rect.left + session * width + (0.5 + 0.5 * p.x) * width,
      y: rect.top + (0.5 - 0.5 * p.y) * rect.height,
      inside: Math.abs(p.x) <= 1 && Math.abs(p.y) <= 1 && p.z <= 1,
    };
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (width === 0 || height === 0) return;
    const aspect = width / Math.max(this.sessions.length, 1) / height;
    const size = this.renderer.getSize(new THREE.Vector2());
    if (size.x === width && size.y === height && this.camera.aspect === aspect) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
    if (this.atHome) this.goHome();
    this.dirty = true;
  }

  /** Draws now and gives the picture as a file. */
  async picture(): Promise<Blob | null> {
    this.draw();
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }

  private draw(): void {
    // before its first frame a scene is nowhere: a strand without length has no direction, and where pictures are
    // drawn in software a triangle without place takes seconds
    if (!this.sessions.some((session) => session.frame)) return;
    this.dirty = false;
    this.drawn++;
    const distance = this.distance();
    this.camera.near = Math.max(0.004 * distance, 1e-4);
    this.camera.far = 60 * distance + 100;
    this.camera.updateProjectionMatrix();
    const size = this.renderer.getSize(new THREE.Vector2());
    const width = size.x / Math.max(this.sessions.length, 1);
    this.renderer.setScissorTest(true);
    this.sessions.forEach((session, k) => {
      this.light(session, distance);
      this.renderer.shadowMap.needsUpdate = this.stale;
      this.renderer.setViewport(k * width, 0, width, size.y);
      this.renderer.setScissor(k * width, 0, width, size.y);
      this.renderer.clear();
      if (session.frame) this.renderer.render(session.scene, this.camera);
    });
    this.stale = false;
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    if (this.fence) gl.deleteSync(this.fence);
    this.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
  }

  /** Whether the last picture has been drawn to its end. */
  private isDone(): boolean {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    if (!this.fence || gl.isContextLost()) return true;
    return gl.getSyncParameter(this.fence, gl.SYNC_STATUS) === gl.SIGNALED;
  }

  /** The sun's shadow is sharpest where one looks; far things fade. */
  private light(session: SessionView, distance: number): void {
    const reach = 0.75 * distance;
    const { target } = this.controls;
    const camera = session.sun.shadow.camera;
    if (Math.abs(camera.right - reach) > 0.15 * reach || session.sun.target.position.distanceTo(target) > 0.1 * reach) {
      camera.left = camera.bottom = -reach;
      camera.right = camera.top = reach;
      camera.near = 0.1 * reach;
      camera.far = 6 * reach;
      camera.updateProjectionMatrix();
      session.sun.target.position.copy(target);
      session.sun.position.copy(target).addScaledVector(SUN, 3 * reach);
      session.sun.shadow.normalBias = 0.0012 * reach;
      this.stale = true;
    }
    session.lamp.position.copy(this.camera.position);
    session.lamp.target.position.copy(target);
    const fog = session.scene.fog as THREE.Fog;
    fog.near = 1.6 * distance;
    fog.far = 9 * distance;
    const spacing = 10 ** Math.floor(Math.log10(Math.max(distance, 1e-3) / 2.5));
    for (const ground of this.grounds) {
      const shader = ground.userData["uniforms"] as { spacing: THREE.IUniform<number> };
      shader.spacing.value = spacing;
    }
  }
}

/** The endless floor with soft lines; their distance is a power of ten that suits the view. */
function groundMaterial(): THREE.MeshStandardMaterial {
  const material = new THREE.MeshStandardMaterial({ roughness: 1, metalness: 0 });
  const uniforms = { spacing: { value: 1 } };
  material.userData["uniforms"] = uniforms;
  material.onBeforeCompile = (shader) => {
    shader.uniforms["spacing"] = uniforms.spacing;
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vGround;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvGround = position * length(modelMatrix[0].xyz);");
    shader.fragmentShader = shader.fragmentShader
      .replace(
        "#include <common>",
        `#include <common>
        varying vec3 vGround;
        uniform float spacing;
        float lines(vec2 p, float width) {
          vec2 w = fwidth(p) * width;
          vec2 d = abs(fract(p - 0.5) - 0.5);
          vec2 l = (1.0 - smoothstep(vec2(0.0), w, d)) * clamp(0.35 / (fwidth(p) * 4.0), 0.0, 1.0);
          return max(l.x, l.y);
        }`,
      )
      .replace(
        "#include <color_fragment>",
        `#include <color_fragment>
        float line = max(0.35 * lines(vGround.xz / spacing, 1.2), 0.6 * lines(vGround.xz / (10.0 * spacing), 1.4));
        diffuseColor.rgb *= 1.0 - 0.28 * line;`,
      );
  };
  return material;
}
