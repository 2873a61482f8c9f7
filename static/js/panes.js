// The three panes: permalinks to lines and ranges, copy, wrap, folds that are remembered, one pane on a phone.
import "./jump-filter.js";
import { jumps } from "./jumps.js";
import { isForPage } from "./keys.js";
import "./find.js";
import "./follow.js";
import "./hints.js";
import "./operators.js";
import { loadLines } from "./parts.js";
import "./splits.js";
import { onPage } from "./swap.js";

const LINE = /^#(program|trace|kernel)-L(\d+)(?:-L(\d+))?$/;
const SEGMENT = /^#(?:trace-S|claim-at-)\d+$/;
const LISTED = /^#(?:note-\w+|claim-\d+)$/; // in a list that may be closed
const FRAMES = 6;
const PANES = ["program", "trace", "kernel"];
const remembered = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
const remember = (key, value) => { try { localStorage.setItem(key, value); } catch { /* private mode: not kept */ } };

function reveal(pane) {
  const fold = document.getElementById(`show-${pane}`);
  const one = document.getElementById(`one-${pane}`);
  if (fold && !fold.checked) fold.checked = true;
  if (one) one.checked = true;
}

// The address may name a range, which browsers do not support.
function followHash(scroll = true) {
  for (const marked of document.querySelectorAll(".is-marked")) marked.classList.remove("is-marked");
  const match = LINE.exec(location.hash);
  if (SEGMENT.test(location.hash)) {
    reveal("trace");
    const segment = document.querySelector(location.hash);
    segment?.classList.add("is-marked");
    segment?.closest("details.segment")?.setAttribute("open", "");
    if (scroll) bring(segment, segment?.matches(".segment") ? 0 : 0.35);
  }
  if (LISTED.test(location.hash)) openList(document.querySelector(location.hash));
  if (!match) return;
  const [, pane, first, last] = match;
  reveal(pane);
  const [from, to] = [Number(first), Number(last ?? first)].sort((a, b) => a - b);
  const { hash } = location;
  const missing = loadLines(pane, from, to);
  if (missing) { missing.then(() => { if (location.hash === hash) followHash(scroll); }); return; }
  markLines(pane, from, to, scroll);
}

function markLines(pane, from, to, scroll) {
  let top = null;
  const lines = document.querySelectorAll(`#pane-${pane} .l[id]`);
  const end = Math.min(to, Number(lines[lines.length - 1]?.id.split("-L")[1] ?? 0));
  for (let number = from; number <= end; number += 1) {
    const line = document.getElementById(`${pane}-L${number}`);
    if (!line) continue; // a trace shows no blank lines between its segments
    line.closest("details.segment")?.setAttribute("open", "");
    line.classList.add("is-marked");
    top ??= line;
  }
  if (scroll) bring(top, to - from < 12 ? 0.35 : 0.1);
  document.dispatchEvent(new CustomEvent("lines-marked", { detail: { pane, from, to } }));
}

function openList(entry) {
  const list = entry?.closest(".jump");
  if (!list) return;
  reveal(list.closest(".pane").id.slice("pane-".length));
  list.open = true;
  (entry.closest("li") ?? entry).classList.add("is-marked");
  const panel = entry.closest(".jump-panel");
  panel.scrollTop += entry.getBoundingClientRect().top - panel.getBoundingClientRect().top - panel.clientHeight / 3;
  requestAnimationFrame(() => { // after the browser's own jump, which ignores the header
    const { top, bottom } = entry.getBoundingClientRect();
    if (top < 64 || bottom > innerHeight) list.closest(".pane").scrollIntoView({ block: "start" });
  });
}

// Scrolls within the pane, and the page only as far as needed to make the pane visible.
function bring(element, share) {
  const body = scrollWithin(element, share);
  body?.closest(".pane").scrollIntoView({ block: "nearest" });
}

// Scrolls the pane alone, and returns its body.
function scrollWithin(element, share) {
  const body = element?.closest(".pane-body");
  if (!body) return null;
  jumps.set(body, element);
  // Unpainted lines get their true height in the following frames, which moves the element again.
  const settle = (frames) => {
    if (jumps.get(body) !== element) return;
    const offset = element.getBoundingClientRect().top - body.getBoundingClientRect().top;
    body.scrollTop += offset - body.clientHeight * share;
    if (frames) requestAnimationFrame(() => settle(frames - 1));
  };
  settle(FRAMES);
  return body;
}

