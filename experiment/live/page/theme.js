// The theme is the system's until the button says otherwise. A browser that keeps
// nothing for this page forgets it.

import { setText } from "./table.js";

const themes = ["auto", "light", "dark"];
const themeKey = "agepath-theme";
const button = document.getElementById("theme");

function stored() {
  try {
    return localStorage.getItem(themeKey);
  } catch {
    return null;
  }
}

function store(theme) {
  try {
    localStorage.setItem(themeKey, theme);
  } catch {
    // The theme holds for this visit.
  }
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  setText(button, `Theme: ${theme}`);
}

let theme = themes.includes(stored()) ? stored() : "auto";
button.addEventListener("click", () => {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  store(theme);
  setTheme(theme);
});
setTheme(theme);
