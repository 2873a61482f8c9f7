// Comparing two: a key presses the control that names it. What was typed is kept for this tab until it is stored, so
// that a skipped pair, a lost connection or an ended session loses nothing.
import { isForPage } from "./keys.js";

const KEY = `concur-compare-${location.pathname}`;
const reason = document.querySelector("#compare-form #reason");

function read() { try { return sessionStorage.getItem(KEY) ?? ""; } catch { return ""; } }
function keep(text) { try { sessionStorage.setItem(KEY, text); } catch { /* private mode: not kept */ } }
function forget() { try { sessionStorage.removeItem(KEY); } catch { /* nothing was kept */ } }

if (reason) {
  if (!reason.value) reason.value = read();
  reason.addEventListener("input", () => keep(reason.value));
} else forget(); // this pair's choice is stored

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target === reason) reason.blur();
  if (!isForPage(event)) return;
  if (event.key === "m" && reason) { event.preventDefault(); reason.focus(); return; }
  const control = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === event.key);
  if (control) { event.preventDefault(); control.click(); }
});
