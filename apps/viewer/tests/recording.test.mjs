// Recordings in a real browser: scrubbed, exported, carried in a page of their own, and broken ones refused.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { drawn, engine, finish, launch, open, serve, shot, soft, standOut, until } from "./common.mjs";

let browser;
let server;
let folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "drystone-"));
  const run = (scene, seconds) =>
    execFileSync(process.env.DRYSTONE, ["run", scene, "--seconds", String(seconds), "--record", join(folder, `${scene}.drec`)], { stdio: "pipe" });
  run("box-stack-9", 1);
  run("lanterns", 0.5);
  run("curtain-small", 0.2);
  writeFileSync(join(folder, "garbage.drec"), "this is no recording\n".repeat(50));
  writeFileSync(join(folder, "cut.drec"), readFileSync(join(folder, "box-stack-9.drec")));
  truncateSync(join(folder, "cut.drec"), Math.floor(0.6 * readFileSync(join(folder, "cut.drec")).length));
  server = await serve([join(folder, "box-stack-9.drec")]);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Moves the slider to `time`. */
async function scrub(page, time) {
  await page.locator(".timeline").evaluate((line, time) => {
    line.value = String(time);
    line.dispatchEvent(new Event("input", { bubbles: true }));
    line.dispatchEvent(new Event("change", { bubbles: true }));
  }, time);
  await until(page, (time) => Math.abs(window.drystone.frames[0].time - time) < 0.021, time);
}

test("a recording is scrubbed to and fro, looped, and cannot be changed", async () => {
  const page = await open(browser, `${server.base}?scene=box-stack-9.drec&play=0`);
  await drawn(page);
  assert.equal(await page.evaluate(() => window.drystone.status.recording), true);
  const places = {};
  for (const time of [0.8, 0.2, 0.5, 0.2, 0.8]) {
    await scrub(page, time);
    const { positions } = await engine(page);
    if (places[time]) assert.deepEqual(positions, places[time]);
    places[time] = positions;
  }
  await page.keyboard.press("l");
  await page.keyboard.press("Space");
  await until(page, () => window.drystone.frames[0].time > 0.9);
  await until(page, () => window.drystone.frames[0].time < 0.3);
  await page.keyboard.press("b");
  await page.locator(".toast.there", { hasText: "recording" }).waitFor();
  await finish(page);
});

test("a recording that was cut off is shown as far as it goes, and garbage is refused in words", async () => {
  const cut = await open(browser, `${server.base}?scene=cut.drec&play=0`);
  await drawn(cut);
  const last = await cut.evaluate(() => window.drystone.frames[0].reached);
  assert.ok(last > 0 && last < 1, `ends at ${last} s`);
  await finish(cut);
  const page = await open(browser, `${server.base}?scene=garbage.drec`);
  await page.locator(".banner b").waitFor();
  assert.match(await page.locator(".banner").textContent(), /garbage\.drec/);
  await finish(page);
});

test("the page writes USD, glTF, a picture and a page that opens without a server", async () => {
  const page = await open(browser, `${server.base}?scene=box-stack-9.drec&play=0`);
  await drawn(page);
  const saved = async (name) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name, exact: true }).click()]);
    const path = join(folder, `saved-${download.suggestedFilename()}`);
    await download.saveAs(path);
    return path;
  };
  assert.match(readFileSync(await saved("USD"), "utf8"), /^#usda 1\.0/);
  assert.equal(readFileSync(await saved("glTF")).subarray(0, 4).toString(), "glTF");
  assert.equal(readFileSync(await saved("Save picture")).subarray(1, 4).toString(), "PNG");
  const own = await saved("Page");
  await finish(page);
  await opensAlone(own, 10);
});

