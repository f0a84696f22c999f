// Tables that are filled again and again: rows keep their elements, so that
// focus, selection and what was opened stay where they are.

export function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else e.setAttribute(name, value);
  }
  e.append(...children);
  return e;
}

// setText changes an element's text where it differs.
export function setText(e, text) {
  if (e.textContent !== text) e.textContent = text;
}

// mark gives an element its text and the colour of trouble, if it is one.
export function mark(e, text, trouble) {
  setText(e, text);
  for (const name of ["bad", "warn", "good"]) e.classList.toggle(name, name === trouble);
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

// Tables with fewer rows than least are hidden, with what is around them. A column is {head, of, show, fill, kind}: of(item) is what is sorted by,
// show(item) its text, or fill(td, item) fills the cell; kind is a class.
export class Table {
  constructor(frame, title, columns, keyOf, least = 1) {
    this.columns = columns;
    this.keyOf = keyOf;
    this.rows = new Map();
    this.items = [];
    this.sort = { column: -1, down: false };
    this.heads = columns.map((c, j) =>
      element("th", { scope: "col", class: c.kind === "right" ? "right" : "" },
        element("button", { type: "button", onclick: () => this.sortBy(j) }, c.head)));
    this.body = element("tbody", {});
    this.around = frame.parentElement;
    this.least = least;
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-labelledby", title);
    frame.append(element("table", { class: "sorted", "aria-labelledby": title },
      element("thead", {}, element("tr", {}, ...this.heads)), this.body));
    this.show();
  }

  // The first use of a head sorts up, the second down, the third restores the
  // order in which the rows came.
  sortBy(column) {
    if (this.sort.column !== column) this.sort = { column, down: false };
    else if (!this.sort.down) this.sort.down = true;
    else this.sort = { column: -1, down: false };
    this.heads.forEach((head, j) => {
      if (j !== this.sort.column) head.removeAttribute("aria-sort");
      else head.setAttribute("aria-sort", this.sort.down ? "descending" : "ascending");
    });
    this.show();
  }

  update(items) {
    this.items = items;
    this.show();
  }

  show() {
    let items = this.items;
    const { column, down } = this.sort;
    if (column >= 0) {
      const of = this.columns[column].of;
      items = items.toSorted((a, b) => (down ? -1 : 1) * compare(of(a), of(b)));
    }
    const old = this.rows;
    this.rows = new Map();
    const lines = items.map((item) => {
      const key = this.keyOf(item);
      const line = old.get(key) ?? element("tr", {}, ...this.columns.map((c) => element("td", { class: c.kind ?? "" })));
      this.columns.forEach((c, j) => (c.fill ? c.fill(line.cells[j], item) : setText(line.cells[j], c.show(item))));
      this.rows.set(key, line);
      return line;
    });
    this.around.hidden = lines.length < this.least;
    // Moving an element takes its focus away: only what is out of place moves.
    lines.forEach((line, i) => {
      if (this.body.rows[i] !== line) this.body.insertBefore(line, this.body.rows[i] ?? null);
    });
    while (this.body.rows.length > lines.length) this.body.lastElementChild.remove();
  }
}
