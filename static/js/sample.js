// Keys of the sample page: a link that carries data-key is followed when its key is pressed.
import { isForPage } from "./keys.js";

document.addEventListener("keydown", (event) => {
  if (!isForPage(event) || !/^[a-z]$/.test(event.key)) return;
  document.querySelector(`[data-key="${event.key}"]`)?.click();
});
