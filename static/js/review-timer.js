// Active time on a sample: it stands still without a sign of life for 30 s, and while the page is hidden.
const IDLE_MS = 30_000;
const TICK_MS = 1000;
const HIDDEN = "concur-timer-hidden";
let form = null;
let seconds = 0;
let lastTick = 0;
let lastSign = 0;

const name = () => `concur-active-${form.dataset.reviewer}-${form.dataset.sample}`;
const isHidden = () => localStorage.getItem(HIDDEN) === "1";

function show() {
  const button = document.querySelector("[data-timer]");
  if (!button) return;
  const whole = Math.floor(seconds);
  button.hidden = false;
  button.setAttribute("aria-pressed", String(isHidden()));
  button.textContent = isHidden() ? "Show time" : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  button.setAttribute("aria-label", isHidden() ? "Show the active time on this sample" : "Hide the active time on this sample");
}

function tick() {
  const now = Date.now();
  const isActive = form && !document.hidden && now - lastSign < IDLE_MS;
  if (isActive) seconds += Math.min(now - lastTick, 2 * TICK_MS) / 1000; // a machine that slept adds nothing
  lastTick = now;
  if (!isActive) return;
  sessionStorage.setItem(name(), String(seconds)); // a reload goes on counting
  if (!isHidden()) show();
}

export function startTimer(of) {
  form = of;
  lastTick = lastSign = Date.now();
  seconds = form ? Number(sessionStorage.getItem(name()) ?? 0) : 0;
  if (form) show();
}

// Writes the seconds into the form; the next visit of the sample begins at 0.
export function stopTimer() {
  tick();
  if (form?.elements.active_s) form.elements.active_s.value = String(Math.round(seconds));
}

export function forgetTime() {
  if (form) sessionStorage.removeItem(name());
  form = null;
}

for (const sign of ["pointermove", "pointerdown", "keydown", "scroll"]) {
  document.addEventListener(sign, () => { tick(); lastSign = Date.now(); }, { passive: true, capture: true });
}
document.addEventListener("visibilitychange", () => { lastTick = Date.now(); });
document.addEventListener("click", (event) => {
  if (!event.target.closest?.("[data-timer]")) return;
  localStorage.setItem(HIDDEN, isHidden() ? "0" : "1");
  show();
});
setInterval(tick, TICK_MS);
