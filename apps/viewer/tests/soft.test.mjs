// Strands and cloth in a real browser: drawn where the engine has them, seen inside, and moved by hand.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { apart, drawn, finish, launch, open, pixels, project, serve, shot, soft, standOut, until, wait } from "./common.mjs";

let browser;
let server;

before(async () => {
  server = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const scene = (query) => `${server.base}?${query}`;

/** A corner of the picture. */
async function corner(page) {
  const box = await page.locator("canvas").first().boundingBox();
  return { x: box.x + 12, y: box.y + 12 };
}

for (const [name, time] of [
  ["twisted-ring", 0],
  ["lanterns", 0.2],
  ["sludge", 0],
]) {
  test(`${name}: strands, chains and particles are drawn where the engine has them`, async () => {
    const page = await open(browser, scene(`scene=${name}&t=${time}`));
    await drawn(page);
    await until(page, (time) => window.drystone.frames[0].time >= time - 0.02, time);
    const { strands } = await soft(page);
    const middles = strands.flatMap((points) => points.slice(1).map((b, k) => b.map((x, c) => (x + points[k][c]) / 2)));
    const { found, count, background } = await standOut(page, middles, await corner(page));
    assert.ok(count >= 20 && found >= 0.97 * count, `${found} of ${count} stand out from ${background}`);
    await shot(page, name);
    await finish(page);
  });
}

for (const [name, time] of [
  ["reef-knot-small", 0.1],
  ["curtain-small", 0],
]) {
  test(`${name}: cloth is drawn where the engine has it`, async () => {
    const page = await open(browser, scene(`scene=${name}&t=${time}`));
    await drawn(page);
    await until(page, (time) => window.drystone.frames[0].time >= time - 0.02, time);
    const { cloths, triangles } = await soft(page);
    const middles = cloths.flatMap((points, k) =>
      triangles[k].map((corners) => [0, 1, 2].map((c) => corners.reduce((sum, v) => sum + points[v][c] / 3, 0))),
    );
    const { found, count, background } = await standOut(page, middles, await corner(page));
    assert.ok(count >= 100 && found >= 0.97 * count, `${found} of ${count} stand out from ${background}`);
    await shot(page, name);
    await finish(page);
  });
}

test("both sides of a cloth are lit, and its shading is round", async () => {
  const page = await open(browser, scene("scene=curtain-small&play=0"));
  await drawn(page);
  const look = async (z) => {
    await page.evaluate((z) => window.drystone.stage.lookFrom([0.1, 0.7, z], [0, 0.7, 0]), z);
    await wait(200);
    const points = [[0.2, 0.5, z > 0 ? 0.15 : -0.15]];
    return (await pixels(page, await project(page, points)))[0];
  };
  for (const z of [-4, 4]) {
    const [red, green, blue] = await look(z);
    assert.ok(red > 55 && red > blue + 15, `from z = ${z} m: ${[red, green, blue]}`);
  }
  const normals = await page.evaluate(() => {
    const mesh = window.drystone.stage.sessions[0].soft.group.children.find((child) => child.geometry?.index);
    return Array.from(mesh.geometry.getAttribute("normal").array.slice(0, 3));
  });
  assert.ok(Math.abs(Math.hypot(...normals) - 1) < 1e-3, `${normals}`);
  await finish(page);
});

test("time steps and penalty layers of cloth are seen as colours with a legend", async () => {
  const page = await open(browser, scene("scene=cloth-on-sphere&t=0.6"));
  await until(page, () => window.drystone?.frames[0]?.time > 0.58);
  await page.getByLabel("Colours").selectOption("penalty");
  await until(page, () => window.drystone.frames[0].layers?.[0]?.some((x, k) => k % 2 === 1 && x > 0));
  await page.locator(".legend", { hasText: "1 layer" }).waitFor();
  const painted = await page.evaluate(() => {
    const { frames, stage } = window.drystone;
    const layers = frames[0].layers[0];
    const mesh = stage.sessions[0].soft.group.children.find((child) => child.geometry?.index);
    const colours = mesh.geometry.getAttribute("color").array;
    const of = (v) => Array.from(colours.slice(3 * v, 3 * v + 3));
    let [most, none] = [0, 0];
    for (let v = 0; 2 * v < layers.length; v++) {
      if (layers[2 * v + 1] > layers[2 * most + 1]) most = v;
      if (layers[2 * v + 1] === 0) none = v;
    }
    return { most: of(most), none: of(none), layers: [layers[2 * most + 1], layers[2 * none + 1]] };
  });
  assert.ok(painted.layers[0] > 0 && painted.layers[1] === 0, `${painted.layers}`);
  assert.ok(apart(painted.most, painted.none) > 0.2, JSON.stringify(painted));
  await shot(page, "penalty-layers");
  await page.locator("canvas").first().focus();
  await page.getByLabel("Colours").selectOption("clock");
  await page.locator(".legend", { hasText: "µs" }).first().waitFor();
  await shot(page, "time-steps");
  await finish(page);
});

test("time steps and penalty layers of particles and chains are seen as colours with a legend", async () => {
  const page = await open(browser, scene("scene=sludge&t=0.9"));
  await until(page, () => window.drystone?.frames[0]?.time > 0.88);
  await page.getByLabel("Colours").selectOption("penalty");
  await until(page, () => window.drystone.frames[0].chainLayers?.some((list) => list[1] > 0));
  await page.locator(".legend", { hasText: "1 layer" }).waitFor();
  const painted = await page.evaluate(() => {
    const { frames, stage } = window.drystone;
    const colours = stage.sessions[0].soft.group.children.find((child) => child.instanceColor).instanceColor.array;
    let segment = 0;
    const found = frames[0].strands.map((points, which) => {
      const first = segment;
      segment += points.length / 3 - 1;
      return { layers: frames[0].chainLayers[which][1], colour: Array.from(colours.slice(3 * first, 3 * first + 3)) };
    });
    return found.filter((_, which) => stage.sessions[0].description.strands[which].kind === "particle");
  });
  const [free, pressed] = [painted.filter((one) => one.layers === 0), painted.filter((one) => one.layers > 0)];
  assert.ok(free.length > 0 && pressed.length > 0, `${free.length} particles are free, ${pressed.length} are not`);
  const grey = free[0].colour;
  assert.ok(free.every((one) => apart(one.colour, grey) < 1e-6), JSON.stringify(free));
  assert.ok(pressed.every((one) => apart(one.colour, grey) > 0.05), JSON.stringify(pressed));
  await shot(page, "sludge-layers");
  await page.getByLabel("Colours").selectOption("clock");
  await page.locator(".legend", { hasText: "s" }).first().waitFor();
  await shot(page, "sludge-steps");
  await finish(page);
});

test("twist, material frames and contacts of strands are seen, each with its key", async () => {
  const page = await open(browser, scene("scene=twisted-ring&t=1"));
  await until(page, () => window.drystone?.frames[0]?.time > 0.98);
  await page.locator("canvas").first().focus();
  await page.keyboard.press("c");
  assert.equal(await page.getByLabel("Colours").inputValue(), "twist");
  await until(page, () => window.drystone.frames[0].frames !== null);
  await page.locator(".legend", { hasText: "rad/m" }).first().waitFor();
  await page.keyboard.press("m");
  const segments = await page.evaluate(() => window.drystone.frames[0].frames[0].length / 5);
  await until(page, (segments) => {
    const { lines } = window.drystone.stage.sessions[0].axes;
    return lines.visible && lines.geometry.drawRange.count === 4 * segments;
  }, segments);
  await shot(page, "twist-and-frames");
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("material frames of strands").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await finish(page);

  const hair = await open(browser, scene("scene=long-hair&t=0.1"));
  await until(hair, () => window.drystone?.frames[0]?.time > 0.08);
  await hair.getByLabel("Contacts and forces").check();
  await until(hair, () => {
    const { contacts, bodies } = window.drystone.frames[0];
    return contacts && Array.from({ length: contacts.count }, (_, k) => contacts.words[10 * k + 1]).some((b) => b >= bodies);
  });
  await shot(hair, "strand-contacts");
  await finish(hair);
});

test("envelopes of bodies and of cloth are shown by key E", async () => {
  const page = await open(browser, scene("scene=cloth-on-sphere&play=0"));
  await drawn(page);
  await page.locator("canvas").first().focus();
  await page.keyboard.press("e");
  const shown = () => page.evaluate(() => window.drystone.stage.sessions[0].soft.hull.visible);
  assert.equal(await shown(), true);
  assert.ok(await page.getByLabel("Envelopes").isChecked());
  await page.keyboard.press("e");
  assert.equal(await shown(), false);
  await finish(page);
});

test("a click on a strand or a cloth tells its state", async () => {
  const page = await open(browser, scene("scene=lanterns&play=0"));
  await drawn(page);
  const { strands, names } = await soft(page);
  const points = strands[0];
  const [place] = await project(page, [points[1].map((x, c) => (x + points[0][c]) / 2)]);
  await page.mouse.move(place.x, place.y);
  await page.locator(".tip.there", { hasText: names.strands[0] }).waitFor();
  await page.mouse.click(place.x, place.y);
  await page.getByRole("heading", { name: names.strands[0], exact: true }).waitFor();
  await page.getByText("twist root to tip", { exact: false }).waitFor();
  await finish(page);

  const cloth = await open(browser, scene("scene=curtain-small&play=0&set=seed%3D9"));
  await drawn(cloth);
  const inside = await soft(cloth);
  const [vertex] = await project(cloth, [inside.cloths[0][50]]);
  await cloth.mouse.click(vertex.x, vertex.y);
  await cloth.getByRole("heading", { name: /^curtain-\d$/ }).waitFor();
  await cloth.getByText("active layers", { exact: false }).waitFor();
  await finish(cloth);
});

/** Presses at `from`, moves to `to`, lets time run, and waits for `moved` to hold of the engine. Time runs only then:
 * where pictures are slow, a short scene would be over before the pointer has come anywhere. */
async function dragged(page, from, to, moved, argument) {
  await page.keyboard.press("2");
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await wait(300);
  await page.keyboard.press("Space");
  await until(page, moved, argument);
  await page.mouse.up();
}

test("the root of a strand follows the pointer", async () => {
  const page = await open(browser, scene("scene=cantilever&play=0"));
  await drawn(page);
  const { strands } = await soft(page);
  const root = strands[0][0];
  const near = strands[0][1].map((x, c) => 0.7 * root[c] + 0.3 * x);
  const size = Math.hypot(...strands[0].at(-1).map((x, c) => x - root[c]));
  const [from, to] = await project(page, [near, [near[0], near[1] + 0.3 * size, near[2]]]);
  await page.locator("canvas").first().focus();
  await dragged(
    page,
    from,
    to,
    ([y, rise]) => {
      const frame = window.drystone.frames[0];
      return frame.strands[0][1] + frame.origin[1] > y + rise;
    },
    [root[1], 0.2 * size],
  );
  await finish(page);
});

test("a pin of a curtain follows the pointer, and the particle pokes it", async () => {
  const page = await open(browser, scene("scene=curtain-small&play=0&set=seed%3D11"));
  await drawn(page);
  const { cloths, pinned } = await soft(page);
  const pin = pinned[0][Math.floor(pinned[0].length / 2)];
  const at = cloths[0][pin];
  const [from, to] = await project(page, [[at[0], at[1] - 0.01, at[2]], [at[0], at[1] + 0.3, at[2]]]);
  await page.locator("canvas").first().focus();
  await dragged(
    page,
    from,
    to,
    ([pin, y]) => {
      const frame = window.drystone.frames[0];
      return frame.cloths[0][3 * pin + 1] + frame.origin[1] > y + 0.15;
    },
    [pin, at[1]],
  );
  await finish(page);

  const poke = await open(browser, scene("scene=curtain-small&play=0&set=seed%3D12"));
  await drawn(poke);
  await poke.evaluate(() => window.drystone.stage.lookFrom([5, 1, -0.4], [0, 0.6, -0.4]));
  await wait(200);
  const place = await poke.evaluate(() => {
    const { frames, stage } = window.drystone;
    const body = stage.sessions[0].bodies.bodies.findIndex((one) => one.name === "particle");
    return { body, at: [0, 1, 2].map((c) => frames[0].poses[7 * body + c] + frames[0].origin[c]) };
  });
  const [start, end] = await project(poke, [place.at, [place.at[0], place.at[1], place.at[2] + 1.15]]);
  await poke.locator("canvas").first().focus();
  await dragged(
    poke,
    start,
    end,
    ([body, z]) => {
      const { poses, origin, cloths, time } = window.drystone.frames[0];
      let most = -Infinity;
      for (let v = 0; 3 * v < cloths[0].length; v++) most = Math.max(most, cloths[0][3 * v + 2] + origin[2]);
      // by hand, and before its own path would take it there
      return time < 0.95 && poses[7 * body + 2] + origin[2] > z + 1 && most > -0.1;
    },
    [place.body, place.at[2]],
  );
  await shot(poke, "poke");
  await finish(poke);
});
