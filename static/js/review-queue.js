// The queue page: one key takes the next sample.
import { isTyping } from "./keys.js";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || event.key !== "n") return;
  document.getElementById("next")?.click();
});
