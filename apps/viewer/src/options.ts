// Every value of a scene that can be changed while looking, with its documentation from the schema.

import { element } from "./dom";
import type { SessionStatus } from "./protocol";

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  $defs?: Record<string, Schema>;
}

type Change = (assignment: string) => void;

/** Top-level values that are worth a control; the rest is for the file. */
const SCENE = ["dt", "gravity", "duration", "frame_rate", "seed", "preset"];
const PRESETS = ["default", "paper", "repaired", "converged"];

export class Options {
  readonly box = element("div", { class: "options" });
  /** Asked for when first needed. */
  private schema: Promise<Schema> | null = null;
  private drawn = "";
  private readonly open = new Set<string>(["Method", "chosen"]);

  constructor(private readonly change: (session: number, assignment: string) => void) {}

  /** Draws the controls of run `session` again if its values are others than before. */
  async show(session: number, status: SessionStatus | undefined): Promise<void> {
    if (!status) return;
    const now = JSON.stringify([session, status.settings, status.sets]);
    if (now === this.drawn) return;
    this.drawn = now;
    this.schema ??= fetch("schema.json").then((answer) => answer.json() as Promise<Schema>);
    const root = await this.schema;
    if (this.drawn !== now) return;
    // whoever is typing keeps the control
    const active = document.activeElement;
    const key = active instanceof HTMLElement && this.box.contains(active) ? active.dataset["key"] : undefined;
    const resolve = (schema: Schema | undefined): Schema => resolved(root, schema);
    const change: Change = (assignment) => this.change(session, assignment);
    const settings = status.settings;
    const solver = ((settings["solver"] ?? {}) as { rigid?: Record<string, unknown> }).rigid ?? {};
    const changed = new Set(status.sets.map((set) => set.split("=")[0]?.trim()));
    const row = (path: string, schema: Schema, value: unknown): HTMLElement =>
      control(path, schema, resolve, value, change, changed.has(path));

    const sections: HTMLElement[] = [];
    const solverSchema = resolve(resolve(root.properties?.["solver"]).properties?.["rigid"]);
    const fields = Object.entries(solverSchema.properties ?? {});
    const simple = fields.filter(([name]) => !isTable(solver[name]));
    // the choice of the method first: the schema is in the order of the alphabet
    simple.sort(([a], [b]) => Number(b === "stepper") - Number(a === "stepper"));
    sections.push(
      this.section("Method", undefined, [
        ...simple.map(([name, schema]) => row(`solver.rigid.${name}`, schema, solver[name])),
      ]),
    );
    const stepper = String(solver["stepper"] ?? "").replace("pgs-projection", "pgs");
    const tables = fields.filter(([name]) => isTable(solver[name]));
    tables.sort(([a], [b]) => Number(b === stepper) - Number(a === stepper));
    for (const [name, schema] of tables) {
      const inner = resolve(schema);
      const values = solver[name] as Record<string, unknown>;
      const rows = Object.entries(inner.properties ?? {}).flatMap(([field, one]) => {
        const value = values[field];
        const path = `solver.rigid.${name}.${field}`;
        if (!isTable(value)) return [row(path, one, value)];
        return Object.entries(resolve(one).properties ?? {}).map(([deep, leaf]) =>
          row(`${path}.${deep}`, leaf, (value as Record<string, unknown>)[deep]),
        );
      });
      sections.push(this.section(name, schema.description ?? inner.description, rows, name === stepper));
    }
    sections.push(
      this.section(
        "Scene",
        undefined,
        SCENE.map((name) => row(name, root.properties?.[name] ?? {}, settings[name])),
      ),
    );
    const materials = Object.entries((settings["material"] ?? {}) as Record<string, Record<string, unknown>>);
    if (!materials.some(([name]) => name === "default")) materials.unshift(["default", { friction: 0.5, restitution: 0 }]);
    const material = resolve({ $ref: "#/$defs/Material" });
    sections.push(
      this.section(
        "Materials",
        root.properties?.["material"]?.description,
        materials.flatMap(([name, values]) =>
          Object.entries(values).map(([field, value]) =>
            row(`material.${name}.${field}`, material.properties?.[field] ?? {}, value),
          ),
        ),
      ),
    );
    sections.push(this.free(change));
    this.box.replaceChildren(...sections);
    if (key) this.box.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
  }

