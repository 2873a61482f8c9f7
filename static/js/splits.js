// Bars between the panes: moved by dragging or arrow keys; sizes are stored. Double click or Home resets.
import { onPage } from "./swap.js";

const KEY = "concur-pane-sizes";
const SMALLEST = 0.12; // of the two panes beside a bar
const STEP = 0.04;
const pane = (name) => document.getElementById(`pane-${name}`);
const DEFAULTS = { program: 0.8, trace: 1, kernel: 1 };
let sizes = { ...DEFAULTS };

function load() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    for (const name of Object.keys(DEFAULTS)) {
      if (Number.isFinite(kept[name]) && kept[name] > 0.05 && kept[name] < 10) sizes[name] = kept[name];
    }
  } catch { /* private mode, or invalid: use the defaults */ }
}

function show() {
  for (const [name, size] of Object.entries(sizes)) pane(name)?.style.setProperty("--grow", String(size));
  for (const bar of document.querySelectorAll("[data-split]")) {
    const [left, right] = bar.dataset.split.split(" ");
    const share = sizes[left] / (sizes[left] + sizes[right]);
    bar.setAttribute("aria-valuenow", String(Math.round(share * 100)));
    bar.setAttribute("aria-valuetext", `${Math.round(share * 100)} to ${Math.round(100 - share * 100)}`);
  }
}

function keep() {
  try { localStorage.setItem(KEY, JSON.stringify(sizes)); } catch { /* not stored */ }
}

function divide(bar, share) {
  const [left, right] = bar.dataset.split.split(" ");
  const both = sizes[left] + sizes[right];
  const bounded = Math.max(SMALLEST, Math.min(1 - SMALLEST, share));
  sizes[left] = both * bounded;
  sizes[right] = both * (1 - bounded);
  show();
}

function share(bar) {
  const [left, right] = bar.dataset.split.split(" ");
  return sizes[left] / (sizes[left] + sizes[right]);
}

function drag(bar, event) {
  const [left, right] = bar.dataset.split.split(" ").map(pane);
  const from = left.getBoundingClientRect().left;
  const to = right.getBoundingClientRect().right;
  divide(bar, (event.clientX - from) / (to - from));
}

function bind(bar) {
  bar.hidden = false;
  bar.tabIndex = 0;
  bar.setAttribute("aria-valuemin", String(SMALLEST * 100));
  bar.setAttribute("aria-valuemax", String(100 - SMALLEST * 100));
  bar.addEventListener("pointerdown", (event) => { bar.setPointerCapture(event.pointerId); event.preventDefault(); bar.focus(); });
  bar.addEventListener("pointermove", (event) => { if (bar.hasPointerCapture(event.pointerId)) drag(bar, event); });
  bar.addEventListener("pointerup", keep);
  bar.addEventListener("dblclick", () => { sizes = { ...DEFAULTS }; show(); keep(); });
  bar.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (move) divide(bar, share(bar) + move);
    else if (event.key === "Home") { sizes = { ...DEFAULTS }; show(); }
    else return;
    event.preventDefault();
    keep();
  });
}
load();
onPage(() => {
  document.querySelectorAll("[data-split]").forEach(bind);
  show();
});
