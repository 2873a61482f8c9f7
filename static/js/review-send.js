// Sends what a review page has to say, and tells the reasons apart for which the site did not take it.
export class Unreachable extends Error {} // later it may work
export class SignedOut extends Error {}
export class OtherPerson extends Error {} // somebody else is signed in in this browser now

const PATIENCE_MS = 30_000;
const LATER = [408, 429, 500, 502, 503, 504, 507];
// The cookie is newer than the token in a form that was opened before its writer signed in again.
const token = () => /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? "";

export async function send(url, body = new FormData()) {
  const headers = { Accept: "application/json" };
  if (token()) {
    headers["X-CSRFToken"] = token();
    body.delete("csrfmiddlewaretoken");
  }
  let answer;
  let text;
  try {
    answer = await fetch(url, { method: "POST", body, headers, signal: AbortSignal.timeout(PATIENCE_MS) });
    text = await answer.text();
  } catch {
    throw new Unreachable("the site does not answer");
  }
  if (answer.redirected) throw new SignedOut("you are signed out");
  if (LATER.includes(answer.status)) throw new Unreachable(`the site answered ${answer.status}`);
  const isJson = answer.headers.get("Content-Type")?.includes("json");
  const data = isJson ? JSON.parse(text) : {};
  if (answer.status === 403 && data.other) throw new OtherPerson(`${data.other} is signed in now`);
  if (answer.status === 403 && !isJson && text.includes("CSRF")) throw new SignedOut("the form is too old");
  return { status: answer.status, isJson, data, text, address: answer.headers.get("Content-Location") };
}

// While a page is being closed. Reads no answer.
export function beacon(url, body) {
  return navigator.sendBeacon(url, body);
}