  private section(title: string, about: string | undefined, rows: HTMLElement[], chosen = false): HTMLElement {
    const name = chosen ? "chosen" : title;
    const made = element(
      "details",
      {
        open: this.open.has(name),
        ontoggle: (event: Event) => {
          if ((event.target as HTMLDetailsElement).open) this.open.add(name);
          else this.open.delete(name);
        },
      },
      element("summary", {}, chosen ? `${title} (in use)` : title),
      about ? element("p", { class: "about" }, about) : null,
      ...rows,
    );
    return made;
  }

  /** A line for any other value. */
  private free(change: Change): HTMLElement {
    const input = element("input", {
      type: "text",
      placeholder: "body.roof.mass=500",
      "aria-label": "Any other value, as KEY=VALUE",
      spellcheck: "false",
    });
    const form = element(
      "form",
      {
        class: "free",
        onsubmit: (event: Event) => {
          event.preventDefault();
          if (input.value.trim()) change(input.value.trim());
        },
      },
      input,
      element("button", { type: "submit" }, "Set"),
    );
    return this.section("Any other value", "What `--set` takes: a path into the scene and a value.", [form]);
  }
}

function isTable(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function resolved(root: Schema, schema: Schema | undefined): Schema {
  if (!schema) return {};
  const name = schema.$ref?.replace("#/$defs/", "");
  if (name) return { ...root.$defs?.[name], ...(schema.description ? { description: schema.description } : {}) };
  const several = schema.allOf ?? schema.anyOf?.filter((one) => one.type !== "null");
  if (several?.length === 1 && !schema.type) {
    return { ...resolved(root, several[0]), ...(schema.description ? { description: schema.description } : {}) };
  }
  return schema;
}

/** The choices of a schema: values with what they mean. */
function choices(schema: Schema): [string, string][] {
  if (schema.enum) return schema.enum.filter((one) => one !== null).map((one) => [String(one), ""]);
  const list = schema.oneOf ?? [];
  return list.flatMap((one): [string, string][] => {
    if (one.const !== undefined) return [[String(one.const), one.description ?? ""]];
    return (one.enum ?? []).map((value) => [String(value), one.description ?? ""]);
  });
}

function control(
  path: string,
  schema: Schema,
  resolve: (schema: Schema) => Schema,
  value: unknown,
  change: Change,
  changed: boolean,
): HTMLElement {
  const full = resolve(schema);
  const name = path.split(".").at(-1) ?? path;
  const label = path.startsWith("material.") ? path.split(".").slice(1).join(" ") : name.replaceAll("_", " ");
  const shared = { "data-key": path, id: `option-${path}` };
  const options = path === "preset" ? PRESETS.map((one): [string, string] => [one, ""]) : choices(full);
  let input: HTMLElement;
  if (options.length > 0) {
    const optional = value === null || value === undefined;
    const entries: [string, string][] = optional || path.endsWith("solver") ? [["", ""], ...options] : options;
    input = element(
      "select",
      {
        ...shared,
        onchange: (event: Event) => {
          const chosen = (event.target as HTMLSelectElement).value;
          if (chosen) change(`${path}="${chosen}"`);
        },
      },
      ...entries.map(([one, about]) =>
        element("option", { value: one, title: about, selected: one === String(value ?? "") }, one || "–"),
      ),
    );
  } else if (typeof value === "boolean") {
    input = element("input", {
      ...shared,
      type: "checkbox",
      checked: value,
      onchange: (event: Event) => change(`${path}=${(event.target as HTMLInputElement).checked}`),
    });
  } else {
    const number = typeof value === "number";
    const text = Array.isArray(value) ? `[${value.join(", ")}]` : value === null ? "" : String(value);
    input = element("input", {
      ...shared,
      type: number ? "number" : "text",
      step: number ? "any" : undefined,
      value: text,
      spellcheck: "false",
      onchange: (event: Event) => {
        const wanted = (event.target as HTMLInputElement).value.trim();
        if (wanted !== "") change(`${path}=${wanted}`);
      },
    });
  }
  const meaning = options.find(([one]) => one === value)?.[1];
  return element(
    "div",
    { class: changed ? "option changed" : "option" },
    element("label", { for: `option-${path}`, title: path }, label),
    input,
    full.description ? element("p", { class: "about" }, full.description) : null,
    meaning ? element("p", { class: "about" }, meaning) : null,
  );
}
