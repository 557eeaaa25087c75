// Numbers as people read them.

const PREFIXES: [number, string][] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];

/** `x` with three digits and a prefix: 12.3 kJ. */
export function quantity(x: number, unit: string): string {
  if (!Number.isFinite(x)) return "?";
  const size = Math.abs(x);
  if (size < 1e-12) return `0 ${unit}`;
  const [factor, prefix] = PREFIXES.find(([factor]) => size >= factor) ?? [1e-9, "n"];
  return `${digits(x / factor)} ${prefix}${unit}`;
}

/** Three digits. */
export function digits(x: number): string {
  const size = Math.abs(x);
  if (size >= 100) return x.toFixed(0);
  if (size >= 10) return x.toFixed(1);
  return x.toFixed(2);
}

export function seconds(t: number): string {
  return `${t.toFixed(2)} s`;
}

export function vector(v: readonly number[], places = 3): string {
  return v.map((x) => x.toFixed(places)).join(", ");
}
