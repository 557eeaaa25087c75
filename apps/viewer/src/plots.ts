// Live plots: a few quantities over simulated time, of one or two runs.

import { element } from "./dom";
import { digits } from "./format";
import type { Frame, Numbers } from "./protocol";

interface Curve {
  name: string;
  value: (numbers: Numbers) => number;
  colour: string;
}

interface Chart {
  title: string;
  unit: string;
  logarithmic?: boolean;
  /** Whether no recording has it. */
  live?: boolean;
  curves: Curve[];
}

const CHARTS: Chart[] = [
  {
    title: "Energy",
    unit: "J",
    curves: [
      { name: "kinetic", value: (n) => n.kinetic, colour: "--plot-1" },
      { name: "potential", value: (n) => n.potential, colour: "--plot-2" },
      { name: "total", value: (n) => n.kinetic + n.potential, colour: "--plot-3" },
    ],
  },
  {
    title: "Deepest penetration",
    unit: "mm",
    curves: [{ name: "depth", value: (n) => 1e3 * n.penetration, colour: "--plot-1" }],
  },
  {
    title: "Contacts",
    unit: "",
    curves: [{ name: "points", value: (n) => n.contacts, colour: "--plot-2" }],
  },
  {
    title: "Step time",
    unit: "ms",
    curves: [
      { name: "collision", value: (n) => n.collisionMs, colour: "--plot-1" },
      { name: "dynamics", value: (n) => n.dynamicsMs, colour: "--plot-2" },
    ],
  },
  {
    title: "Residual of the solver",
    unit: "m/s",
    logarithmic: true,
    live: true,
    curves: [{ name: "approach speed", value: (n) => n.residual, colour: "--plot-1" }],
  },
];

/** Samples kept of each run; beyond, every second goes. */
const MOST = 4000;

class Series {
  times: number[] = [];
  numbers: Numbers[] = [];

  push(time: number, numbers: Numbers, recording: boolean): void {
    const last = this.times.at(-1);
    if (last !== undefined && time < last) {
      // time has gone back: what was recorded is known already, a run began again
      if (recording) return;
      this.clear();
    }
    if (last === time) return;
    this.times.push(time);
    this.numbers.push(numbers);
    if (this.times.length > MOST) {
      this.times = this.times.filter((_, k) => k % 2 === 0);
      this.numbers = this.numbers.filter((_, k) => k % 2 === 0);
    }
  }

  clear(): void {
    this.times = [];
    this.numbers = [];
  }
}

export class Plots {
  readonly box = element("div", { class: "plots" });
  readonly series: Series[] = [];
  private readonly canvases: HTMLCanvasElement[] = [];
  private readonly readings: HTMLElement[] = [];
  private shown = 0;
  private due = false;
  visible = false;

  constructor() {
    for (const chart of CHARTS) {
      const reading = element("span", { class: "reading" });
      const canvas = element("canvas", { role: "img", "aria-label": `${chart.title} over time` });
      const keys = chart.curves.length > 1 ? chart.curves : [];
      const legend = element(
        "span",
        { class: "keys" },
        ...keys.map((curve) => {
          const dot = element("i");
          dot.style.background = `var(${curve.colour})`;
          return element("span", {}, dot, curve.name);
        }),
      );
      const unit = chart.unit ? ` [${chart.unit}]` : "";
      const title = element("figcaption", {}, element("b", {}, chart.title + unit), legend, reading);
      this.box.append(element("figure", {}, title, canvas));
      this.canvases.push(canvas);
      this.readings.push(reading);
    }
  }

  /** Takes in a frame; of a recording everything is past. */
  frame(frame: Frame, recording: boolean): void {
    const series = (this.series[frame.session] ??= new Series());
    this.shown = frame.time;
    if (!frame.past || recording) series.push(frame.time, frame.numbers, recording);
    this.schedule();
  }

  /** Takes in a whole recording at once. */
  history(times: number[], numbers: Numbers[]): void {
    const series = (this.series[0] = new Series());
    times.forEach((time, k) => series.push(time, numbers[k] as Numbers, true));
    this.schedule();
  }

