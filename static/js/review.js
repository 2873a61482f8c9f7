// The review page: keys, autosave to the server and to this browser, and a heartbeat that holds the sample.
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
  const goes = afterG; // the key after g navigates (keys.js)
  afterG = event.key === "g";
  if (!goes) pressed(event);
});

// --- drafts -------------------------------------------------------------------------------------------

const PREFIX = form && `concur-review-${form.dataset.sample}`;
const storeKey = form && `${PREFIX}-${form.elements.key.value}`; // one copy per page: two tabs do not share one
let timer = 0;
let unsent = false; // there is text that the server does not have
let active = true; // there was activity since the last heartbeat

function typed() {
  const fields = Object.fromEntries(new FormData(form));
  for (const name of ["csrfmiddlewaretoken", "key", "seen", "draft"]) delete fields[name];
  return fields;
}

function say(text, tone = "") {
  if (state) { state.textContent = text; state.className = `small ${tone || "soft"}`; }
}

// Input is also stored in this browser until the server has it: as a draft, or as the review `sent`.
function keepHere(mark = {}) {
  const { key, draft } = form.elements;
  const copy = { fields: typed(), key: key.value, draft: draft.value, at: Date.now(), ...mark };
  try {
    localStorage.setItem(storeKey, JSON.stringify(copy));
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

async function post(url, body = new FormData(form)) {
  const answer = await fetch(url, { method: "POST", body, headers: { Accept: "application/json" } });
  if (answer.redirected || !(answer.ok || answer.status === 409)) throw new Error(`the site answered ${answer.status}`);
  return { conflict: answer.status === 409, ...(await answer.json()) };
}

// Another page of this reviewer saved a newer text. The site keeps and shows both; the input here is still
// stored beside the draft.
function showTexts(answer) {
  const place = document.getElementById("draft-texts");
  const isNew = !place.querySelector(".draft-texts");
  place.innerHTML = answer.panel;
  say(answer.kept ? "Not the draft: another page has a newer text. Both are kept."
    : "Kept in this browser only: too many texts wait above. Discard one.", "errorlist");
  if (isNew) place.scrollIntoView({ block: "nearest" });
}

async function autosave() {
  if (submitting) return;
  active = false;
  unsent = false;
  try {
    const answer = await post(form.dataset.draftUrl);
    if (submitting) return;
    if (answer.conflict) {
      showTexts(answer);
      if (answer.kept) localStorage.removeItem(storeKey);
      return;
    }
    localStorage.removeItem(storeKey);
    if (answer.saved) form.elements.draft.value = answer.version;
    say(answer.saved ? `Draft kept ${clock()}` : "Already saved from another page");
    tell(answer);
  } catch (error) {
    unsent = true;
    say(`Kept in this browser only (${error.message})`, "errorlist");
  }
}

function changed() {
  active = true;
  unsent = true;
  keepHere();
  clearTimeout(timer);
  timer = setTimeout(autosave, AUTOSAVE_MS);
}

// A page closed before its next autosave sends its unsaved input.
function sendNow() {
  if (!unsent || submitting) return;
  clearTimeout(timer);
  unsent = !navigator.sendBeacon(form.dataset.draftUrl, new FormData(form));
}

function copies() {
  return Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))
    .map((name) => ({ name, ...JSON.parse(localStorage.getItem(name) ?? "{}") }))
    .sort((one, other) => (one.at ?? 0) - (other.at ?? 0));
}

function fill(fields) {
  for (const [name, value] of Object.entries(fields)) {
    const field = form.elements[name];
    if (field) field.value = value;
  }
  say("Restored from this browser");
}

// A copy that the server never received is sent as its page would have sent it: the site decides whether
// it is newer than the draft or has to be kept beside it.
async function restoreOne(copy) {
  const body = new FormData();
  body.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
  const carried = { key: copy.key ?? "", draft: copy.draft ?? 0, seen: form.elements.seen.value };
  for (const [name, value] of Object.entries({ ...carried, ...copy.fields })) body.set(name, value);
  let answer;
  try {
    answer = await post(form.dataset.draftUrl, body);
  } catch {
    return fill(copy.fields); // the copy stays in this browser until the server answers
  }
  if (answer.conflict) showTexts(answer);
  if (answer.conflict && !answer.kept) return undefined;
  localStorage.removeItem(copy.name);
  if (!answer.saved) return undefined;
  form.elements.draft.value = answer.version;
  return fill(copy.fields);
}

async function restore() {
  const sent = form.dataset.myKeys.split(" ");
  for (const copy of copies()) {
    if (sent.includes(copy.sent)) localStorage.removeItem(copy.name);
    else if (copy.fields && !form.dataset.bound && copy.name !== storeKey) await restoreOne(copy);
  }
}

// The last review was received, so its copy here is deleted.
function forgetArrived() {
  const { lastKey, lastSample } = form.dataset;
  if (lastKey) localStorage.removeItem(`concur-review-${lastSample}-${lastKey}`);
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
  addEventListener("pagehide", sendNow);
  document.addEventListener("visibilitychange", () => { if (document.hidden) sendNow(); });
  for (const sign of ["pointermove", "keydown", "scroll"]) {
    document.addEventListener(sign, () => { active = true; }, { passive: true, capture: true });
  }
  setInterval(heartbeat, HEARTBEAT_MS);
  document.getElementById("conflict")?.focus();
}
