// Keys of the sample page: a link that carries data-key is followed when its key is pressed.
import { isTyping } from "./keys.js";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
  if (!/^[a-z]$/.test(event.key)) return;
  document.querySelector(`[data-key="${event.key}"]`)?.click();
});
