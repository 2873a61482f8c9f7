// Findings stand beside the lines of the kernel that they speak of. Without this they are the list in the pane's head.
for (const item of document.querySelectorAll("[data-note-line]")) {
  const line = document.getElementById(`kernel-L${item.dataset.noteLine}`);
  if (!line) continue;
  const note = document.createElement("span");
  note.className = "line-note";
  note.append(item.querySelector(".badge").cloneNode(true), " ", ...item.querySelector(".jump-name").cloneNode(true).childNodes);
  let last = line;
  while (last.nextElementSibling?.matches(".line-note")) last = last.nextElementSibling;
  last.after(note);
}
