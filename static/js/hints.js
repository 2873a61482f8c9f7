// Explains a name under the pointer or focus: a note on a built-in, the answer to a claim, or the lines of a
// name that the trace shares with the code, in both. Without this module all of them are plain links.
import { onPage } from "./swap.js";

let hint = null;
let shown = null;
let later = 0;

function textOf(link) {
  if (link.matches(".note")) return document.querySelector(`${link.getAttribute("href")} .note-text`)?.textContent;
  if (link.matches(".claim")) return document.getElementById(link.getAttribute("aria-describedby"))?.textContent;
  return undefined;
}

function placeBeside(link) {
  const box = link.getBoundingClientRect();
  hint.hidden = false;
  const left = Math.max(8, Math.min(box.left, innerWidth - hint.offsetWidth - 8));
  const below = box.bottom + 6 + hint.offsetHeight < innerHeight;
  hint.style.setProperty("--left", `${left}px`);
  hint.style.setProperty("--top", `${below ? box.bottom + 4 : box.top - hint.offsetHeight - 4}px`);
}

function linked(link, on) {
  const names = [link.getAttribute("href")?.slice(1), ...(link.dataset.also ?? "").split(" ")].filter(Boolean);
  for (const name of names) document.getElementById(name)?.classList.toggle("is-pointed", on);
}

function hide() {
  clearTimeout(later);
  if (!shown) return;
  if (shown.matches(".to-line")) linked(shown, false);
  if (shown.getAttribute("aria-describedby") === "hint") shown.removeAttribute("aria-describedby");
  hint.hidden = true;
  shown = null;
}

function show(link) {
  if (link === shown) return;
  hide();
  shown = link;
  if (link.matches(".to-line")) { linked(link, true); return; }
  const text = textOf(link);
  if (!text) return;
  hint.textContent = text;
  if (!link.hasAttribute("aria-describedby")) link.setAttribute("aria-describedby", "hint");
  placeBeside(link);
}

const SPEAKING = ".note, .claim, .to-line";
onPage(() => {
  [hint, shown] = [document.getElementById("hint"), null];
});
if (hint) {
  document.addEventListener("pointerover", (event) => {
    const link = event.target.closest?.(SPEAKING);
    clearTimeout(later);
    if (link) later = setTimeout(() => show(link), link.matches(".to-line") ? 0 : 250);
    else if (shown && !hint.contains(event.target) && document.activeElement !== shown) hide();
  });
  document.addEventListener("focusin", (event) => {
    const link = event.target.closest?.(SPEAKING);
    if (link?.matches(":focus-visible")) show(link);
    else hide();
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  document.addEventListener("scroll", hide, { capture: true, passive: true });
}

// Shows the visible part of the trace on its strip.
function follow(strip, body) {
  const view = strip.querySelector(".strip-view");
  const whole = Math.max(1, body.scrollHeight);
  view.setAttribute("x", String((1000 * body.scrollTop) / whole));
  view.setAttribute("width", String(body.clientHeight < whole ? (1000 * body.clientHeight) / whole : 0));
}
onPage(() => {
  const strip = document.querySelector("#pane-trace .strip");
  const body = document.querySelector("#pane-trace .pane-body");
  if (!strip || !body) return;
  body.addEventListener("scroll", () => requestAnimationFrame(() => follow(strip, body)), { passive: true });
  requestAnimationFrame(() => follow(strip, body)); // the frame computes this layout anyway
});
