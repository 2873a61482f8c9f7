// The review page: keys, autosave to the server and to this browser, and a sign of life that holds the sample.
import { isTyping } from "./keys.js";

const AUTOSAVE_MS = 1200;
const HEARTBEAT_MS = 60_000;
const form = document.getElementById("review-form");
const save = document.getElementById("save");
const state = document.getElementById("draft-state");
let submitting = false;

// --- keys ---------------------------------------------------------------------------------------------

const criteria = form ? [...form.querySelectorAll(".criterion")] : [];
let marked = 0;
let afterG = false;

function mark(index) {
  marked = Math.max(0, Math.min(criteria.length - 1, index));
  criteria.forEach((row, at) => row.classList.toggle("is-marked", at === marked));
  criteria[marked]?.scrollIntoView({ block: "nearest" });
}

function choose(input) {
  input.checked = true;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

function score(digit) {
  const value = digit === "0" ? "" : digit;
  const input = criteria[marked]?.querySelector(`input[value="${value}"]`);
  if (!input) return;
  choose(input);
  if (value) mark(marked + 1);
}

const ACTIONS = {
  s: () => save?.click(),
  u: () => document.getElementById("undo")?.click(),
  x: () => document.getElementById("skip")?.click(),
  m: (event) => { event.preventDefault(); form?.elements.comment.focus(); },
};

function pressed(event) {
  const { key } = event;
  if (/^[0-5]$/.test(key)) return score(key);
  const row = criteria.findIndex((one) => one.dataset.key === key);
  if (row >= 0) return mark(row);
  const verdict = form?.querySelector(`[name=verdict][data-key="${CSS.escape(key)}"]`);
  if (verdict) return choose(verdict);
  return ACTIONS[key]?.(event);
}

document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]") || event.defaultPrevented) return;
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") return void save?.click();
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return void document.activeElement?.blur();
  if (isTyping(event.target)) return;
  const goes = afterG; // the key after g goes to another page (keys.js)
  afterG = event.key === "g";
  if (!goes) pressed(event);
});

// --- drafts -------------------------------------------------------------------------------------------

const storeKey = form && `concur-review-${form.dataset.sample}`;
let timer = 0;
let active = true; // something was done since the last sign of life

function typed() {
  const fields = Object.fromEntries(new FormData(form));
  for (const name of ["csrfmiddlewaretoken", "key", "seen"]) delete fields[name];
  return fields;
}

function say(text, tone = "") {
  if (state) { state.textContent = text; state.className = `small ${tone || "soft"}`; }
}

// What is typed is also kept in this browser until the server has it: as a draft, or as the review `sent`.
function keepHere(mark = {}) {
  try {
    localStorage.setItem(storeKey, JSON.stringify({ fields: typed(), ...mark }));
  } catch (error) {
    console.warn("This browser keeps no copy of the draft:", error.message);
  }
}

function clock() {
  return new Date().toISOString().slice(11, 16);
}

function tell(answer) {
  if (answer.changed) say("Something new came in: saving will show it first.", "errorlist");
  else if (answer.holder) say(`${answer.holder} has it open as well.`, "errorlist");
}

async function post(url) {
  const answer = await fetch(url, { method: "POST", body: new FormData(form), headers: { Accept: "application/json" } });
  if (answer.redirected || !answer.ok) throw new Error(`the site answered ${answer.status}`);
  return answer.json();
}

async function autosave() {
  if (submitting) return;
  active = false;
  try {
    const answer = await post(form.dataset.draftUrl);
    if (submitting) return;
    localStorage.removeItem(storeKey);
    say(answer.saved ? `Draft kept ${clock()}` : "Already saved from another page");
    tell(answer);
  } catch (error) {
    say(`Kept in this browser only (${error.message})`, "errorlist");
  }
}

function changed() {
  active = true;
  keepHere();
  clearTimeout(timer);
  timer = setTimeout(autosave, AUTOSAVE_MS);
}

function restore() {
  const kept = JSON.parse(localStorage.getItem(storeKey) ?? "null");
  if (!kept || form.dataset.bound) return;
  if (form.dataset.myKeys.split(" ").includes(kept.sent)) return void localStorage.removeItem(storeKey);
  for (const [name, value] of Object.entries(kept.fields)) {
    const field = form.elements[name];
    if (field) field.value = value;
  }
  say("Restored from this browser");
}

// The last review arrived: its copy here has done its work.
function forgetArrived() {
  const { lastKey, lastSample } = form.dataset;
  const name = `concur-review-${lastSample}`;
  if (lastKey && JSON.parse(localStorage.getItem(name) ?? "null")?.sent === lastKey) localStorage.removeItem(name);
}

async function heartbeat() {
  if (!active || document.hidden || submitting) return;
  active = false;
  try {
    tell(await post(form.dataset.claimUrl));
  } catch (error) {
    say(`The site does not answer (${error.message})`, "errorlist");
  }
}

if (form) {
  mark(Math.max(0, criteria.findIndex((row) => !row.querySelector("input:checked:not([value=''])"))));
  criteria.forEach((row, at) => row.addEventListener("focusin", () => mark(at)));
  forgetArrived();
  restore();
  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
  form.addEventListener("submit", (event) => {
    submitting = true;
    clearTimeout(timer);
    keepHere(event.submitter?.id === "skip" ? {} : { sent: form.elements.key.value });
  });
  for (const sign of ["pointermove", "keydown", "scroll"]) {
    document.addEventListener(sign, () => { active = true; }, { passive: true, capture: true });
  }
  setInterval(heartbeat, HEARTBEAT_MS);
  document.getElementById("conflict")?.focus();
}
