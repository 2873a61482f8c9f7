// The list: selection with a count, and keys for pages. All of it works without this file, only slower.
import { isTyping } from "./keys.js";

const boxes = [...document.querySelectorAll('input[name="sample"]')];
const all = document.getElementById("pick-all");
const picked = document.getElementById("picked");
const button = document.getElementById("verify-selected");

function show() {
  const count = boxes.filter((box) => box.checked).length;
  if (picked) picked.textContent = count ? `${count} selected` : "";
  if (button) button.disabled = count === 0;
  if (all) {
    all.checked = count > 0 && count === boxes.length;
    all.indeterminate = count > 0 && count < boxes.length;
  }
}

if (all) {
  all.hidden = false;
  all.addEventListener("change", () => { for (const box of boxes) box.checked = all.checked; show(); });
}
let last = null;
for (const box of boxes) {
  box.addEventListener("click", (event) => {
    if (event.shiftKey && last) {
      const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].sort((a, b) => a - b);
      for (const between of boxes.slice(from, to + 1)) between.checked = box.checked;
    }
    last = box;
    show();
  });
}
show();
addEventListener("pageshow", show);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (event.key === "n") document.querySelector('a[rel="next"]')?.click();
  else if (event.key === "p") document.querySelector('a[rel="prev"]')?.click();
  else if (event.key === "x") {
    const box = document.activeElement?.closest?.("tr")?.querySelector('input[name="sample"]');
    if (box) { box.checked = !box.checked; last = box; show(); }
  }
});

// A menu that is open closes when one presses Escape or clicks elsewhere.
const menus = [...document.querySelectorAll(".view-menu, .query-help")];
document.addEventListener("click", (event) => {
  for (const menu of menus) if (menu.open && !menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of menus) if (menu.open) { menu.open = false; menu.querySelector("summary").focus(); }
});
