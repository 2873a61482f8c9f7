// Puts findings beside the kernel lines that they refer to. Without this they are a list in the pane's head.
import { onPage } from "./swap.js";

function place(item) {
  const line = document.getElementById(`kernel-L${item.dataset.noteLine}`);
  if (!line) return; // in a part of a long kernel that is not loaded yet
  const note = document.createElement("span");
  note.className = "line-note";
  note.append(item.querySelector(".badge").cloneNode(true), " ", ...item.querySelector(".jump-name").cloneNode(true).childNodes);
  let last = line;
  while (last.nextElementSibling?.matches(".line-note")) last = last.nextElementSibling;
  last.after(note);
  item.dataset.placed = "yes";
}

function placeAll() {
  for (const item of document.querySelectorAll("[data-note-line]:not([data-placed])")) place(item);
}
document.addEventListener("lines-loaded", placeAll);
onPage(placeAll);
