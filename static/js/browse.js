// The list: selection with a count, keys, sheets that open and close. Works without this file, only slower.
import { isForPage } from "./keys.js";

const boxes = [...document.querySelectorAll('input[name="sample"][type="checkbox"]')];
const all = document.getElementById("pick-all");
const picked = document.getElementById("picked");
const act = document.getElementById("act");
const ofSelection = [...document.querySelectorAll("[data-of-selection]")];

function show() {
  const count = boxes.filter((box) => box.checked).length;
  if (picked) picked.textContent = count ? `${count} selected` : "";
  for (const button of ofSelection) {
    button.disabled = count === 0;
    button.textContent = `${button.dataset.ofSelection}: ${count ? `${count} selected` : "tick rows"}`;
  }
  if (all) {
    all.checked = count > 0 && count === boxes.length;
    all.indeterminate = count > 0 && count < boxes.length;
  }
}

function pickAll(checked) {
  for (const box of boxes) box.checked = checked;
  show();
}

if (all) {
  all.hidden = false;
  all.addEventListener("change", () => pickAll(all.checked));
}
let last = null;
for (const box of boxes) {
  box.addEventListener("click", (event) => {
    if (event.shiftKey && last) {
      const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].sort((a, b) => a - b);
      for (const between of boxes.slice(from, to + 1)) between.checked = box.checked;
    }
    last = box;
    show();
  });
}
show();
addEventListener("pageshow", show);

// --- Sheets ---

const sheets = [...document.querySelectorAll(".view-menu, .act-panel")];

function openSheet(sheet) {
  if (!sheet) return;
  sheet.open = true;
  sheet.querySelector("input:not([type=hidden]):not([disabled]), select, button:not([disabled]):not([hidden])")?.focus();
}

document.addEventListener("click", (event) => {
  for (const sheet of sheets) if (sheet.open && !sheet.contains(event.target)) sheet.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const sheet of sheets) if (sheet.open) { sheet.open = false; sheet.querySelector("summary").focus(); }
});

// Enter in a field of a sheet presses its first verb: the one for the selection, if there is one.
act?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("input")) return;
  const button = event.target.closest(".act-panel")?.querySelector("[data-of-selection]:not([disabled])");
  event.preventDefault();
  button?.click();
});

// Existing tags, reviewers and recipes are requested when a sheet is first opened.
act?.addEventListener("toggle", async () => {
  const place = document.getElementById("known-choices");
  if (!place || place.childElementCount) return;
  const answer = await fetch(act.dataset.choices);
  if (answer.ok) place.innerHTML = await answer.text();
}, { capture: true });

// --- Keys ---

const KEYS = {
  n: () => document.querySelector('a[rel="next"]')?.click(),
  p: () => document.querySelector('a[rel="prev"]')?.click(),
  X: () => pickAll(!boxes.every((box) => box.checked)),
  f: () => {
    const toggle = document.getElementById("show-facets");
    if (toggle && getComputedStyle(document.querySelector(".facet-label")).display !== "none") toggle.checked = true;
    document.querySelector(".facets a, .facets input:not([type=hidden])")?.focus();
  },
  t: () => openSheet(document.querySelector('[data-panel="tag"]')),
  e: () => openSheet(document.querySelector('[data-panel="verify"]')),
  s: () => { openSheet(document.getElementById("views-menu")); document.getElementById("view-name")?.focus(); },
  z: () => document.getElementById("undo")?.click(),
  x: () => {
    const box = document.activeElement?.closest?.("tr")?.querySelector('input[name="sample"]');
    if (box) { box.checked = !box.checked; last = box; show(); }
  },
};
document.addEventListener("keydown", (event) => {
  if (!isForPage(event) || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});

// --- Preview: Space on a row opens it over the list, Space or Esc closes it ---

const preview = document.getElementById("preview");

async function openPreview(link) {
  const address = new URL(link.href);
  const answer = await fetch(`${address.pathname}preview/`, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!answer?.ok) { location.assign(link.href); return; } // the sample's own page says what is wrong
  preview.innerHTML = await answer.text();
  preview.showModal();
}
document.addEventListener("keydown", (event) => {
  if (event.key !== " " || !preview) return;
  const link = document.activeElement?.closest?.("[data-row-link]");
  if (preview.open && !event.target.closest("button, a")) {
    event.preventDefault();
    preview.close();
  } else if (link && isForPage(event)) {
    event.preventDefault();
    openPreview(link);
  }
});
preview?.addEventListener("close", () => preview.replaceChildren());
