"use strict";

// Tables that are sorted, filtered and paged in the browser. The data of each
// stands next to its title as JSON: columns [head, right, label, aside] and rows of
// fields, a field being a text or [text, deviation, note, mark, aside], mark 1 for the
// best of a row and 2 for what is not significantly worse.

const fewRows = 10;
const narrow = 700;
const pageSizes = [50, 200, 1000];
const mostChoices = 60;
const collator = new Intl.Collator("en", { numeric: true });

function element(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value !== false) e.setAttribute(key, value === true ? "" : value);
  }
  e.append(...children);
  return e;
}

const textOf = (field) => (typeof field === "string" ? field : field[0] || field[2] || "");

// What a field sorts by: its number where it begins with one, else its text.
// Fields without a value come last either way.
function sortKey(field) {
  const text = typeof field === "string" ? field : field[0] || "";
  const number = /^[[<\s]*([+-]?\d[\d.]*(?:e[+-]?\d+)?)(?=$|[\s,\]])/i.exec(text.replace("∞", "1e999"));
  if (number) return { number: Number(number[1]) };
  return { text };
}

function compareKeys(a, b) {
  const rank = (k) => ("number" in k ? 0 : k.text ? 1 : 2);
  return rank(a) - rank(b) || ("number" in a ? a.number - b.number || 0 : collator.compare(a.text, b.text));
}

class Sheet {
  constructor(article) {
    const { columns, rows } = JSON.parse(article.querySelector("script").textContent);
    this.columns = columns;
    this.rows = rows;
    this.texts = rows.map((row) => row.map(textOf).join("\n").toLowerCase());
    this.sort = { column: -1, down: false };
    this.page = 0;
    this.size = pageSizes[0];
    this.choices = new Map();
    const title = article.querySelector("h3");
    this.count = element("output", {});
    this.body = element("tbody", {});
    this.heads = columns.map(([head, right, , aside], j) =>
      element("th", { scope: "col", class: right ? "right" : "" },
        element("button", { type: "button", onclick: () => this.sortBy(j) }, head, ...(aside ? [element("small", { class: "aside" }, aside)] : []))));
    this.table = element("table", { "aria-labelledby": title.id }, element("thead", {}, element("tr", {}, ...this.heads)), this.body);
    this.frame = element("div", { class: "frame", tabindex: "0", role: "region", "aria-labelledby": title.id }, this.table);
    this.pages = this.makePages();
    const tools = this.makeTools();
    tools.hidden = rows.length <= fewRows;
    article.append(tools, this.frame, this.pages);
    this.show();
    let width = -1;
    new ResizeObserver(() => { // its own change of height does not count
      if (this.frame.clientWidth === width) return;
      width = this.frame.clientWidth;
      this.table.classList.remove("cards");
      this.table.classList.toggle("cards", window.innerWidth < narrow && this.frame.scrollWidth > width);
    }).observe(this.frame);
  }

  makeTools() {
    this.search = element("input", { type: "search", oninput: () => this.refilter(), placeholder: "words, all must occur" });
    const tools = element("div", { class: "tools", role: "search" }, element("label", {}, "Filter rows", this.search));
    this.columns.forEach(([head, , label], j) => {
      const values = label ? [...new Set(this.rows.map((row) => textOf(row[j])))] : [];
      if (values.length < 2 || values.length > mostChoices) return;
      values.sort((a, b) => compareKeys(sortKey(a), sortKey(b)));
      const select = element("select", { onchange: () => { this.choices.set(j, select.value); this.refilter(); } },
        element("option", { value: "" }, "all"), ...values.map((v) => element("option", { value: "=" + v }, v || "(none)")));
      tools.append(element("label", {}, head, select));
    });
    tools.append(this.count);
    return tools;
  }

  makePages() {
    this.back = element("button", { type: "button", onclick: () => this.turn(-1) }, "Previous");
    this.next = element("button", { type: "button", onclick: () => this.turn(1) }, "Next");
    this.place = element("span", { "aria-live": "polite" });
    const size = element("select", { "aria-label": "Rows on a page", onchange: () => { this.size = Number(size.value); this.page = 0; this.show(); } },
      ...pageSizes.map((n) => element("option", { value: n }, n + " rows")), element("option", { value: "Infinity" }, "all rows"));
    return element("div", { class: "pages" }, this.back, this.next, this.place, size);
  }