/** Opens a page from the disk, plays and scrubs it, and looks for its bodies. */
async function opensAlone(path, bodies) {
  const asked = [];
  const page = await open(browser, pathToFileURL(path).href);
  page.on("request", (request) => asked.push(request.url()));
  await drawn(page);
  assert.equal((await engine(page)).positions.length, bodies);
  await until(page, () => window.drystone.frames[0].time > 0.1);
  await page.locator("canvas").first().focus();
  await page.keyboard.press("Space");
  const last = await page.evaluate(() => window.drystone.frames[0].reached);
  await scrub(page, 0.5 * last);
  const { positions, motions } = await engine(page);
  const { strands, cloths } = await soft(page);
  const points = [...positions.filter((_, i) => motions[i] === "dynamic"), ...strands.flat(), ...cloths.flat()];
  const box = await page.locator("canvas").first().boundingBox();
  const { found, count, background } = await standOut(page, points, { x: box.x + 8, y: box.y + 8 });
  assert.ok(count > 0 && found > 0.97 * count, `${found} of ${count} points stand out from ${background}`);
  // nothing was fetched, and no script but the page's own may run
  assert.deepEqual(asked.filter((url) => !/^(data|blob):/.test(url)), []);
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.intruder = true";
    document.body.append(script);
    return window.intruder === true;
  });
  assert.equal(ran, false, "the page's policy lets a foreign script run");
  page.complaints = page.complaints.filter((text) => !/Content Security Policy/.test(text));
  await shot(page, `alone-${bodies}-${strands.length}-${cloths.length}`);
  await finish(page);
}

test("a page that was sent shows what the recording has inside: layers, islands, forces, speeds and plots", async () => {
  const path = join(folder, "inside.html");
  execFileSync(process.env.DRYSTONE, ["export", join(folder, "box-stack-9.drec"), "-o", path], { stdio: "pipe" });
  const page = await open(browser, pathToFileURL(path).href);
  await drawn(page);
  await page.locator("canvas").first().focus();
  await page.keyboard.press("Space");
  await scrub(page, 0.8);
  const seen = await page.evaluate(() => {
    const { frames, stage } = window.drystone;
    const { graph, contacts, velocities, bodies } = frames[0];
    const described = stage.sessions[0].bodies.bodies;
    const weight = described.reduce((sum, body) => sum + (body.motion === "dynamic" ? 9.81 * body.mass : 0), 0);
    let carried = 0;
    for (let k = 0; k < contacts.count; k++) {
      const [a, b] = [contacts.words[10 * k], contacts.words[10 * k + 1]];
      const still = (i) => described[i].motion !== "dynamic";
      if (still(a) !== still(b)) carried += (still(a) ? 1 : -1) * contacts.floats[10 * k + 6];
    }
    return {
      heights: Array.from({ length: bodies }, (_, i) => graph[2 * i]),
      layers: Math.max(...Array.from({ length: contacts.count }, (_, k) => contacts.words[10 * k + 9])),
      carried: carried / weight,
      velocities: velocities.length / 6,
    };
  });
  // nine boxes, one on the other: what the ground gives carries them all
  assert.deepEqual(seen.heights, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.equal(seen.layers, 8);
  assert.equal(seen.velocities, 10);
  assert.ok(Math.abs(seen.carried - 1) < 0.02, `the ground carries ${seen.carried} of the weight`);
  const offered = await page.locator("#colour option:not([hidden])").evaluateAll((all) => all.map((one) => one.value));
  assert.deepEqual(offered, ["own", "layers", "islands", "speed"]);
  await page.getByLabel("Colours").selectOption("layers");
  await page.locator(".legend", { hasText: "9" }).waitFor();
  await page.getByLabel("Contacts and forces").check();
  const arrows = () => page.evaluate(() => window.drystone.stage.sessions[0].arrows.reference);
  assert.ok((await arrows()) > 0, `the longest arrow is of ${await arrows()} N`);
  await shot(page, "alone-inside");
  await page.getByRole("tab", { name: "Plots" }).click();
  const plotted = await page.evaluate(() => {
    const [{ times, numbers }] = window.drystone.plots.series;
    return { count: times.length, last: times.at(-1), carried: window.drystone.connection.times.length, contacts: Math.max(...numbers.map((n) => n.contacts)) };
  });
  assert.ok(plotted.count === plotted.carried && plotted.last > 0.98 && plotted.contacts > 20, JSON.stringify(plotted));
  assert.equal(await page.locator(".plots figure:visible").count(), 4);
  await page.waitForFunction(() => document.querySelector(".plots canvas").width > 300);
  await shot(page, "alone-plots");
  await finish(page);
});

for (const [scene, bodies] of [
  ["box-stack-9", 10],
  ["lanterns", 1],
  ["curtain-small", 1],
]) {
  test(`drystone export ${scene}.drec -o page.html opens from the disk and draws`, async () => {
    const path = join(folder, `${scene}.html`);
    execFileSync(process.env.DRYSTONE, ["export", join(folder, `${scene}.drec`), "-o", path], { stdio: "pipe" });
    await opensAlone(path, bodies);
  });
}
