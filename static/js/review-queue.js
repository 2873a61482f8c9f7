// The queue page: one key takes the next sample.
import { isForPage } from "./keys.js";

document.addEventListener("keydown", (event) => {
  if (!isForPage(event) || event.key !== "n") return;
  document.getElementById("next")?.click();
});
