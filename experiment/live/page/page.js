import { Answer } from "./answer.js";
import { Table, element, mark, setText } from "./table.js";
import "./theme.js";

const every = 2000; // ms between two requests
const waitMost = 15000; // ms an answer may take
const speakEvery = 20000; // ms between two spoken messages
const byId = (id) => document.getElementById(id);

const grouped = new Intl.NumberFormat("en");
const count = (n) => grouped.format(n);

function percent(share) {
  if (share > 0 && share < 0.01) return "< 1 %";
  if (share < 1 && share > 0.99) return "> 99 %";
  return `${Math.round(share * 100)} %`;
}

// duration puts seconds into words with at most two units.
function duration(seconds) {
  if (seconds < 0.001) return "< 1 ms";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const hours = Math.round(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

function rate(perSecond) {
  return perSecond >= 100 ? count(Math.round(perSecond)) : perSecond.toPrecision(2);
}

function bytes(n) {
  if (n === null) return "–";
  return n < 1 << 30 ? `${Math.round(n / (1 << 20))} MiB` : `${(n / (1 << 30)).toFixed(1)} GiB`;
}

// fillMessage shows the first line of a message and hides the others, such as a
// stack, behind it.
function fillMessage(td, text) {
  if (td.dataset.text === text) return;
  td.dataset.text = text;
  const at = text.indexOf("\n");
  if (at < 0) td.replaceChildren(text);
  else td.replaceChildren(element("details", {}, element("summary", {}, text.slice(0, at)), element("pre", { tabindex: 0 }, text.slice(at + 1))));
}

// ended counts the cells of a run that are neither queued nor to come.
const ended = (run) => run.ok + run.incomplete + run.failed;

const cell = {
  dataset: { head: "Data set", of: (c) => c.dataset, show: (c) => c.dataset || "–" },
  method: { head: "Method", of: (c) => c.method, show: (c) => c.method || "–" },
  parameters: { head: "Parameters", kind: "wide", of: (c) => c.what, show: (c) => c.what || "–" },
  time: { head: "Time", kind: "right", of: (c) => c.seconds, show: (c) => duration(c.seconds) },
  attempts: { head: "Attempts", kind: "right", of: (c) => c.attempts, show: (c) => count(c.attempts) },
  status: { head: "Status", of: (c) => c.status, fill: (td, c) => mark(td, c.status, c.status === "ok" ? "" : c.status === "incomplete" ? "warn" : "bad") },
  message: { head: "Message", kind: "wide", of: (c) => c.error, fill: (td, c) => fillMessage(td, c.error) },
  peak: { head: "Peak memory", kind: "right", of: (c) => c.peak ?? -1, show: (c) => bytes(c.peak) },
  worker: { head: "Worker", of: (c) => c.worker, show: (c) => c.worker },
  ended: { head: "Ended, UTC", of: (c) => c.finished, show: (c) => c.finished.replace("T", " ").replace("Z", "") },
  id: { head: "Cell", kind: "code", of: (c) => c.cell, show: (c) => c.cell },
};

const failures = new Table(byId("failures"), "failures-title",
  [cell.status, cell.dataset, cell.method, cell.parameters, cell.message, cell.time, cell.attempts, cell.peak, cell.worker, cell.ended, cell.id],
  (c) => c.cell);
const slowest = new Table(byId("slowest"), "slowest-title",
  [cell.time, cell.dataset, cell.method, cell.parameters, cell.status, cell.attempts, cell.peak, cell.worker, cell.ended, cell.id],
  (c) => c.cell);

function stateOf(worker) {
  return worker.state === "lost" ? `lost, silent for ${duration(worker.silent)}` : worker.state;
}

const workers = new Table(byId("workers"), "workers-title", [
  { head: "Worker", of: (w) => w.name, show: (w) => w.name },
  { head: "State", of: stateOf, fill: (td, w) => mark(td, stateOf(w), w.state === "lost" ? "bad" : w.state === "stopping" ? "warn" : "") },
  { head: "Trouble", kind: "wide trouble", of: (w) => w.trouble, fill: (td, w) => fillMessage(td, w.trouble) },
  { head: "Busy", kind: "right", of: (w) => w.running.length, show: (w) => `${w.running.length} of ${w.slots}` },
  { head: "Done", kind: "right", of: (w) => w.done, show: (w) => count(w.done) },
  { head: "Failed", kind: "right", of: (w) => w.failed, show: (w) => count(w.failed) },
  {
    head: "Longest running cell", kind: "wide", of: (w) => w.running[0]?.seconds ?? -1,
    show: (w) => (w.running.length ? `${duration(w.running[0].seconds)}: ${w.running[0].what || "cell"} (${w.running[0].cell} of ${w.running[0].run})` : "–"),
  },
], (w) => w.name);

const runs = new Table(byId("runs"), "runs-title", [
  {
    head: "Run", of: (r) => r.name,
    fill: (td, r) => {
      const href = `#run=${encodeURIComponent(r.name)}`;
      if (!td.firstChild) td.append(element("a", { href }, r.name));
      if (r.name === shownRun) td.firstChild.setAttribute("aria-current", "true");
      else td.firstChild.removeAttribute("aria-current");
    },
  },
  { head: "State", of: (r) => r.phase, fill: (td, r) => mark(td, r.phase, isOver(r) ? verdictOf(r).trouble : r.phase === "paused" ? "warn" : "") },
  { head: "Ended", kind: "right", of: (r) => ended(r) / Math.max(1, r.cells), show: (r) => `${count(ended(r))} of ${count(r.cells)}` },
  { head: "Incomplete", kind: "right", of: (r) => r.incomplete, fill: (td, r) => mark(td, count(r.incomplete), r.incomplete ? "warn" : "") },
  { head: "Failed", kind: "right", of: (r) => r.failed, fill: (td, r) => mark(td, count(r.failed), r.failed ? "bad" : "") },
  { head: "Owner", of: (r) => r.owner, show: (r) => r.owner || "–" },
  { head: "Priority", kind: "right", of: (r) => r.priority, show: (r) => (r.owner ? count(r.priority) : "–") },
  { head: "Time left", kind: "right", of: (r) => r.eta ?? Infinity, show: (r) => (r.eta === null ? "–" : duration(r.eta)) },
], (r) => r.name, 2);

let shownRun = "";

// shadeOf is the class of a share: 0, quarters, and 1.
const shadeOf = (share) => `h${share <= 0 ? 0 : share >= 1 ? 5 : 1 + Math.floor(share * 4)}`;

// showMap shows how many cells of each data set and method have ended, in the colour of the
// share that is ok.
function showMap(parts) {
  const table = byId("map");
  const rows = [...new Set(parts.map((p) => p.dataset))];
  const columns = [...new Set(parts.map((p) => p.label))];
  table.closest("section").hidden = parts.length < 2;
  const shape = JSON.stringify([rows, columns]);
  if (table.dataset.shape !== shape) {
    table.dataset.shape = shape;
    table.replaceChildren(
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Data set"), ...columns.map((c) => element("th", { scope: "col" }, c || "–")))),
      element("tbody", {}, ...rows.map((r) => element("tr", {}, element("th", { scope: "row" }, r || "–"),
        ...columns.map(() => element("td", { class: "none" }, element("span", {}), element("small", {})))))));
  }
  for (const p of parts) {
    const td = table.tBodies[0].rows[rows.indexOf(p.dataset)].cells[columns.indexOf(p.label) + 1];
    td.className = shadeOf((p.done - p.failed - p.incomplete) / Math.max(1, p.cells || p.done));
    td.classList.toggle("has-bad", p.failed > 0);
    td.classList.toggle("has-warn", p.failed === 0 && p.incomplete > 0);
    setText(td.firstChild, p.cells ? `${count(p.done)} / ${count(p.cells)}` : count(p.done));
    const notes = [];
    if (p.failed) notes.push(`✕ ${count(p.failed)} failed`);
    if (p.incomplete) notes.push(`◐ ${count(p.incomplete)} incomplete`);
    if (p.done) notes.push(`⌀ ${duration(p.seconds)}`);
    setText(td.lastChild, notes.join(", "));
  }
}

// Progress.

let spokenAt = 0;

function speak(text) {
  if (Date.now() - spokenAt < speakEvery) return;
  spokenAt = Date.now();
  setText(byId("spoken"), text);
}

// verdictOf says in a few words what is wrong with a run, and how bad it is.
function verdictOf(run) {
  const parts = [];
  if (run.failed) parts.push(`${count(run.failed)} failed`);
  if (run.incomplete) parts.push(`${count(run.incomplete)} incomplete`);
  if (run.phase === "cancelled") parts.push(`cancelled, ${count(run.unqueued)} not computed`);
  return { text: parts.join(", "), trouble: run.failed ? "bad" : parts.length ? "warn" : "" };
}

// isOver reports whether no cell of a run is to come.
const isOver = (run) => run.phase === "finished" || run.phase === "cancelled";

// showIcon draws the icon of the tab in the colour of a run.
function showIcon(trouble) {
  const icon = byId("icon");
  const color = getComputedStyle(trouble ? byId("verdict") : document.querySelector("footer a")).color;
  if (icon.dataset.color === color) return;
  icon.dataset.color = color;
  const canvas = element("canvas", { width: 32, height: 32 });
  const pen = canvas.getContext("2d");
  pen.fillStyle = color;
  pen.arc(16, 16, 14, 0, 2 * Math.PI);
  pen.fill();
  icon.href = canvas.toDataURL();
}

// phaseOf says how far a run is; ended well and ended are told apart.
function phaseOf(run) {
  const done = ended(run);
  const share = `${percent(done / Math.max(run.cells, 1))} of ${count(run.cells)} cells have ended`;
  return `${run.phase}: ${share}` + (done > run.ok ? `, ${count(run.ok)} ok` : "") +
    (run.quarantined ? `; ${count(run.quarantined)} messages quarantined` : "") +
    (run.strays ? `; ${count(run.strays)} results of cells that the run does not have` : "") +
    run.unable.map((missing) => `; ${missing}`).join("") +
    (run.dead ? `; ${count(run.dead)} given up because their workers died` : "") +
    (run.reading ? "; the results stored so far are still being read" : "");
}

// showNumber shows a number that there is.
function showNumber(name, text) {
  const dd = byId(`n-${name}`);
  dd.parentElement.hidden = !text;
  setText(dd, text || "");
}

function showProgress(run) {
  const total = Math.max(run.cells, 1);
  const share = ended(run) / total;
  const verdict = verdictOf(run);
  const phase = phaseOf(run);
  mark(byId("run-name"), run.name, isOver(run) ? verdict.trouble : "");
  mark(byId("verdict"), verdict.text, verdict.trouble);
  byId("verdict").hidden = verdict.text === "";
  showIcon(verdict.trouble);
  mark(byId("phase"), phase, isOver(run) ? verdict.trouble : "");
  const bar = byId("bar");
  bar.className = verdict.trouble;
  bar.setAttribute("aria-valuenow", Math.floor(100 * share));
  bar.setAttribute("aria-valuetext", `${count(ended(run))} of ${count(run.cells)} cells` + (verdict.text && `, ${verdict.text}`));
  [run.ok, run.incomplete, run.failed, run.running].forEach((n, i) => {
    bar.children[i].style.width = `${(100 * n) / total}%`;
  });
  for (const name of ["ok", "incomplete", "failed", "running", "queued", "unqueued"]) showNumber(name, run[name] && count(run[name]));
  byId("n-incomplete").classList.add("warn");
  byId("n-failed").classList.add("bad");
  showNumber("rate", run.rate && rate(run.rate));
  showNumber("left", run.eta !== null && duration(run.eta));
  speak(`${run.phase}: ${percent(share)} ended, ${verdict.text || "none failed"}` + (run.eta === null ? "" : `, about ${duration(run.eta)} left`));
  document.title = `${verdict.text ? `✕ ${verdict.text}, ` : ""}${percent(share)} ${run.name} – agepath`;
}

function showHealth(text, bad) {
  const health = byId("health");
  setText(health, text);
  health.classList.toggle("bad", bad);
}

function show(state) {
  if (!state.connected) showHealth("the NATS server is out of reach; what is shown is old", true);
  else if (state.trouble) showHealth(`the queue cannot be read: ${state.trouble}`, true);
  else showHealth("live", false);
  setText(byId("version"), `version ${state.version}`);
  shownRun = state.run?.name ?? "";
  if (state.run) {
    showProgress(state.run);
    showMap(state.run.parts);
  }
  failures.update(state.run?.failures ?? []);
  slowest.update(state.run?.slowest ?? []);
  workers.update(state.workers);
  runs.update(state.runs);
}

// One request at a time; a hidden page makes none.

let timer = 0;
let asking = false;

// The run to show: the one that the address names, else the server's choice at
// first.
let wanted = "";

function readAddress() {
  wanted = new URLSearchParams(location.hash.slice(1)).get("run") ?? wanted;
}

async function askFor(path) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(waitMost) });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return answer.json();
}

const answer = new Answer(askFor);

async function ask() {
  clearTimeout(timer);
  if (asking || document.hidden) return;
  asking = true;
  const run = wanted;
  try {
    const state = await askFor(`state.json?run=${encodeURIComponent(run)}`);
    show(state);
    await answer.update(state.run);
    asking = false;
    if (wanted !== run) return ask(); // another one was chosen meanwhile
    wanted = shownRun; // stay with it
  } catch (error) {
    showHealth(`no answer from the program that shows this page (${error.message}): it has ended, or cannot be reached; trying again`, true);
  }
  asking = false;
  timer = setTimeout(ask, every);
}

addEventListener("hashchange", () => {
  readAddress();
  ask();
});
document.addEventListener("visibilitychange", ask);

readAddress();
ask();
