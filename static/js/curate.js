// The composer with JavaScript: faults that arrive with the funnel also mark their fields.
function markFields() {
  for (const input of document.querySelectorAll("#composer [aria-describedby]")) {
    const fault = document.getElementById(input.getAttribute("aria-describedby"));
    if (fault?.textContent.trim()) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }
}

// A moved rule keeps the focus on the button that moved it, and an added one gets it. Removing leads to "Add a rule".
let pressed = null;
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("#composer button[name=do]");
  if (button) pressed = button.value;
});
function firstControl(place) {
  const around = place ? document.getElementById(`new-rule-${place}`)?.closest(".rule") : document.querySelector("#composer");
  const rule = around?.querySelector(".rules")?.lastElementChild;
  return rule?.querySelector(".rule-fields :is(input, select, textarea)") ?? rule?.querySelector("button:not(:disabled)");
}
// Saving leaves the page, so a pending request for the funnel is cancelled.
let leaving = false;
document.addEventListener("submit", () => { leaving = true; });
document.body.addEventListener("htmx:beforeRequest", (event) => { if (leaving) event.preventDefault(); });

document.body.addEventListener("htmx:afterSettle", () => {
  markFields();
  if (!pressed) return;
  const [word, place] = pressed.split(":");
  const step = { up: -1, down: 1 }[word];
  pressed = null;
  if (word === "add") firstControl(place)?.focus();
  if (word === "remove") document.getElementById("new-rule")?.focus();
  if (!step || !place) return;
  const parts = place.split(".");
  parts.push(String(Number(parts.pop()) + step));
  const button = document.querySelector(`#composer button[value="${word}:${parts.join(".")}"]`);
  (button?.disabled ? button.parentElement.querySelector("button:not(:disabled)") : button)?.focus();
});
