// One box ticks all rows of the page; the list refreshes itself, so the document listens. Without JavaScript the rows are
// ticked one by one, and the style sheet hides the box.
document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-select-all]")) return;
  for (const box of document.querySelectorAll('input[name="verification"]')) box.checked = event.target.checked;
});