function go(hash, scroll) {
  if (hash !== location.hash) history.pushState(null, "", hash);
  followHash(scroll);
}

// A click on a number links to the line; with Shift, to the range from the previously linked line.
document.addEventListener("click", (event) => {
  const number = event.target.closest?.(".ln");
  if (number && event.shiftKey) {
    const before = LINE.exec(location.hash);
    const here = LINE.exec(number.getAttribute("href"));
    if (before && here && before[1] === here[1]) {
      event.preventDefault();
      const ends = [Number(before[2]), Number(here[2])].sort((a, b) => a - b);
      history.replaceState(null, "", `#${here[1]}-L${ends[0]}-L${ends[1]}`);
      getSelection()?.removeAllRanges();
      followHash(false);
    }
    return;
  }
  const link = event.target.closest?.('a[href^="#"]');
  const hash = link?.getAttribute("href") ?? "";
  if (LISTED.test(hash)) {
    event.preventDefault();
    for (const open of document.querySelectorAll(".jump[open]")) open.open = false;
    go(hash, false);
    return;
  }
  if (LINE.test(hash) || SEGMENT.test(hash)) {
    event.preventDefault();
    go(hash, !number);
    const list = link.closest(".jump");
    if (list && !list.matches(".claims")) list.open = false;
  }
  for (const open of document.querySelectorAll(".jump[open]")) if (!open.contains(event.target)) open.open = false;
});
addEventListener("hashchange", () => followHash());
addEventListener("popstate", () => followHash());

async function copy(button) {
  const said = button.textContent;
  try {
    const response = await fetch(button.dataset.copy);
    if (!response.ok) throw new Error(response.statusText);
    await navigator.clipboard.writeText(await response.text());
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not copied";
  }
  setTimeout(() => { button.textContent = said; }, 1500);
}

function wrap(pane, on) {
  document.getElementById(`pane-${pane}`)?.classList.toggle("is-wrapped", on);
  document.querySelector(`[data-wrap="${pane}"]`)?.setAttribute("aria-pressed", String(on));
}
function showWrap(button) {
  const pane = button.dataset.wrap;
  button.hidden = false;
  wrap(pane, remembered(`concur-wrap-${pane}`) === "1");
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    wrap(pane, on);
    remember(`concur-wrap-${pane}`, on ? "1" : "0");
  });
}

// Pages that fold a pane at first remember their folds apart from the others. An empty pane stays as the page has it.
function restoreFold(pane) {
  const fold = document.getElementById(`show-${pane}`);
  if (!fold) return;
  const key = `concur-fold-${fold.closest(".reader").dataset.folds ? "review-" : ""}${pane}`;
  const kept = remembered(key);
  if (kept !== null && !document.querySelector(`#pane-${pane} .empty`)) fold.checked = kept === "0";
  fold.addEventListener("change", () => remember(key, fold.checked ? "0" : "1"));
}

const FOLD_KEYS = { "[": "program", t: "trace", "]": "kernel" };
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const open = document.querySelector(".jump[open]");
    if (open) { open.open = false; open.querySelector("summary").focus(); }
  }
  if (!isForPage(event)) return;
  if (event.key in FOLD_KEYS) document.getElementById(`show-${FOLD_KEYS[event.key]}`)?.click();
  else if (event.key === "w") for (const button of document.querySelectorAll("[data-wrap]:not([hidden])")) button.click();
});

// A kernel opens at its first device function, unless the address names a place.
function openAtDevice() {
  const opening = document.querySelector(".pane-body[data-open-at]");
  const named = location.hash || new URLSearchParams(location.search).has("line");
  if (opening && !named) scrollWithin(document.getElementById(opening.dataset.openAt), 0.05);
}

document.documentElement.classList.add("marks-lines"); // from here on our marks replace the browser's
onPage(() => {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
  document.querySelectorAll("[data-wrap]").forEach(showWrap);
  PANES.forEach(restoreFold);
  followHash();
  openAtDevice();
});
