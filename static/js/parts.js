// A long kernel is loaded in parts: one at first, others when they are scrolled to, linked to, or searched.
// Without this each part is a link to a page that begins there.
import { onPage } from "./swap.js";

const loading = new Map();
const tell = () => document.dispatchEvent(new CustomEvent("lines-loaded"));

async function text(address) {
  const response = await fetch(address, { headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error(response.statusText);
  return response.text();
}

function elements(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

export function loadPart(part) {
  if (!loading.has(part)) {
    loading.set(part, text(part.dataset.part).then((html) => {
      const content = elements(html);
      const added = [...content.querySelectorAll("a.part")];
      part.replaceWith(content);
      added.forEach(watch);
      tell();
    }).catch(() => loading.delete(part))); // the link remains, to be clicked or tried again
  }
  return loading.get(part);
}

export const loadAll = () => Promise.all([...document.querySelectorAll("a.part[data-part]")].map(loadPart));

// Loads the parts with lines from..to of a pane; returns false if all of them are loaded.
export function loadLines(pane, from, to) {
  const missing = [...document.querySelectorAll(`#pane-${pane} a.part[data-part]`)]
    .filter((part) => Number(part.dataset.first) <= to && Number(part.dataset.last) >= from);
  return missing.length ? Promise.all(missing.map(loadPart)) : false;
}

const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) { seen.unobserve(entry.target); loadPart(entry.target); }
}, { rootMargin: "400px" });
// Reserves the space of a part from its number of lines; useless for a trace, whose segments wrap.
function watch(part) {
  if (part.closest("pre")) {
    part.style.setProperty("--lines", part.dataset.last - part.dataset.first + 1);
    part.classList.add("is-tall");
  }
  seen.observe(part);
}
document.addEventListener("click", (event) => {
  const part = event.target.closest?.("a.part[data-part]");
  if (!part || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  loadPart(part);
});

// The parts that need the whole kernel are loaded after the page: its outline, the claims, the linked trace.
onPage(() => {
  document.querySelectorAll("a.part[data-part]").forEach(watch);
  const later = document.querySelector("[data-later]");
  if (later) loadLater(later);
});

function loadLater(later) {
  text(later.dataset.later).then((html) => {
    if (!later.isConnected) return; // another sample is shown now
    for (const found of elements(html).querySelectorAll("[data-for]")) {
      document.querySelector(found.dataset.for)?.replaceWith(...found.childNodes);
    }
    document.querySelectorAll("#pane-trace a.part[data-part]").forEach(watch);
    tell();
  }).catch(() => { /* the link stays */ });
}
