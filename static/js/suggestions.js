// Suggestions on the review page: take or drop without leaving it. Without this script the buttons post the form.
import { isForPage } from "./keys.js";

const KEYS = { "+": "take", "-": "drop" };

function say(text) {
  const place = document.getElementById("suggestion-said");
  if (place) place.textContent = text;
}

// Fills the fields as a person would: what is filled is saved as a draft.
function fill(form, fields) {
  for (const [name, value] of Object.entries(fields)) {
    const field = form.elements[name];
    if (field) field.value = value;
  }
  if (Object.keys(fields).length) form.dispatchEvent(new Event("change", { bubbles: true }));
}

async function answer(button) {
  const { form } = button;
  const body = new FormData(form);
  body.set(button.name, button.value);
  const panel = document.getElementById("suggestions");
  const hadFocus = panel.contains(document.activeElement);
  panel.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(button.formAction, { method: "POST", body, headers: { Accept: "application/json" } });
    if (response.redirected || !(response.ok || response.status === 409)) throw new Error(`the site answered ${response.status}`);
    const said = await response.json();
    if (!panel.isConnected) return; // the page shows another sample now
    if (said.panel !== undefined) panel.innerHTML = said.panel;
    if (hadFocus) (panel.querySelector("[data-open]") ?? document.getElementById("suggestions-title"))?.focus();
    fill(form, said.fill ?? {});
    say(said.said);
  } catch (error) {
    if (panel.isConnected) say(`Not recorded, try again (${error.message}).`);
  } finally {
    panel.removeAttribute("aria-busy");
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("button[data-suggestion]");
  if (!button?.form) return;
  event.preventDefault();
  if (document.getElementById("suggestions").getAttribute("aria-busy") !== "true") answer(button);
});

document.addEventListener("keydown", (event) => {
  if (!isForPage(event) || !Object.hasOwn(KEYS, event.key)) return;
  const button = document.querySelector(`[data-open][data-suggestion="${KEYS[event.key]}"]`);
  if (button) { event.preventDefault(); button.click(); }
});
