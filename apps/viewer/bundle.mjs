// Bundles src/ into dist/, the files that the program carries. The same input gives the same bytes.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";

const into = process.argv[2] ?? "dist";
await mkdir(into, { recursive: true });
await build({
  entryPoints: ["src/main.ts"],
  outfile: `${into}/app.js`,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "inline",
  logLevel: "warning",
});
await build({ entryPoints: ["src/style.css"], outfile: `${into}/style.css`, minify: true, logLevel: "warning" });
for (const file of ["index.html", "icon.svg"]) await copyFile(`src/${file}`, `${into}/${file}`);

// the page that `drystone export` fills: everything inside, and nothing may run but what was built here
const hash = async (file) => createHash("sha256").update(await readFile(`${into}/${file}`)).digest("base64");
let page = await readFile("src/page.html", "utf8");
for (const [name, file] of [["SCRIPT", "app.js"], ["STYLE", "style.css"]]) page = page.replace(`@${name}_HASH@`, await hash(file));
await writeFile(`${into}/page.html`, page);
