// The review page: its keys, the heartbeat that holds the sample, and what starts with every sample that is shown.
import { isTyping } from "./keys.js";
import { renewAhead } from "./review-ahead.js";
import { say, tell } from "./review-drafts.js";
import { openOutbox } from "./review-outbox.js";
import { openForm, undo } from "./review-save.js";
import { send } from "./review-send.js";
import { afterPaint, onPage } from "./swap.js";

const HEARTBEAT_MS = 60_000;
let form = null;
let criteria = [];
let marked = 0;
let afterG = false;
let active = true; // there was activity since the last heartbeat

function mark(index, scrolls = true) {
  marked = Math.max(0, Math.min(criteria.length - 1, index));
  criteria.forEach((row, at) => row.classList.toggle("is-marked", at === marked));
  if (scrolls) criteria[marked]?.scrollIntoView({ block: "nearest" });
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
  s: () => document.getElementById("save")?.click(),
  u: undo,
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
  const reason = form?.querySelector(`.reason input[data-key="${CSS.escape(key)}"]`);
  if (reason) return reason.click();
  return ACTIONS[key]?.(event);
}

document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]") || event.defaultPrevented) return;
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") return void ACTIONS.s();
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return void document.activeElement?.blur();
  if (isTyping(event.target)) return;
  const goes = afterG; // the key after g navigates (keys.js)
  afterG = event.key === "g";
  if (!goes) pressed(event);
});

async function heartbeat() {
  if (!active || document.hidden || !form) return;
  active = false;
  const here = form;
  renewAhead();
  try {
    const { data } = await send(form.dataset.claimUrl, new FormData(form));
    if (form === here) tell(data);
  } catch (error) {
    if (form === here) say(`The site does not answer (${error.message})`, "errorlist");
  }
}

onPage(() => {
  form = document.getElementById("review-form");
  criteria = form ? [...form.querySelectorAll(".criterion")] : [];
  afterG = false;
  mark(Math.max(0, criteria.findIndex((row) => !row.querySelector("input:checked:not([value=''])"))), false);
  criteria.forEach((row, at) => row.addEventListener("focusin", () => mark(at)));
  openOutbox(form?.dataset.reviewer);
  openForm(form);
  (document.getElementById("conflict") ?? document.getElementById("rubric-moved"))?.focus();
});
document.addEventListener("page-swapped", () => {
  active = true;
  afterPaint(heartbeat); // its claim was a short one
});
for (const sign of ["pointermove", "keydown", "scroll"]) {
  document.addEventListener(sign, () => { active = true; }, { passive: true, capture: true });
}
setInterval(heartbeat, HEARTBEAT_MS);
