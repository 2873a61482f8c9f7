// The adjudication page: the review page's keys for the verdict, the reason and what saves them.
import { isForPage } from "./keys.js";

const reason = document.getElementById("comment");
const controlOf = (key) => document.querySelector(`main [data-key="${CSS.escape(key)}"]`);

document.addEventListener("keydown", (event) => {
  if (event.target === reason && event.key === "Escape") return reason.blur();
  if (event.target === reason && (event.ctrlKey || event.metaKey) && event.key === "Enter") return controlOf("s").click();
  const control = event.key === "m" ? reason : controlOf(event.key);
  if (!isForPage(event) || !control) return;
  event.preventDefault(); // the field that a key leads to does not get the key
  if (control === reason) reason.focus();
  else control.click();
});
