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
