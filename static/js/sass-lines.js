// Links the kernel's lines with their groups of machine instructions: under the pointer both sides are marked, and a line
// that is linked to or marked brings its first group into view. Without this, numbers on both sides are links.
const groupsOf = (line) => document.querySelectorAll(`.sass-group[data-line="${line}"]`);

function mark(name, lines) {
  for (const old of document.querySelectorAll(`.sass-group.${name}`)) old.classList.remove(name);
  const found = lines.flatMap((line) => [...groupsOf(line)]);
  for (const group of found) group.classList.add(name);
  return found;
}

function pointAt(line) {
  for (const old of document.querySelectorAll("#pane-kernel .l.is-pointed")) old.classList.remove("is-pointed");
  mark("is-pointed", line ? [line] : []);
  if (line && groupsOf(line).length) document.getElementById(`kernel-L${line}`)?.classList.add("is-pointed");
}

function lineOf(element) {
  const group = element.closest?.(".sass-group[data-line]");
  return group ? group.dataset.line : element.closest?.("#pane-kernel .l[id]")?.id.split("-L")[1];
}

document.addEventListener("pointerover", (event) => pointAt(lineOf(event.target)));
document.addEventListener("focusin", (event) => pointAt(lineOf(event.target)));
document.addEventListener("lines-marked", ({ detail: { pane, from, to } }) => {
  if (pane !== "kernel") return;
  const lines = [...document.querySelectorAll("#pane-sass [data-line]")].map((group) => Number(group.dataset.line));
  const [first] = mark("is-marked", [...new Set(lines)].filter((line) => from <= line && line <= to));
  const body = first?.closest(".pane-body");
  if (!body) return;
  const name = body.querySelector(".sass-function").offsetHeight; // it stays above what is scrolled
  body.scrollTop += first.getBoundingClientRect().top - body.getBoundingClientRect().top - name;
});
// One pane at a time: a link to a group shows it.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href^="#sass-L"]');
  if (!link) return;
  document.getElementById("one-sass").checked = true;
  link.closest("details").open = false;
});
