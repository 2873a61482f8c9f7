// Fetches the page of the next sample while this one is judged. The site reserves it for a short time, which is
// renewed while its reviewer is active and ends when the page is closed.
import { beacon, send } from "./review-send.js";
import { parsed } from "./swap.js";

const FRESH_MS = 150_000; // the site's reservation lasts three minutes
const RENEW_MS = 100_000;
let ahead = null; // { at, form, page: promise of { page, address, sample } or null, sample: once it came }

export function fetchAhead(form, instead = "") {
  const body = new FormData();
  body.append("reviewer", form.dataset.reviewer);
  if (instead) body.append("instead", instead);
  const page = send(form.dataset.aheadUrl, body).then((answer) => {
    if (answer.status !== 200 || !answer.address) return null;
    const found = parsed(answer.text);
    return { page: found, address: answer.address, sample: found.main?.querySelector("#review-form")?.dataset.sample };
  }).catch(() => null); // without it, saving loads the next page as a browser does
  const fetched = { at: Date.now(), form, page, sample: "" };
  page.then((found) => { fetched.sample = found?.sample ?? ""; });
  ahead = fetched;
}

export async function renewAhead() {
  if (!ahead || Date.now() - ahead.at < RENEW_MS) return;
  const { form, page } = ahead;
  const before = (await page)?.sample;
  if (ahead?.page === page) fetchAhead(form, before ?? "");
}

// Returns the next page, once; null if there is none. Whoever saves before the page was asked for waits for it here.
export async function takeAhead(form) {
  if (!ahead) fetchAhead(form);
  else if (Date.now() - ahead.at > FRESH_MS) await renewAhead();
  const found = ahead;
  ahead = null;
  return (await found?.page) ?? null;
}

// Releases the reserved sample; a closing page waits for nothing.
export function releaseAhead() {
  const found = ahead;
  ahead = null;
  if (!found?.sample) return;
  const body = new FormData();
  for (const name of ["csrfmiddlewaretoken", "reviewer"]) body.append(name, found.form.elements[name].value);
  beacon(`/review/${found.sample}/ahead/release/`, body);
}
