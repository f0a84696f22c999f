// What a run says so far: a verdict and tables.

import { element, setText } from "./table.js";

const byId = (id) => document.getElementById(id);
const marks = ["", "best", "equal"];

// fieldOf makes a field of a table: a text, or [text, deviation, note, mark, aside].
function fieldOf(column, field) {
  const [text, std, note, mark, aside] = typeof field === "string" ? [field] : field;
  const kinds = [column.Right && "right", column.Wrap && "wide", column.Label && "label", !text && !note && "none", marks[mark ?? 0]];
  const td = element("td", { class: kinds.filter(Boolean).join(" "), "data-head": column.Head }, element("span", {}, text));
  for (const [name, value] of [["soft", std && ` ± ${std}`], ["soft", note && ` ${note}`], ["soft", aside && ` ${aside}`]]) {
    if (value) td.firstChild.append(element("small", { class: name }, value));
  }
  return td;
}

// tableOf makes a section with a table under its title.
function tableOf(sheet) {
  const id = `sheet-${sheet.Name}`;
  const heads = sheet.Columns.map((c) => element("th", { scope: "col", class: c.Right ? "right" : "" }, c.Head,
    ...(c.Aside ? [element("small", { class: "soft" }, ` ${c.Aside}`)] : [])));
  const rows = sheet.Rows.map((row) => element("tr", {}, ...row.map((field, j) => fieldOf(sheet.Columns[j], field))));
  const table = element("table", { "aria-labelledby": id }, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
  const legend = (sheet.Best ? ` Bold: ${sheet.Best}.` : "") + (sheet.Equal ? ` Blue: ${sheet.Equal}.` : "");
  return element("section", { "aria-labelledby": id }, element("h2", { id }, sheet.Title),
    element("p", { class: "soft" }, sheet.Caption + legend),
    element("div", { class: "frame", id: `frame-${sheet.Name}`, tabindex: 0, role: "region", "aria-labelledby": id }, table));
}

// Answer shows what a run says. ask(path) returns an answer of the server.
export class Answer {
  constructor(ask) {
    this.ask = ask;
    this.shown = new Map(); // section by its sheet as text
  }

  // update takes what a run says when it is another answer than the one shown.
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
    const left = answer.left ? ` ${new Intl.NumberFormat("en").format(answer.left)} cells are left out.` : "";
    setText(byId("said"), answer.verdict.join(" ") + left);
    const last = (sheet) => sheet.Name === "chosen";
    const sheets = answer.sheets.filter((s) => s.Rows.length).sort((a, b) => last(a) - last(b));
    const old = this.shown;
    this.shown = new Map(sheets.map((sheet) => {
      const key = JSON.stringify(sheet);
      return [key, old.get(key) ?? tableOf(sheet)];
    }));
    byId("sheets").replaceChildren(...this.shown.values());
  }
}
