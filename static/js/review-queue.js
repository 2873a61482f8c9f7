// The queue page: one key takes the next sample. Reviews that could not be sent before are sent now.
import { isForPage } from "./keys.js";
import { openOutbox } from "./review-outbox.js";

openOutbox(document.querySelector("[data-reviewer]")?.dataset.reviewer);

document.addEventListener("keydown", (event) => {
  if (!isForPage(event) || event.key !== "n") return;
  document.getElementById("next")?.click();
});
