// A server of the built binary, and a browser that looks at it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";

export const TOKEN = "0123456789abcdef0123456789abcdef";

/** Starts `drystone view` and waits for its address. */
export async function serve(words = [], port = 0) {
  const child = spawn(process.env.DRYSTONE, ["view", ...words, "--no-open", "--token", TOKEN, "--port", String(port)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = await new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (data) => {
      said += data;
      const found = /http:\/\/\S+/.exec(said);
      if (found) resolve(found[0]);
    });
    child.stderr.on("data", (data) => (said += data));
    child.on("exit", () => reject(new Error(`drystone view has ended: ${said}`)));
  });
  const base = url.replace(/\?.*/, "");
  const stop = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      child.on("exit", resolve);
      child.kill("SIGKILL");
    });
  return { url, base, port: Number(new URL(url).port), stop };
}

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--use-gl=angle",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--ignore-gpu-blocklist",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
}

/** A page that fails the test if it complains, in a profile of its own or (`browser` is one) in a profile that is there. */
export async function open(browser, address, options = {}) {
  const fresh = () => browser.newContext({ viewport: { width: 1100, height: 700 }, colorScheme: "light", ...options });
  const context = "newContext" in browser ? await fresh() : browser;
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  page.complaints = [];
  page.on("console", (message) => {
    const text = message.text();
    // a line that is cut is what one of the tests is about; software drawing is slow, and says so
    const expected = /WebSocket connection|GPU stall|GL Driver Message|ERR_CONNECTION_REFUSED/.test(text);
    if (["error", "warning"].includes(message.type()) && !expected) page.complaints.push(text);
  });
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  await page.goto(address);
  return page;
}

/** Waits until the scene is drawn, and the camera has found its place. */
export async function drawn(page) {
  await page.waitForFunction(() => window.drystone?.stage.drawn > 0);
  const still = () => {
    const { camera } = window.drystone.stage;
    const now = [...camera.position, camera.aspect].join();
    const same = window.cameraBefore === now;
    window.cameraBefore = now;
    return same;
  };
  await page.waitForFunction(still, undefined, { polling: 120 });
}

/** Time, step and places of bodies as the engine has sent them. */
export function engine(page, session = 0) {
  return page.evaluate((session) => {
    const { frames, status, stage } = window.drystone;
    const frame = frames[session];
    const position = (i) => [0, 1, 2].map((k) => frame.poses[7 * i + k] + frame.origin[k]);
    return {
      time: frame.time,
      step: frame.step,
      playing: frame.playing,
      past: frame.past,
      reached: frame.reached,
      positions: Array.from({ length: frame.bodies }, (_, i) => position(i)),
      names: stage.sessions[session].bodies.bodies.map((body) => body.name),
      motions: stage.sessions[session].bodies.bodies.map((body) => body.motion),
      solver: status.sessions[session].settings.solver.rigid,
      sessions: status.sessions.length,
    };
  }, session);
}

/** Points of strands and cloths as the engine has sent them, with names, triangles and pins. */
export function soft(page) {
  return page.evaluate(() => {
    const { frames, stage } = window.drystone;
    const frame = frames[0];
    const { description } = stage.sessions[0];
    const points = (list) => Array.from({ length: list.length / 3 }, (_, k) => [0, 1, 2].map((c) => list[3 * k + c] + frame.origin[c]));
    const threes = (list) => Array.from({ length: list.length / 3 }, (_, k) => list.slice(3 * k, 3 * k + 3));
    return {
      strands: frame.strands.map(points),
      cloths: frame.cloths.map(points),
      triangles: description.cloths.map((cloth) => threes(cloth.triangles)),
      pinned: description.cloths.map((cloth) => cloth.pinned),
      names: { strands: description.strands.map((one) => one.name), cloths: description.cloths.map((one) => one.name) },
    };
  });
}

/** Waits for something to hold of the engine's state. */
export function until(page, condition, argument) {
  return page.waitForFunction(condition, argument, { polling: 50 });
}

/** Colours of the drawn picture at points of the window: red, green, blue each. */
export function pixels(page, points) {
  return page.evaluate(async (points) => {
    const { stage } = window.drystone;
    const bitmap = await createImageBitmap(await stage.picture());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    pen.drawImage(bitmap, 0, 0);
    const rect = stage.canvas.getBoundingClientRect();
    const scale = bitmap.width / rect.width;
    return points.map(({ x, y }) => {
      const at = [Math.round((x - rect.left) * scale), Math.round((y - rect.top) * scale)];
      return Array.from(pen.getImageData(at[0], at[1], 1, 1).data.slice(0, 3));
    });
  }, points);
}

/** Where points of the world are seen in the window. */
export function project(page, points, session = 0) {
  return page.evaluate(([points, session]) => points.map((p) => window.drystone.stage.project(p, session)), [points, session]);
}

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Closes a page that must not have complained. */
export async function finish(page) {
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

/** How many of `points` of the world stand out from the sky, which is at `sky` of the window; a line one pixel wide
 * may be in the pixel beside. */
export async function standOut(page, points, sky) {
  const places = (await project(page, points)).filter((place) => place.inside);
  const beside = [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]];
  const around = places.flatMap(({ x, y }) => beside.map(([dx, dy]) => ({ x: x + dx, y: y + dy })));
  const [background, ...seen] = await pixels(page, [sky, ...around]);
  const shown = (k) => beside.some((_, b) => apart(seen[beside.length * k + b], background) > 25);
  return { found: places.filter((_, k) => shown(k)).length, count: places.length, background };
}

export function apart(a, b) {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** A screenshot, if somebody wants them. */
export async function shot(page, name) {
  const folder = process.env.SHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png` });
}
