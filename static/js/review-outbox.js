// Reviews on their way to the site, kept in this browser until it has them: a reload, a crash or a minute offline lose
// none. Each is sent until the site has answered; the form's key makes it one review however often it is sent. They
// belong to the account that wrote them: nobody else who signs in here sends or sees them.
import { OtherPerson, send, SignedOut, Unreachable } from "./review-send.js";
import { parsed, swapIn } from "./swap.js";

const FIRST_MS = 1000;
const LONGEST_MS = 60_000;
const OWN = ["key", "seen", "rubric", "draft", "reviewer", "here", "active_s"]; // the page's own fields
const GONE = [404, 410];
let reviewer = "";
let delay = FIRST_MS;
let timer = 0;
let sending = null;
const underWay = new Map(); // the answers awaited, by key
let told = []; // what the site says of samples just judged, until the next one is shown
let why = ""; // why the last attempt failed, in a sentence

const prefix = () => `concur-outbox-${reviewer}-`;
export const items = () => (reviewer ? Object.keys(localStorage) : []).filter((name) => name.startsWith(prefix()))
  .map((name) => JSON.parse(localStorage.getItem(name))).filter(Boolean) // another tab may have dropped one just now
  .sort((one, other) => one.at - other.at);
export const keep = (item) => localStorage.setItem(prefix() + item.key, JSON.stringify(item));
export const drop = (key) => localStorage.removeItem(prefix() + key);
const isShown = (item) => document.getElementById("review-form")?.elements.key.value === item.key;

export function itemOf(form) {
  const { sample, title } = form.dataset;
  const fields = [...new FormData(form)].filter(([name]) => name !== "csrfmiddlewaretoken");
  return { key: form.elements.key.value, url: form.action, sample, title, fields, at: Date.now(), refused: "" };
}

function bodyOf(item, stay) {
  const body = new FormData();
  for (const [name, value] of item.fields) body.append(name, value);
  if (stay) body.append("stay", "1");
  return body;
}

// Sends one, whoever asks for it meanwhile; returns the answer.
export function deliver(item) {
  if (!underWay.has(item.key)) {
    underWay.set(item.key, sendOne(item).finally(() => underWay.delete(item.key)));
  }
  return underWay.get(item.key);
}

// A refused one stays, with the reason, until its writer goes back to it.
async function sendOne(item) {
  const answer = await send(item.url, bodyOf(item, !isShown(item)));
  if (answer.isJson && answer.data.saved) {
    drop(item.key);
    if (answer.data.told) told.push(answer.data.told);
    document.dispatchEvent(new CustomEvent("review-saved", { detail: { item, answer: answer.data } }));
  } else {
    keep({ ...item, refused: refusalIn(answer), isGone: GONE.includes(answer.status) });
  }
  return answer;
}

// Returns why the site refused a review, as the page that it answered says it.
function refusalIn({ status, isJson, text, data }) {
  if (GONE.includes(status)) return "The sample is no longer there.";
  const said = isJson ? data.detail : parsed(text).main?.querySelector("[data-not-saved]")?.dataset.notSaved;
  return said || (status === 403 ? "Your account may not review any more." : `The site answered ${status}.`);
}

async function sendWaiting() {
  clearTimeout(timer);
  try {
    for (const item of items()) if (!item.refused) await deliver(item);
    [why, delay] = ["", FIRST_MS];
  } catch (error) {
    if (error instanceof SignedOut) why = "signed-out";
    else if (error instanceof OtherPerson) why = error.message;
    else if (error instanceof Unreachable) {
      why = "offline";
      timer = setTimeout(sendAll, delay);
      delay = Math.min(2 * delay, LONGEST_MS);
    } else throw error;
  }
  show();
}

export function sendAll() {
  sending ??= sendWaiting().finally(() => { sending = null; });
  return sending;
}

// An attempt that is under way may have read the list before this one was in it.
export async function sendSoon() {
  if (sending) await sending;
  return sendAll();
}

// --- The notice ---

const box = document.createElement("section");
box.className = "outbox panel";
box.setAttribute("aria-label", "Reviews on their way");
box.hidden = true;

function button(words, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "button is-small";
  made.textContent = words;
  made.addEventListener("click", act);
  return made;
}

function line(text, ...more) {
  const made = document.createElement("p");
  made.dir = "auto";
  made.append(text, ...more);
  return made;
}

// Goes back to a refused review: the site answers with its page, the text in the form, and what is new.
async function reopen(item) {
  try {
    const answer = await deliver(item);
    if (!answer.isJson && swapIn(parsed(answer.text), item.url)) drop(item.key);
  } catch (error) {
    why = error instanceof SignedOut ? "signed-out" : "offline";
  }
  show();
}

function refusedLine(item) {
  const texts = item.fields.filter(([name, value]) => value && !OWN.includes(name));
  const typed = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = "What you typed";
  typed.append(summary, ...texts.map(([name, value]) => line(`${name}: ${value}`)));
  const act = item.isGone ? button("Discard it", () => { drop(item.key); show(); }) : button("Go back to it", () => reopen(item));
  return [line(`Not saved: your review of ${item.title}. ${item.refused} Your input is kept. `, act), typed];
}

function waitingLine(count) {
  const reviews = count === 1 ? "1 review waits" : `${count} reviews wait`;
  if (why === "offline") return line(`Offline: ${reviews} to be sent. Go on: nothing is lost.`);
  if (why !== "signed-out") return line(`${why}: ${reviews} in this browser until you sign in again.`);
  const link = document.createElement("a");
  link.href = `/accounts/login/?next=${encodeURIComponent(location.pathname + location.search)}`;
  link.textContent = "Sign in again";
  return line(`You are signed out: ${reviews} to be sent. `, link, " and they are sent.");
}

function toldLine(sentence) {
  return line(`${sentence} `, button("Close", () => { told = told.filter((one) => one !== sentence); show(); }));
}

export function show() {
  const all = items();
  const waiting = all.filter((item) => !item.refused);
  const lines = [...told.map(toldLine), ...all.filter((item) => item.refused).flatMap(refusedLine)];
  if (why && waiting.length) lines.unshift(waitingLine(waiting.length));
  const status = box.firstElementChild;
  if (status.textContent !== lines.map((one) => one.textContent).join("")) status.replaceChildren(...lines);
  box.hidden = !lines.length;
}

export function openOutbox(of) {
  if (reviewer || !of) return;
  reviewer = of;
  const status = document.createElement("div");
  status.className = "panel-body";
  status.setAttribute("role", "status");
  box.append(status);
  document.getElementById("main").before(box);
  document.addEventListener("page-leaving", () => { told = []; show(); });
  addEventListener("online", () => { delay = FIRST_MS; sendAll(); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden && items().length) sendAll(); });
  sendAll();
}
