// Scores as they come, and when the cells of a run ended.

import { Chart } from "./chart.js";
import { Table, setText } from "./table.js";

const mostRows = 300; // of the table of scores; the filter finds the others
const byId = (id) => document.getElementById(id);
const count = (n) => new Intl.NumberFormat("en").format(n);

// words are the names of scores as reports have them.
const words = {
  test_at_best_validation: "At best validation",
  test_at_best_test: "At best test",
  test_at_end: "At end",
};

// scoreText writes a mean with four digits, and the deviation as exactly.
function scoreText(group, k) {
  const [mean, std] = [group.means[k], group.stds[k]];
  if (mean === null) return "–";
  const size = Math.floor(Math.log10(Math.abs(mean) || 1));
  const write = (x) => (size > 5 || size < -4 ? x.toExponential(3) : x.toFixed(Math.max(0, 3 - size)));
  return write(mean) + (std === null ? "" : ` ± ${write(std)}`);
}

const isNumber = (text) => text !== "" && !isNaN(text);

// labelText writes a label: words say what they are by themselves.
const labelText = (name, text) => (isNumber(text) ? `${name.replaceAll("_", " ")} ${Number(Number(text).toPrecision(6))}` : text);

const trouble = (group) =>
  [group.failed && `✕ ${count(group.failed)} failed`, group.incomplete && `◐ ${count(group.incomplete)} incomplete`].filter(Boolean).join(", ");

// Scores shows the scores of a run. ask(path) returns an answer of the server.
export class Scores {
  constructor(ask) {
    this.ask = ask;
    this.run = "";
    this.shape = "";
    byId("filter").addEventListener("input", () => this.show());
  }

  // update takes the scores of a run when they are others than those shown.
  async update(run) {
    if (run === null || (this.run === run.name && this.revision === run.revision)) return;
    let answer;
    try {
      answer = await this.ask(`scores.json?run=${encodeURIComponent(run.name)}`);
    } catch {
      return; // with the next state
    }
    this.run = run.name;
    this.revision = answer.revision;
    this.scores = answer;
    this.makeTable();
    this.show();
  }

  // makeTable makes the table where the columns are others than before.
  makeTable() {
    const { labels, scores, floor } = this.scores;
    const shape = JSON.stringify([labels, scores, floor]);
    if (shape === this.shape) return;
    this.shape = shape;
    byId("scores").replaceChildren();
    this.table = new Table(byId("scores"), "scores-title", [
      { head: "Data set", of: (g) => g.dataset, show: (g) => g.dataset || "–" },
      { head: "Method", of: (g) => g.method, show: (g) => g.method || "–" },
      ...(labels.length ? [{ head: "Setting", kind: "wide", of: (g) => this.settingOf(g), show: (g) => this.settingOf(g) || "–" }] : []),
      ...scores.map((name, k) => ({ head: words[name] ?? name, kind: "right", of: (g) => g.means[k] ?? Infinity, show: (g) => scoreText(g, k) })),
      ...(floor ? [{ head: floor, kind: "right", of: (g) => g.floor ?? Infinity, show: (g) => scoreText({ means: [g.floor], stds: [null] }, 0) }] : []),
      { head: "Metric", of: (g) => g.metric, show: (g) => g.metric || "–" },
      { head: "Ended", kind: "right", of: (g) => g.done, show: (g) => count(g.done) },
      { head: "Not ok", of: (g) => g.failed + g.incomplete, fill: (td, g) => { setText(td, trouble(g)); td.className = g.failed ? "bad" : "warn"; } },
    ], (g) => g.id, "No cell has scores yet.");
  }

  // settingOf writes the labels in which groups differ.
  settingOf(g) {
    return this.scores.labels.map((name, k) => labelText(name, g.labels[k])).filter(Boolean).join(", ");
  }

  nameOf(g) {
    return [g.dataset, g.method, this.settingOf(g)].filter(Boolean).join(", ");
  }

  show() {
    if (!this.scores) return;
    const wanted = byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.scores.groups.filter((g) => wanted.every((word) => this.nameOf(g).toLowerCase().includes(word)));
    this.table.update(found.slice(0, mostRows));
    const parts = [`${count(Math.min(found.length, mostRows))} of ${count(this.scores.groups.length)} groups of cells`];
    if (this.scores.left) parts.push(`${count(this.scores.left)} cells are in none of them`);
    setText(byId("scores-note"), this.scores.groups.length ? parts.join("; ") : "");
  }
}

const two = (n) => String(n).padStart(2, "0");

// clock writes a time of milliseconds: the time of the day, with the date where days
// are told apart, or the seconds where the minutes are not enough.
function clock(ms, span) {
  const d = new Date(ms);
  const day = `${two(d.getUTCMonth() + 1)}-${two(d.getUTCDate())} `;
  const time = `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}`;
  return (span > 86400e3 ? day : "") + time + (span < 600e3 ? `:${two(d.getUTCSeconds())}` : "");
}

// rounded are the lengths in milliseconds between marks of a time axis.
const rounded = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800].map((s) => s * 1000);

// History shows when the cells of a run ended.
export class History {
  constructor(duration) {
    this.duration = duration;
    this.chart = new Chart(byId("history"));
  }

  update(history) {
    if (!history?.counts?.length) {
      this.chart.clear();
      setText(byId("history-note"), "No cell has ended yet.");
      return;
    }
    const start = Date.parse(history.start);
    const last = Date.parse(history.last);
    const span = history.span * 1000;
    const end = start + span * Math.max(history.counts.length, 10);
    const stacks = history.counts.map((c) => [c.ok, c.incomplete, c.failed]);
    const most = Math.max(...stacks.map((s) => s[0] + s[1] + s[2]));
    const step = rounded.find((s) => (end - start) / s <= 8) ?? end - start;
    const marks = [];
    for (let at = Math.ceil(start / step) * step; at <= end; at += step) marks.push(at);
    const day = (ms) => new Date(ms).toISOString().slice(0, 19).replace("T", " ");
    setText(byId("history-note"), `First ${day(start)}, newest ${day(last)} UTC, ${this.duration(Math.max(0, last - start) / 1000)} between; a bar is ${this.duration(history.span)}, at most ${count(most)} cells.`);
    this.chart.draw({
      label: byId("history-note").textContent,
      x: { low: start, high: end, ticks: marks, text: (ms) => clock(ms, end - start), title: "UTC" },
      y: { low: 0, high: most, text: (n) => (Number.isInteger(n) ? count(n) : "") },
      paint: (add, at) => stacks.forEach((stack, i) => {
        const x = at.x(start + i * span);
        const width = Math.max(1, at.x(start + (i + 1) * span) - x - 0.5);
        let below = 0;
        stack.forEach((n, k) => {
          if (n === 0) return;
          add("rect", { class: ["ok", "incomplete", "failed"][k], x, width, y: at.y(below + n), height: at.y(below) - at.y(below + n) });
          below += n;
        });
      }),
    });
  }
}
