// Charts in SVG whose texts keep their size at every width: they are drawn anew when
// their frame changes its width.

const height = 240;
const margin = { left: 62, right: 12, top: 10, bottom: 40 };

function shape(tag, attributes, text) {
  const e = document.createElementNS(document.querySelector("svg").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  if (text !== undefined) e.textContent = text;
  return e;
}

// ticks returns at most about n round numbers between low and high.
export function ticks(low, high, n, steps = [1, 2, 5]) {
  if (!(high > low)) return [low];
  const least = (high - low) / n;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [...steps, 10].map((s) => s * power).find((s) => s >= least) ?? 10 * power;
  const list = [];
  for (let k = Math.ceil(low / step); k * step <= high + step / 1e6; k++) list.push(Number((k * step).toPrecision(12)));
  return list;
}

const short = (x) => (x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e5) ? x.toExponential(2).replace(/\.?0+e/, "e") : String(Number(x.toPrecision(4))));

// A Chart is drawn into the svg of a frame. draw takes {label, x, y, paint}: x and y are
// {low, high, ticks, text, title}, paint(add, at) adds shapes by what at.x and
// at.y make of numbers.
export class Chart {
  constructor(frame) {
    this.frame = frame;
    this.svg = frame.querySelector("svg");
    this.svg.setAttribute("height", height);
    new ResizeObserver(() => this.show()).observe(frame);
  }

  draw(plan) {
    this.plan = plan;
    this.show();
  }

  show() {
    const width = this.frame.clientWidth;
    const { plan, svg } = this;
    if (!plan || width === 0) return;
    svg.setAttribute("width", width);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("aria-label", plan.label);
    svg.replaceChildren();
    const right = width - margin.right;
    const bottom = height - margin.bottom;
    const scale = (axis, from, to) => (x) => from + ((to - from) * (x - axis.low)) / (axis.high - axis.low || 1);
    const at = { x: scale(plan.x, margin.left, right), y: scale(plan.y, bottom, margin.top), bottom };
    const add = (tag, attributes, text) => svg.append(shape(tag, attributes, text));
    for (const y of plan.y.ticks ?? ticks(plan.y.low, plan.y.high, 5)) {
      add("line", { class: "rule", x1: margin.left, x2: right, y1: at.y(y), y2: at.y(y) });
      add("text", { x: margin.left - 6, y: at.y(y) + 4, "text-anchor": "end" }, (plan.y.text ?? short)(y));
    }
    const across = plan.x.ticks ?? ticks(plan.x.low, plan.x.high, Math.max(2, width / 130));
    let free = -Infinity;
    for (const x of across) {
      add("line", { class: "tick", x1: at.x(x), x2: at.x(x), y1: bottom, y2: bottom + 5 });
      const text = (plan.x.text ?? short)(x);
      const half = 4 * text.length;
      if (at.x(x) - half < free || at.x(x) + half > width) continue;
      free = at.x(x) + half + 6;
      add("text", { x: at.x(x), y: bottom + 18, "text-anchor": "middle" }, text);
    }
    add("line", { class: "tick", x1: margin.left, x2: right, y1: bottom, y2: bottom });
    add("text", { class: "title", x: right, y: height - 4, "text-anchor": "end" }, plan.x.title);
    plan.paint(add, at);
  }

  clear() {
    this.plan = null;
    this.svg.replaceChildren();
  }
}
