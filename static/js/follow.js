// Panes that follow each other, on request: the scrolled pane leads, and the others show the lines that the
// trace names there. Disabled if no name leads from the trace into the code.
import { isForPage } from "./keys.js";
import { onPage } from "./swap.js";

const KEY = "concur-follow";
const SHARE = 1 / 3; // of a pane's height: the position that the other panes align to
const LINE = /^(kernel|program)-L(\d+)$/;
let button = null;
let bodies = new Map();
const moved = new WeakMap(); // pane -> position that we scrolled it to; that scroll event is ignored

// The names in the trace, each with the lines that it links to.
let names = [];
const readNames = () => [...document.querySelectorAll("#pane-trace .to-line")].map((link) => {
  const lines = {};
  for (const target of [link.getAttribute("href").slice(1), link.dataset.also ?? ""]) {
    const match = LINE.exec(target);
    if (match) lines[match[1]] = Number(match[2]);
  }
  return { link, lines };
});

const isOn = () => button?.getAttribute("aria-pressed") === "true";

function show(pane, element) {
  const body = bodies.get(pane);
  if (!body || !element || !body.clientHeight) return;
  const offset = element.getBoundingClientRect().top - body.getBoundingClientRect().top;
  body.scrollTop += offset - body.clientHeight * SHARE;
  moved.set(body, body.scrollTop);
}

// The name nearest to the reading position.
function namedInTrace(body) {
  const { top, bottom } = body.getBoundingClientRect();
  const read = top + (bottom - top) * SHARE;
  let nearest = null;
  let least = bottom - top;
  for (const name of names) {
    const at = name.link.getBoundingClientRect().top;
    const away = Math.abs(at - read);
    if (at > top && at < bottom && away < least) [nearest, least] = [name, away];
  }
  return nearest;
}

function lineRead(body) {
  const box = body.getBoundingClientRect();
  const line = document.elementFromPoint(box.left + 30, box.top + box.height * SHARE)?.closest(".l");
  return Number(LINE.exec(line?.id ?? "")?.[2] ?? 0);
}

function namedByLine(pane, line) {
  let nearest = null;
  for (const name of names) {
    if (!(pane in name.lines)) continue;
    if (!nearest || Math.abs(name.lines[pane] - line) < Math.abs(nearest.lines[pane] - line)) nearest = name;
  }
  return nearest;
}

function lead(pane) {
  const body = bodies.get(pane);
  const line = pane === "trace" ? 0 : lineRead(body);
  const name = pane === "trace" ? namedInTrace(body) : line ? namedByLine(pane, line) : null;
  if (!name) return;
  if (pane !== "trace") show("trace", name.link);
  for (const [other, number] of Object.entries(name.lines)) {
    if (other !== pane) show(other, document.getElementById(`${other}-L${number}`));
  }
}

function turn(on) {
  button.setAttribute("aria-pressed", String(on));
  try { localStorage.setItem(KEY, on ? "1" : "0"); } catch { /* private mode: not stored */ }
}

document.addEventListener("keydown", (event) => {
  if (event.key === "y" && button && names.length && isForPage(event)) turn(!isOn());
});

onPage(() => {
  button = document.querySelector("[data-follow]");
  bodies = new Map(["program", "trace", "kernel"].map((name) => [name, document.querySelector(`#pane-${name} .pane-body`)]));
  names = readNames();
  if (button && names.length) bind();
});

function bind() {
  button.hidden = false;
  try { button.setAttribute("aria-pressed", String(localStorage.getItem(KEY) === "1")); } catch { /* off */ }
  button.addEventListener("click", () => turn(!isOn()));
  for (const [pane, body] of bodies) {
    body?.addEventListener("scroll", () => {
      if (!isOn() || Math.abs((moved.get(body) ?? -9) - body.scrollTop) < 2) return;
      moved.delete(body);
      requestAnimationFrame(() => lead(pane));
    }, { passive: true });
  }
}
