// Keys that work on every page. A page adds its own rows to the sheet (`data-keys`) and its own module.
const GO = { h: "/", i: "/ingest/", b: "/browse/", r: "/review/", v: "/verify/", c: "/curate/", d: "/releases/", a: "/analysis/", e: "/edits/" };
let pendingGo = false;

export function isTyping(target) {
  if (!(target instanceof HTMLElement) || target.matches("[type=radio], [type=checkbox]")) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

// Returns whether a key press is for the page: not for a field, the sheet or the browser.
export function isForPage(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  return !isTyping(event.target) && !document.querySelector("dialog[open]");
}

// The page's own search field goes before the header's, which is folded into a link where the window is narrow.
function openSearch() {
  const search = document.querySelector("main [data-search]") ?? document.querySelector("[data-search]");
  if (search?.checkVisibility()) { search.focus(); search.select?.(); } else if (search) location.assign("/search/");
  return search !== null;
}

function moveRow(step) {
  const rows = [...document.querySelectorAll("[data-row-link]")];
  if (!rows.length) return;
  const at = rows.indexOf(document.activeElement);
  rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + step))].focus();
}

// The sheet lists the keys that work on the page in its current state.
function openSheet(sheet) {
  if (!sheet || sheet.open) return;
  for (const key of sheet.querySelectorAll("[data-needs]")) {
    const isThere = document.querySelector(key.dataset.needs) !== null;
    key.hidden = !isThere;
    key.nextElementSibling.hidden = !isThere;
  }
  sheet.showModal();
}

// A part that is being fetched on a person's request is marked busy; automatic refreshes are not.
const partOf = (event) => (event.detail.requestConfig?.triggeringEvent ? event.detail.target : null);
document.addEventListener("htmx:beforeRequest", (event) => partOf(event)?.setAttribute("aria-busy", "true"));
document.addEventListener("htmx:afterRequest", (event) => partOf(event)?.removeAttribute("aria-busy"));

document.addEventListener("keydown", (event) => {
  if (!isForPage(event)) return;
  const sheet = document.getElementById("key-sheet");
  if (pendingGo) {
    pendingGo = false;
    event.preventDefault(); // so that the page's own keys ignore it
    if (event.key in GO) location.assign(GO[event.key]);
    return;
  }
  if (event.key === "g") pendingGo = true;
  else if (event.key === "?") openSheet(sheet);
  else if (event.key === "/") {
    if (openSearch()) event.preventDefault();
  } else if (event.key === "j") moveRow(1);
  else if (event.key === "k") moveRow(-1);
});
