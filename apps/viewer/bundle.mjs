// Bundles src/ into dist/, the files that the program carries. The same input gives the same bytes.
import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";

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
