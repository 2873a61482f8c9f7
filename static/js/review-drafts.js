// Keeps what is typed: on the server as a draft, and in this browser until the server has it.
import { beacon, send, Unreachable } from "./review-send.js";

const AUTOSAVE_MS = 1200;
const RETRY_MS = 60_000; // at most between two attempts
let form = null;
let timer = 0;
let unsent = false; // there is text that the server does not have
let delay = 2000;

const prefix = () => `concur-review-${form.dataset.reviewer}-${form.dataset.sample}`; // nobody else's texts
const storeKey = () => `${prefix()}-${form.elements.key.value}`; // one copy per page: two tabs do not share one

// Returns what is typed as pairs of name and value, with the version of the rubric; other hidden fields are the page's own.
function typed() {
  const isHidden = (name) => form.querySelector(`input[type=hidden][name="${CSS.escape(name)}"]`);
  return [...new FormData(form)].filter(([name]) => name === "rubric" || !isHidden(name));
}

export function say(text, tone = "") {
  const state = document.getElementById("draft-state");
  if (state) { state.textContent = text; state.className = `small ${tone || "soft"}`; }
}

function keepHere() {
  const { key, draft } = form.elements;
  try {
    localStorage.setItem(storeKey(), JSON.stringify({ fields: typed(), key: key.value, draft: draft.value, at: Date.now() }));
  } catch (error) {
    console.warn("This browser keeps no copy of the draft:", error.message);
  }
}

const clock = () => new Date().toISOString().slice(11, 16);

export function tell(answer) {
  if (answer.changed) say("Something new came in: saving will show it first.", "errorlist");
  else if (answer.holder) say(`${answer.holder} has it open as well.`, "errorlist");
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

async function post(url, body) {
  const { status, isJson, data } = await send(url, body);
  if (!isJson || ![200, 409].includes(status)) throw new Error(`the site answered ${status}`);
  return { conflict: status === 409, ...data };
}

async function autosave() {
  const [sent, name] = [form, storeKey()];
  unsent = false;
  try {
    const answer = await post(form.dataset.draftUrl, new FormData(form));
    delay = 2000;
    if (!answer.conflict || answer.kept) localStorage.removeItem(name);
    if (form !== sent) return; // the page shows another sample now
    if (answer.conflict) { showTexts(answer); return; }
    if (answer.saved) form.elements.draft.value = answer.version;
    say(answer.saved ? `Draft kept ${clock()}` : "Already saved from another page");
    tell(answer);
  } catch (error) {
    if (form !== sent) return;
    unsent = true;
    say(`Kept in this browser only (${error.message})`, "errorlist");
    if (!(error instanceof Unreachable)) return;
    clearTimeout(timer);
    timer = setTimeout(autosave, delay);
    delay = Math.min(2 * delay, RETRY_MS);
  }
}

export function changed() {
  if (!form) return; // saved: a field that loses the focus while the next page comes changes nothing
  unsent = true;
  keepHere();
  clearTimeout(timer);
  timer = setTimeout(autosave, AUTOSAVE_MS);
}

// A page closed before its next autosave sends its unsaved input.
export function sendNow() {
  if (!form || !unsent) return;
  clearTimeout(timer);
  unsent = !beacon(form.dataset.draftUrl, new FormData(form));
}

// The input is on its way as a review: no draft of it is sent any more. `drop`: the outbox holds the copy.
export function stopDrafts(drop = false) {
  clearTimeout(timer);
  unsent = false;
  if (drop && form) localStorage.removeItem(storeKey());
  form = null;
}

function copies() {
  return Object.keys(localStorage).filter((name) => name.startsWith(prefix()))
    .map((name) => ({ name, ...JSON.parse(localStorage.getItem(name) ?? "{}") }))
    .sort((one, other) => (one.at ?? 0) - (other.at ?? 0));
}

function fill(fields) {
  for (const [name, value] of fields) {
    if (name === "rubric") continue; // the form stays under its own version
    for (const field of form.querySelectorAll(`[name="${CSS.escape(name)}"]`)) {
      if (field.matches("[type=radio], [type=checkbox]")) field.checked = value === field.value;
      else field.value = value;
    }
  }
  say("Restored from this browser");
}

// A copy that the server never received is sent as its page would have sent it: the site decides whether
// it is newer than the draft or has to be kept beside it.
async function restoreOne(copy) {
  const here = form;
  const body = new FormData();
  const carried = { key: copy.key, draft: copy.draft ?? 0, seen: form.elements.seen.value, reviewer: form.dataset.reviewer };
  for (const [name, value] of [...Object.entries(carried), ...copy.fields]) body.append(name, value);
  let answer;
  try {
    answer = await post(form.dataset.draftUrl, body);
  } catch {
    if (form === here) fill(copy.fields);
    return; // the copy stays in this browser until the server answers
  }
  if (answer.conflict && form === here) showTexts(answer);
  if (answer.conflict && !answer.kept) return;
  localStorage.removeItem(copy.name);
  if (!answer.saved || form !== here) return;
  form.elements.draft.value = answer.version;
  const { rubric } = Object.fromEntries(copy.fields);
  if (rubric && rubric !== form.elements.rubric.value) location.reload(); // the site says what the newer version does not ask
  else fill(copy.fields);
}

export async function openDrafts(of) {
  form = of;
  unsent = false;
  if (!form) return;
  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
  if (form.dataset.bound) { changed(); return; } // a refused review: its text is no draft yet
  for (const copy of copies()) {
    if (form === of && copy.fields && copy.key && copy.name !== storeKey()) await restoreOne(copy);
  }
}
