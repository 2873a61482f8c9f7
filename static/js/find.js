// Find in the three texts at once: counts for each, Enter and Shift+Enter step, Escape ends. The page is not
// modified: matches use the browser's highlight registry; without one, their lines are marked instead.
import { jumps } from "./jumps.js";
import { loadAll } from "./parts.js";
import { onPage } from "./swap.js";

const MOST = 5000;
const PANES = ["program", "trace", "kernel"];
let form = null;
let input = null;
let output = null;
const canPaint = typeof Highlight === "function" && Boolean(CSS.highlights);
let places = [];
let at = -1;
let waiting = 0;
let asked = 0; // a step requested before the part with its match was loaded

function textNodes(line) {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) found.push(node);
  return found;
}

function rangeIn(line, start, end) {
  const range = document.createRange();
  let before = 0;
  for (const node of textNodes(line)) {
    const after = before + node.length;
    if (start >= before && start < after) range.setStart(node, start - before);
    if (end > before && end <= after) { range.setEnd(node, end - before); break; }
    before = after;
  }
  return range;
}

function search(wanted) {
  const found = [];
  for (const pane of PANES) {
    for (const line of document.querySelectorAll(`#pane-${pane} .l`)) {
      const text = line.textContent.toLowerCase();
      for (let from = text.indexOf(wanted); from >= 0; from = text.indexOf(wanted, from + wanted.length)) {
        found.push({ pane, line, start: from, end: from + wanted.length });
        if (found.length === MOST) return found;
      }
    }
  }
  return found;
}

function say() {
  const counts = PANES.map((pane) => `${pane} ${places.filter((place) => place.pane === pane).length}`).join(", ");
  if (!input.value) output.value = "";
  else if (!places.length) output.value = "not found";
  else output.value = `${at < 0 ? "" : `${at + 1} of `}${places.length === MOST ? `${MOST} or more` : places.length}: ${counts}`;
  for (const button of form.querySelectorAll("[data-find-step]")) button.disabled = !places.length;
}

function paint() {
  for (const line of document.querySelectorAll(".l.is-found")) line.classList.remove("is-found");
  if (!canPaint) {
    for (const place of places) place.line.classList.add("is-found");
    return;
  }
  CSS.highlights.set("found", new Highlight(...places.map((place) => rangeIn(place.line, place.start, place.end))));
  CSS.highlights.delete("found-now");
}

function look() {
  const wanted = input.value.toLowerCase();
  places = wanted ? search(wanted) : [];
  at = -1;
  paint();
  say();
}

// Scrolls only the pane: the page, and with it the search field, stays where it is.
function bring(line, range) {
  const body = line.closest(".pane-body");
  jumps.set(body, range);
  const settle = () => {
    if (jumps.get(body) !== range) return;
    const [place, frame] = [range.getBoundingClientRect(), body.getBoundingClientRect()];
    body.scrollTop += place.top - frame.top - body.clientHeight / 3;
    if (place.right > frame.right || place.left < frame.left) body.scrollLeft += place.left - frame.left - 80;
  };
  settle();
  requestAnimationFrame(settle); // parts painted by the first scroll have their true height now
}

function step(by) {
  if (!places.length) return;
  at = (at + by + places.length + (at < 0 && by < 0 ? 1 : 0)) % places.length;
  const { pane, line, start, end } = places[at];
  const fold = document.getElementById(`show-${pane}`);
  if (fold && !fold.checked) fold.click();
  document.getElementById(`one-${pane}`)?.click();
  line.closest("details")?.setAttribute("open", "");
  if (canPaint) CSS.highlights.set("found-now", new Highlight(rangeIn(line, start, end)));
  bring(line, rangeIn(line, start, end));
  say();
  input.focus({ preventScroll: true });
}

// Keeps the current match when more lines are loaded.
function lookAgain() {
  const reached = places[at];
  look();
  at = reached ? places.findIndex((place) => place.line === reached.line && place.start === reached.start) : -1;
  if (at >= 0) {
    if (canPaint) CSS.highlights.set("found-now", new Highlight(rangeIn(reached.line, reached.start, reached.end)));
    say();
  } else if (asked) stepOrWait(asked);
}

function stepOrWait(by) {
  asked = !places.length && document.querySelector("a.part") ? by : 0;
  step(by);
}

document.addEventListener("lines-loaded", () => { if (input?.value) lookAgain(); });

onPage(() => {
  form = document.querySelector("[data-find]");
  input = form?.querySelector("input");
  output = form?.querySelector("output");
  [places, at, asked] = [[], -1, 0];
  if (canPaint) for (const name of ["found", "found-now"]) CSS.highlights.delete(name);
  if (form) bind();
});

function bind() {
  form.hidden = false;
  input.addEventListener("focus", loadAll); // lines that are not loaded cannot be found
  form.addEventListener("submit", (event) => event.preventDefault());
  input.addEventListener("input", () => { asked = 0; clearTimeout(waiting); waiting = setTimeout(look, 120); });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      clearTimeout(waiting);
      if (at < 0) look();
      stepOrWait(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      input.value = "";
      look();
      input.blur();
    }
  });
  for (const button of form.querySelectorAll("[data-find-step]")) {
    button.addEventListener("click", () => step(Number(button.dataset.findStep)));
  }
}
