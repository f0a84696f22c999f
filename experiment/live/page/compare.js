import { Table, element, mark, setText } from "./table.js";
import "./theme.js";

const askAgain = 1000; // ms between two requests while a comparison is made
const mostRows = 300; // of a table
const byId = (id) => document.getElementById(id);
const count = (n) => new Intl.NumberFormat("en").format(n);
const letter = (i) => String.fromCharCode(65 + i);

// number writes a number with four digits, – for none.
const number = (x) => (x === null || x === undefined ? "–" : Number(x.toPrecision(4)).toString());
const method = { head: "Method", of: (x) => x.method ?? "", show: (x) => x.method ?? "all" };
const counted = (head, of) => ({ head, kind: "right", of, show: (x) => count(of(x)) });
const measured = (head, of) => ({ head, kind: "right", of: (x) => of(x) ?? Infinity, show: (x) => number(of(x)) });
const text = (head, of, kind = "") => ({ head, kind, of, show: (x) => of(x) || "–" });

async function askFor(path) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(15000) });
  if (!answer.ok) throw new Error((await answer.text()).trim() || `status ${answer.status}`);
  return answer.json();
}

function showHealth(message, bad) {
  setText(byId("health"), message);
  byId("health").classList.toggle("bad", bad);
}

// wanted are the runs that the address names, the baseline first.
const wanted = () => new URLSearchParams(location.hash.slice(1)).getAll("with");

function showSides(sides) {
  const [first, ...rest] = wanted();
  byId("baseline").replaceChildren(...sides.map((s) => element("option", { value: s.id }, sideText(s))));
  if (sides.some((s) => s.id === first)) byId("baseline").value = first;
  byId("others").replaceChildren(byId("others").firstElementChild, ...sides.map((s) => {
    const box = element("input", { type: "checkbox", value: s.id });
    box.checked = rest.includes(s.id);
    return element("label", {}, box, " ", sideText(s));
  }));
  if (sides.length < 2) setText(byId("progress-note"), "There are not two runs to compare: the server has fewer, and no folders were given (serve --results DIR).");
}

const sideText = (s) => s.name + (s.cells ? ` (${count(s.cells)} cells)` : "");

byId("sides").addEventListener("submit", (event) => {
  event.preventDefault();
  const ids = [byId("baseline").value, ...[...byId("others").querySelectorAll(":checked")].map((box) => box.value)];
  const hash = new URLSearchParams([...new Set(ids)].map((id) => ["with", id])).toString();
  if (location.hash.slice(1) === hash) compare();
  else location.hash = hash;
});
addEventListener("hashchange", compare);

let asked = 0; // the newest comparison that was asked for

async function compare() {
  const ids = wanted();
  const mine = ++asked;
  if (ids.length === 0) return;
  if (ids.length < 2) {
    setText(byId("progress-note"), "Choose another run to compare the baseline with.");
    return;
  }
  const query = new URLSearchParams(ids.map((id) => ["with", id]));
  for (;;) {
    let answer;
    try {
      answer = await askFor(`compare.json?${query}`);
    } catch (error) {
      answer = { state: "failed", error: error.message };
    }
    if (mine !== asked) return;
    byId("progress-note").classList.toggle("bad", answer.state === "failed");
    if (answer.state === "failed") setText(byId("progress-note"), answer.error);
    else if (answer.state === "done") show(answer.comparison);
    else setText(byId("progress-note"), answer.step);
    if (answer.state === "failed" || answer.state === "done") return;
    await new Promise((resume) => setTimeout(resume, askAgain));
  }
}

const failedOf = (r) => Object.entries(r.statuses).reduce((n, [status, cells]) => n + (status === "ok" || status === "incomplete" ? 0 : cells), 0);

const runs = new Table(byId("runs"), "compared-title", [
  text("", (r) => r.letter), text("Run or folder", (r) => r.dir, "wide"), text("Name", (r) => r.run),
  text("Computed by", (r) => r.versions.map((v) => v.version + (r.versions.length > 1 ? ` (${count(v.cells)})` : "")).join(", "), "wide"),
  counted("Cells", (r) => r.cells), counted("ok", (r) => r.statuses.ok), counted("Incomplete", (r) => r.statuses.incomplete),
  { head: "Failed", kind: "right", of: failedOf, fill: (td, r) => mark(td, count(failedOf(r)), failedOf(r) ? "bad" : "") },
  text("State", (r) => (r.ended ? "ended" : "has not ended")),
], (r) => r.letter, "No run.");

function show(comparison) {
  setText(byId("progress-note"), "Differences are the other run less A, ratios the other run to A.");
  runs.update(comparison.runs.map((r, i) => ({ ...r, letter: letter(i) })));
  byId("compared").hidden = byId("pairs").hidden = false;
  byId("pairs").replaceChildren();
  comparison.pairs.forEach((pair, i) => showPair(pair, letter(i + 1), comparison.rounding));
  document.title = `${comparison.runs.map((r) => r.dir).join(" – ")} – agepath`;
}

