// One box ticks all rows of the page. Without JavaScript the rows are ticked one by one.
const all = document.querySelector("[data-select-all]");
if (all) {
  all.hidden = false;
  all.addEventListener("change", () => {
    for (const box of document.querySelectorAll('input[name="verification"]')) box.checked = all.checked;
  });
}
