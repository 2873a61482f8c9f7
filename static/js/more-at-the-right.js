// Marks a table that continues to the right (phones hide scroll bars) until it is scrolled to its end.
const continues = (region) => region.scrollLeft + region.clientWidth < region.scrollWidth - 1;
const mark = (region, on = continues(region)) => region.toggleAttribute("data-more", on);

// Reads all before it writes any: a write makes the next read compute the layout anew.
function markAll() {
  const regions = [...document.querySelectorAll(".scroll-x")].map((region) => [region, continues(region)]);
  for (const [region, on] of regions) mark(region, on);
}

markAll();
addEventListener("load", markAll);
addEventListener("resize", markAll);
document.addEventListener("htmx:afterSettle", markAll);
document.addEventListener("page-completed", markAll);
document.addEventListener("toggle", markAll, true); // unfolded tables have a width now
document.addEventListener("scroll", (event) => { if (event.target.matches?.(".scroll-x")) mark(event.target); }, true);
