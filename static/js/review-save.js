// Saves a review and shows the next sample at once: the site's answer is awaited in the background.
import { fetchAhead, releaseAhead, takeAhead } from "./review-ahead.js";
import { openDrafts, say, sendNow, stopDrafts } from "./review-drafts.js";
import { deliver, drop, itemOf, items, keep, sendSoon, show as showOutbox } from "./review-outbox.js";
import { send } from "./review-send.js";
import { forgetTime, startTimer, stopTimer } from "./review-timer.js";
import { afterPaint, parsed, swapIn } from "./swap.js";

let isBusy = false;
let undoWanted = false; // pressed before the site has confirmed the review

const current = () => document.getElementById("review-form");

export function openForm(form) {
  isBusy = false;
  openDrafts(form);
  startTimer(form);
  if (!form) return;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    const leaves = event.submitter?.hasAttribute("formaction");
    const act = !leaves ? save(form) : event.submitter.id === "skip" ? skip(form, event.submitter) : leave(form, event.submitter);
    act.finally(() => { isBusy = false; });
  });
  afterPaint(() => { if (current() === form && !isBusy) fetchAhead(form); });
}

function savingNotice(title) {
  const place = document.getElementById("last-review");
  if (place) place.replaceChildren(Object.assign(document.createElement("p"), { textContent: `Saving your review of ${title}` }));
}

async function save(form) {
  stopTimer();
  const item = itemOf(form);
  if (!form.checkValidity()) return saveHere(form, () => send(form.action, new FormData(form))); // says what is missing
  const next = await takeAhead(form);
  keep(item); // not earlier: a review in the outbox may be sent at any time, and its answer leaves this page
  if (!next) return saveHere(form, () => deliver(item));
  forgetTime();
  stopDrafts(true);
  swapIn(next.page, next.address);
  savingNotice(item.title);
  return sendSoon();
}

// Without a next page in hand: shows the answer, which is this sample's page if the site refuses the review.
async function saveHere(form, attempt) {
  try {
    const answer = await attempt();
    if (answer.isJson || ![400, 409].includes(answer.status)) return showOutbox();
    drop(form.elements.key.value);
    swapIn(parsed(answer.text), location.href, "replace");
  } catch (error) {
    say(`Kept in this browser (${error.message})`, "errorlist");
    await sendSoon(); // says what waits, and tries again
  }
  return undefined;
}

// The site has to take the skip before the next sample is shown: it may refuse the reason.
async function skip(form, button) {
  const next = await takeAhead(form);
  const body = new FormData(form, button);
  if (next) body.append("stay", "1");
  try {
    const { data, status, isJson, text } = await send(button.formAction, body);
    if (!isJson && status === 400) return void swapIn(parsed(text), location.href, "replace");
    if (!next) return void goTo(data.next, status);
    if (!data.skipped) throw new Error(`the site answered ${status}`);
    forgetTime();
    stopDrafts(true);
    swapIn(next.page, next.address);
    if (data.told) say(data.told, "errorlist");
  } catch (error) {
    fail(error);
    fetchAhead(form, next?.sample);
  }
}

// Undo: the site keeps what is typed here, and says which page comes next.
async function leave(form, button) {
  try {
    const { data, status } = await send(button.formAction, new FormData(form, button));
    goTo(data.next, status);
  } catch (error) {
    fail(error);
  }
}

function goTo(address, status) {
  if (!address) throw new Error(`the site answered ${status}`);
  stopDrafts(true);
  location.assign(address);
}

const fail = (error) => say(`Not done (${error.message}). Your input is kept: try again.`, "errorlist");

export function undo() {
  undoWanted = items().some((item) => !item.refused);
  if (undoWanted) say("Undone as soon as the site has the review.");
  else document.getElementById("undo")?.click();
}

document.addEventListener("review-saved", ({ detail: { item, answer } }) => {
  const form = current();
  if (!form) return;
  if (form.elements.key.value === item.key) {
    forgetTime();
    stopDrafts(true);
    location.assign(answer.next);
    return;
  }
  document.getElementById("last-review").outerHTML = answer.last;
  document.getElementById("queue-position").innerHTML = answer.position;
  if (!undoWanted) return;
  undoWanted = false;
  document.getElementById("undo")?.click();
});

// Whatever is typed when a page is left is sent, and the sample ahead is free for others.
function close() {
  sendNow();
  releaseAhead();
}
document.addEventListener("page-leaving", () => { close(); stopDrafts(); });
document.addEventListener("page-unreachable", () => say("Offline: that page is shown when the site answers again.", "errorlist"));
document.addEventListener("visibilitychange", () => { if (document.hidden) sendNow(); });
addEventListener("pagehide", close);
addEventListener("pageshow", (event) => { if (event.persisted && current()) fetchAhead(current()); });