  turn(by) {
    this.page += by;
    this.show();
    this.frame.scrollTop = 0;
  }

  // The first use of a head sorts up, the second down, the third restores the
  // order of the report.
  sortBy(column) {
    if (this.sort.column !== column) this.sort = { column, down: false };
    else if (!this.sort.down) this.sort.down = true;
    else this.sort = { column: -1, down: false };
    this.page = 0;
    this.show();
  }

  refilter() {
    this.page = 0;
    this.show();
  }

  selected() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = [...this.choices].filter(([, value]) => value);
    let list = [];
    for (let i = 0; i < this.rows.length; i++) {
      if (words.every((w) => this.texts[i].includes(w)) && chosen.every(([j, v]) => "=" + textOf(this.rows[i][j]) === v)) list.push(i);
    }
    const { column, down } = this.sort;
    if (column >= 0) {
      const keys = new Map(list.map((i) => [i, sortKey(this.rows[i][column])]));
      const empty = (i) => keys.get(i).text === "";
      list.sort((a, b) => empty(a) - empty(b) || (down ? -1 : 1) * compareKeys(keys.get(a), keys.get(b)) || a - b);
    }
    return list;
  }

  show() {
    const list = this.selected();
    const pages = Math.max(1, Math.ceil(list.length / this.size));
    this.page = Math.min(Math.max(this.page, 0), pages - 1);
    const first = this.page === 0 ? 0 : this.page * this.size;
    const shown = list.slice(first, first + this.size);
    this.body.replaceChildren(...shown.map((i) => this.line(this.rows[i])));
    this.heads.forEach((head, j) => {
      if (j !== this.sort.column) head.removeAttribute("aria-sort");
      else head.setAttribute("aria-sort", this.sort.down ? "descending" : "ascending");
    });
    this.count.textContent = list.length === this.rows.length ? `${list.length} rows` : `${list.length} of ${this.rows.length} rows`;
    this.place.textContent = `page ${this.page + 1} of ${pages}`;
    this.back.disabled = this.page === 0;
    this.next.disabled = this.page === pages - 1;
    this.pages.hidden = this.rows.length <= pageSizes[0];
  }

  line(row) {
    return element("tr", {}, ...row.map((field, j) => {
      const [head, right, label] = this.columns[j];
      const td = element("td", { "data-head": head });
      td.classList.toggle("right", right);
      td.classList.toggle("label", label);
      td.classList.toggle("none", ["", "-"].includes(textOf(field)));
      if (typeof field === "string") {
        td.classList.toggle("wide", field.length > 60);
        td.textContent = field;
        return td;
      }
      const value = element("span", {});
      const [text, deviation, note, mark, aside] = field;
      if (text) value.append(mark === 1 ? element("span", { class: "best" }, text) : text);
      if (deviation) value.append(element("span", { class: "std" }, ` ± ${deviation}`));
      if (mark === 2) value.append(element("span", { class: "equal", title: "not significantly worse than the best" }, " ≈"));
      if (aside) value.append(element("small", { class: "aside", title: this.columns[j][3] }, aside));
      if (note) value.append(element("span", { class: "remark" }, text ? ` (${note})` : note));
      td.append(value);
      return td;
    }));
  }
}

// The theme is the system's until the button says otherwise; a browser that
// keeps nothing for files forgets it.
const themes = ["auto", "light", "dark"];
const themeKey = "agepath-theme";

function storedTheme() {
  try {
    return localStorage.getItem(themeKey);
  } catch {
    return null;
  }
}

function setTheme(theme) {
  if (theme === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = theme;
  document.getElementById("theme").textContent = `Theme: ${theme}`;
}

let theme = themes.includes(storedTheme()) ? storedTheme() : "auto";
setTheme(theme);
document.getElementById("theme").addEventListener("click", () => {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  setTheme(theme);
  try {
    localStorage.setItem(themeKey, theme);
  } catch {
    // The theme holds for this visit.
  }
});

for (const article of document.querySelectorAll("article.sheet")) new Sheet(article);