// showPair adds the tables of a pair of runs.
function showPair(pair, other, rounding) {
  const add = (title, items, columns, keyOf, note) => {
    if (items.length === 0) return;
    const id = `${other}-${title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
    const frame = element("div", { class: "frame fitting" });
    byId("pairs").append(element("section", { "aria-labelledby": id }, element("h2", { id }, `${title}: ${other} against A`),
      element("p", { class: "soft" }, note + (items.length > mostRows ? ` The first ${mostRows} of ${count(items.length)}.` : "")), frame));
    new Table(frame, id, columns, keyOf, "").update(items.slice(0, mostRows));
  };
  const notes = [...pair.notes];
  const n = pair.numbers;
  if (n.same && !n.within_rounding && !n.beyond_rounding) notes.push(`no number changed: all measures of ${count(n.same)} cells are equal bit for bit.`);
  byId("pairs").append(element("ul", { class: "soft" }, ...notes.map((note) => element("li", {}, `${other}: ${note}`))));
  add("Cells", pair.cells, [method, counted("Shared", (c) => c.shared), counted("Same labels", (c) => c.counterparts), counted("Only A", (c) => c.only_baseline), counted(`Only ${other}`, (c) => c.only_other)],
    (c) => c.method ?? "", "Shared cells have one identity; same labels with another identity are compared too.");

  const varied = settingsOf(pair.scores);
  const scores = pair.scores.map((s) => ({ ...s, where: whereOf(s, varied), differs: s.better + s.worse > 0 }));
  scores.sort((a, b) => b.differs - a.differs);
  const differ = scores.filter((s) => s.differs).length;
  add("Scores", scores, [
    text("Setting", (s) => s.where, "wide"), method, text("Score", (s) => s.score.replaceAll("_", " ")), text("Metric", (s) => s.metric), counted("Pairs", (s) => s.pairs),
    measured("A", (s) => s.baseline_mean), measured(other, (s) => s.other_mean),
    { head: `${other} − A`, kind: "right", of: (s) => s.other_mean - s.baseline_mean, fill: (td, s) => mark(td, number(s.other_mean - s.baseline_mean), s.worse > s.better ? "bad" : s.differs ? "good" : "") },
    counted("Better", (s) => s.better), counted("Worse", (s) => s.worse), measured("p", (s) => s.p), measured("p, Holm", (s) => s.p_holm),
  ], (s) => s.where + s.method + s.score + s.metric, `Means over the pairs of cells that are ok in both; ${count(differ)} of ${count(scores.length)} differ. p: Wilcoxon's signed-rank test.`);
  add("Numbers that changed", n.columns, [method, text("Column", (c) => c.column), counted("Cells", (c) => c.cells), counted("By rounding", (c) => c.within_rounding), counted("Beyond", (c) => c.beyond_rounding),
    measured("Farthest", (c) => c.farthest.distance), text("In cell", (c) => c.farthest.cell, "code")],
  (c) => `${c.method} ${c.column}`, `Of cells of equal identity ${count(n.same)} are equal bit for bit, ${count(n.within_rounding)} differ by rounding (${rounding} or less), ${count(n.beyond_rounding)} by more.`);
  add("Times", pair.times, [method, text("Time", (t) => ({ cpu_seconds: "processor", wall_seconds: "elapsed" })[t.column] ?? t.column), counted("Cells", (t) => t.cells),
    measured("A, s", (t) => t.baseline_seconds), measured(`${other}, s`, (t) => t.other_seconds), measured("Mean ratio", (t) => t.geometric_mean), measured("Median ratio", (t) => t.quantiles["quantile_0.5"])],
  (t) => `${t.method} ${t.column}`, `Ratios below 1: ${other} is faster. Cells that are one computation, taken over by the other run, are left out.`);
  add("Cells that ended otherwise", pair.failures, [text("Cell", (f) => f.cell, "code"), text("What", (f) => f.what, "wide"), text("A", (f) => f.baseline), text(other, (f) => f.other), text("Reason", (f) => f.error.split("\n")[0], "wide")],
    (f) => f.cell, pair.statuses.map((s) => `${count(s.cells)} ${s.baseline} in A, ${s.other} in ${other}`).join("; ") + ".");
}

// settingsOf returns the names of settings that scores differ in, beside the data set.
function settingsOf(scores) {
  const names = Object.keys(scores[0]?.setting ?? {}).filter((name) => name !== "dataset");
  return names.filter((name) => new Set(scores.map((s) => s.setting[name])).size > 1);
}

const whereOf = (score, varied) => [score.setting.dataset, ...varied.filter((name) => score.setting[name] !== null).map((name) => `${name.replaceAll("_", " ")} ${typeof score.setting[name] === "number" ? number(score.setting[name]) : score.setting[name]}`)].filter(Boolean).join(", ");

async function begin() {
  try {
    const { sides, version } = await askFor("sides.json");
    showHealth("", false);
    setText(byId("version"), `version ${version}`);
    showSides(sides);
  } catch (error) {
    showHealth(`no answer from this page's server (${error.message}); reload to try again`, true);
    return;
  }
  compare();
}

begin();
