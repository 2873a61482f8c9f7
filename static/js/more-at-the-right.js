// Marks a table that continues to the right (phones hide scroll bars) until it is scrolled to its end.
function mark(region) {
  region.toggleAttribute("data-more", region.scrollLeft + region.clientWidth < region.scrollWidth - 1);
}

function markAll() {
  for (const region of document.querySelectorAll(".scroll-x")) mark(region);
}

markAll();
addEventListener("load", markAll);
addEventListener("resize", markAll);
document.addEventListener("htmx:afterSettle", markAll);
document.addEventListener("page-swapped", markAll);
document.addEventListener("toggle", markAll, true); // unfolded tables have a width now
document.addEventListener("scroll", (event) => { if (event.target.matches?.(".scroll-x")) mark(event.target); }, true);