  /** Leaves out what is not known of a recording. */
  recorded(on: boolean): void {
    CHARTS.forEach((chart, k) => ((this.box.children[k] as HTMLElement).hidden = on && chart.live === true));
  }

  sessions(count: number): void {
    this.series.length = Math.min(this.series.length, count);
  }

  schedule(): void {
    if (this.due || !this.visible) return;
    this.due = true;
    // five times a second is enough to read
    setTimeout(() => {
      this.due = false;
      CHARTS.forEach((chart, k) => this.draw(chart, k));
    }, 200);
  }

  private draw(chart: Chart, k: number): void {
    const canvas = this.canvases[k] as HTMLCanvasElement;
    const ratio = Math.min(devicePixelRatio, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d");
    if (!pen) return;
    pen.scale(ratio, ratio);
    const style = getComputedStyle(canvas);
    const colour = (name: string): string => style.getPropertyValue(name).trim();

    let [low, high, end] = [Infinity, -Infinity, 0];
    const start = Math.min(...this.series.map((s) => s.times[0] ?? Infinity));
    const transform = (y: number): number => (chart.logarithmic ? Math.log10(Math.max(y, 1e-9)) : y);
    for (const series of this.series) {
      end = Math.max(end, series.times.at(-1) ?? 0);
      for (const numbers of series.numbers) {
        for (const curve of chart.curves) {
          const y = transform(curve.value(numbers));
          low = Math.min(low, y);
          high = Math.max(high, y);
        }
      }
    }
    if (!(high >= low)) return;
    if (!chart.logarithmic && low > 0) low = 0;
    if (high - low < 1e-12) high = low + 1;
    const left = 40;
    const at = (t: number, y: number): [number, number] => [
      left + ((width - left - 4) * (t - start)) / Math.max(end - start, 1e-9),
      height - 4 - ((height - 10) * (y - low)) / (high - low),
    ];

    pen.font = "10px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.strokeStyle = colour("--line");
    pen.fillStyle = colour("--faint");
    pen.lineWidth = 1;
    for (const y of [low, 0.5 * (low + high), high]) {
      const [, row] = at(start, y);
      pen.beginPath();
      pen.moveTo(left, Math.round(row) + 0.5);
      pen.lineTo(width - 4, Math.round(row) + 0.5);
      pen.stroke();
      const value = chart.logarithmic ? 10 ** y : y;
      pen.fillText(axis(value), left - 5, Math.min(Math.max(row, 6), height - 6));
    }
    this.series.forEach((series, session) => {
      pen.setLineDash(session === 0 ? [] : [4, 3]);
      for (const curve of chart.curves) {
        pen.strokeStyle = colour(curve.colour);
        pen.lineWidth = 1.6;
        pen.beginPath();
        series.times.forEach((t, i) => {
          const [x, y] = at(t, transform(curve.value(series.numbers[i] as Numbers)));
          if (i === 0) pen.moveTo(x, y);
          else pen.lineTo(x, y);
        });
        pen.stroke();
      }
    });
    pen.setLineDash([]);
    const [now] = at(Math.min(Math.max(this.shown, start), end), low);
    pen.strokeStyle = colour("--accent");
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(now, 4);
    pen.lineTo(now, height - 4);
    pen.stroke();

    const latest = this.series.map((series) => {
      const numbers = series.numbers.at(-1);
      const last = chart.curves.at(-1) as Curve;
      return numbers ? axis(last.value(numbers)) : "";
    });
    (this.readings[k] as HTMLElement).textContent = latest.join(" | ");
  }
}

function axis(x: number): string {
  const size = Math.abs(x);
  if (size === 0) return "0";
  if (size >= 1e9) return `${digits(x / 1e9)}G`;
  if (size >= 1e6) return `${digits(x / 1e6)}M`;
  if (size >= 1e4) return `${digits(x / 1e3)}k`;
  if (size < 1e-2) return x.toExponential(0);
  return digits(x);
}
