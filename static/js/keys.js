// Keys that work on every page. A page adds its own rows to the sheet (`data-keys`) and its own module.
const GO = { h: "/", i: "/ingest/", b: "/browse/", r: "/review/", v: "/verify/", c: "/curate/", d: "/releases/", a: "/analysis/" };
let pendingGo = false;

export function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

function moveRow(step) {
  const rows = [...document.querySelectorAll("[data-row-link]")];
  if (!rows.length) return;
  const at = rows.indexOf(document.activeElement);
  rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + step))].focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const sheet = document.getElementById("key-sheet");
  if (pendingGo) {
    pendingGo = false;
    if (event.key in GO) location.assign(GO[event.key]);
    return;
  }
  if (event.key === "g") pendingGo = true;
  else if (event.key === "?") sheet?.showModal();
  else if (event.key === "/") {
    const search = document.querySelector("[data-search]");
    if (search) { event.preventDefault(); search.focus(); search.select?.(); }
  } else if (event.key === "j") moveRow(1);
  else if (event.key === "k") moveRow(-1);
});
