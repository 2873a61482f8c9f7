// Light, dark or the system's setting: stored in the browser, applied before the page is painted.
const KEY = "concur-theme";
const NEXT = { "": "dark", dark: "light", light: "" };
const WORD = { "": "Auto", dark: "Dark", light: "Light" };
const LABEL = { "": "Theme: the system's. Switch to dark", dark: "Theme: dark. Switch to light", light: "Theme: light. Switch to the system's" };

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
  const show = () => {
    button.querySelector(".theme-word").textContent = WORD[stored()];
    button.title = LABEL[stored()];
    button.setAttribute("aria-label", LABEL[stored()]);
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    localStorage.setItem(KEY, NEXT[stored()]);
    apply(stored());
    show();
  });
  show();
});
