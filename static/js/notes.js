// Notes on spans: choose text or lines, then c; Shift c ties a second place. Marks and threads light up together. Without this, the form takes lines.
import { isForPage } from "./keys.js";
import { selectedLines, withColumns } from "./note-places.js";

const HASH = /^#(program|trace|kernel)-L(\d+)(?:-L(\d+))?$/;
const writer = document.querySelector("[data-note-write]");
const form = writer?.querySelector("[data-note-form]");

// --- Marks and threads ---

function light(names) {
  for (const lit of document.querySelectorAll(".noted.is-lit, .thread.is-lit")) lit.classList.remove("is-lit");
  for (const name of names) {
    for (const mark of document.querySelectorAll(`.noted[data-notes~="${name}"]`)) mark.classList.add("is-lit");
    document.getElementById(`thread-${name}`)?.classList.add("is-lit");
  }
}

const namesAt = (target) => target.closest?.(".noted")?.dataset.notes.split(" ")
  ?? [target.closest?.("[data-thread]")?.dataset.thread].filter(Boolean);
document.addEventListener("mouseover", (event) => light(namesAt(event.target)));
document.addEventListener("focusin", (event) => light(namesAt(event.target)));
document.addEventListener("click", (event) => {
  const mark = event.target.closest?.(".noted");
  if (!mark || event.target.closest("a") || !getSelection()?.isCollapsed) return;
  const names = mark.dataset.notes.split(" ");
  document.getElementById(`thread-${names.at(-1)}`)?.focus();
  light(names);
});

// --- Writing ---

function markedLines() {
  const match = HASH.exec(location.hash);
  if (!match) return null;
  const ends = [Number(match[2]), Number(match[3] ?? match[2])].sort((a, b) => a - b);
  return { pane: match[1], first: ends[0], last: ends[1] };
}

const inWords = ({ pane, first, last }) => `${pane}, ${first === last ? `line ${first}` : `lines ${first} to ${last}`}`;

function fill(prefix, place) {
  const values = {
    text: place.pane, first: place.first, last: place.last,
    first_column: place.firstColumn ?? "", last_column: place.lastColumn ?? "",
  };
  for (const [name, value] of Object.entries(values)) {
    const field = form.elements[prefix + name];
    field.value = value;
    if (value !== "" && field.closest("details") !== writer) field.closest("details").open = true;
  }
}

let pending = null; // the columns of a selection, which need the stored text

let cameFrom = null; // has the focus again when the form is closed

function write(prefix, place) {
  if (!form.contains(document.activeElement)) cameFrom = document.activeElement;
  if (place) {
    fill(prefix, place);
    const reading = withColumns(place).then((exact) => fill(prefix, exact)).finally(() => {
      if (pending === reading) pending = null;
    });
    pending = reading;
  }
  writer.open = true;
  writer.classList.add("is-docked");
  form.elements[place ? "comment" : "first"].focus();
  showBar();
}

function submitWhenRead(event) {
  if (!pending) return;
  event.preventDefault();
  pending.finally(() => form.requestSubmit());
}

function close() {
  if (form.contains(document.activeElement)) {
    document.activeElement.blur();
    cameFrom?.focus({ preventScroll: true });
  }
  writer.open = false; // what was typed stays in the form
  writer.classList.remove("is-docked");
}

let chosen = null;
const bar = document.createElement("div");

function button(words, key, prefix) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "button is-small";
  made.textContent = words;
  if (key) { const sign = document.createElement("kbd"); sign.textContent = key; made.append(" ", sign); }
  made.addEventListener("click", () => write(prefix, chosen));
  return made;
}

// Offers a note on what is chosen, at the foot of the window, where a finger's own menu does not cover it.
function showBar() {
  chosen = selectedLines() ?? markedLines();
  bar.hidden = !chosen;
  if (!chosen) return;
  const isOpen = writer.open && writer.classList.contains("is-docked");
  bar.replaceChildren(...(isOpen
    ? [button(`Note on ${inWords(chosen)}`, "", ""), button("Tie it as the second place", "Shift c", "tied_")]
    : [button(`Note on ${inWords(chosen)}`, "c", "")]));
}

// --- Lines by keys: in a focused pane, j and k mark a line, Shift and an arrow extend ---

const numberOf = (line) => Number(line.id.split("-L")[1]);

function firstVisible(lines, body) {
  const { top } = body.getBoundingClientRect();
  return lines.find((line) => line.getBoundingClientRect().bottom > top + 4);
}

function go(pane, first, last) {
  const bounds = [first, last].sort((a, b) => a - b);
  const hash = `#${pane}-L${bounds[0]}${bounds[0] === bounds[1] ? "" : `-L${bounds[1]}`}`;
  history.replaceState(null, "", hash);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

let head = 0; // the end that moves
let anchor = 0;

function moveLine(body, step, extends_) {
  const pane = body.closest(".pane").id.slice("pane-".length);
  const lines = [...body.querySelectorAll(".l[id]")]; // a trace shows no blank lines between its segments
  const marked = markedLines();
  if (marked?.pane !== pane) {
    const line = firstVisible(lines, body);
    if (!line) return;
    anchor = head = numberOf(line);
  } else {
    if (head !== marked.first && head !== marked.last) [anchor, head] = [marked.first, marked.last];
    const at = lines.indexOf(document.getElementById(`${pane}-L${head}`));
    if (at >= 0 && lines[at + step]) head = numberOf(lines[at + step]);
    if (!extends_) anchor = head;
  }
  go(pane, anchor, head);
}

const STEPS = { j: [1, false], k: [-1, false], ArrowDown: [1, true], ArrowUp: [-1, true] };
function onPaneKey(event) {
  const body = event.target.closest?.(".pane-body");
  const [step, isArrow] = STEPS[event.key] ?? [];
  if (!body || !step || isArrow !== event.shiftKey) return false;
  event.preventDefault();
  moveLine(body, step, isArrow);
  return true;
}

function onKey(event) {
  if (event.key === "Escape" && writer.classList.contains("is-docked")) {
    close();
    return;
  }
  if (!isForPage(event) || onPaneKey(event)) return;
  if (event.key.toLowerCase() === "c") {
    event.preventDefault();
    write(event.shiftKey ? "tied_" : "", selectedLines() ?? markedLines());
  } else if (writer.open && /^[1-9]$/.test(event.key)) {
    form.querySelector(`[data-label-key="${event.key}"]`)?.click();
  }
}

if (form) {
  bar.className = "note-bar";
  bar.hidden = true;
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "Note on the selection");
  bar.addEventListener("pointerdown", (event) => event.preventDefault()); // keeps the selection
  document.querySelector("main").append(bar);
  const closer = form.querySelector("[data-note-close]");
  closer.hidden = false;
  closer.addEventListener("click", close);
  form.addEventListener("submit", submitWhenRead);
  document.addEventListener("selectionchange", showBar);
  addEventListener("hashchange", showBar);
  document.addEventListener("click", () => setTimeout(showBar)); // the panes set the address without an event
  document.addEventListener("keydown", onKey, true);
  showBar();
}
