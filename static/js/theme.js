// Light, dark or the system's setting: stored in the browser, applied before the page is painted.
const KEY = "concur-theme";
const NEXT = { "": "dark", dark: "light", light: "" };
const LABEL = { "": "Theme: system", dark: "Theme: dark", light: "Theme: light" };

function apply(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

function stored() {
  const theme = localStorage.getItem(KEY) ?? "";
  return theme in NEXT ? theme : "";
}

apply(stored());
document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme-switch");
  if (!button) return;
  const show = () => { button.textContent = LABEL[stored()]; };
  button.hidden = false;
  button.addEventListener("click", () => {
    localStorage.setItem(KEY, NEXT[stored()]);
    apply(stored());
    show();
  });
  show();
});
