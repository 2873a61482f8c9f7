// Ranges selected by dragging over a histogram or its two handles, and a search within long facets.
// The number inputs under each histogram hold the submitted values; without this file only they are there.
function number(text) {
  return Number.parseFloat(text.replace(/[<>=,×x\s]/g, ""));
}

function watch(histogram) {
  const edges = histogram.dataset.edges.trim().split(" ").map(Number);
  const bars = [...histogram.querySelectorAll("rect")];
  const svg = histogram.querySelector("svg");
  const [low, high] = histogram.querySelectorAll("input");
  const place = histogram.closest(".range");
  const form = place.closest("form");
  const [from, to] = place.querySelectorAll(":scope > input");

  const paint = () => {
    bars.forEach((bar, i) => bar.classList.toggle("is-in", i >= Number(low.value) && i < Number(high.value)));
    low.setAttribute("aria-valuetext", from.value || "no bound");
    high.setAttribute("aria-valuetext", to.value || "no bound");
  };
  const fromNumbers = () => {
    const [least, most] = [number(from.value), number(to.value)];
    low.value = Number.isNaN(least) ? 0 : Math.max(0, edges.findLastIndex((edge) => edge <= least));
    const above = edges.findIndex((edge) => edge >= most);
    high.value = Number.isNaN(most) || above < 0 ? bars.length : above;
    paint();
  };
  const set = (start, end) => {
    [low.value, high.value] = [start, end];
    from.value = start > 0 ? String(edges[start]) : "";
    to.value = end < bars.length ? `<${edges[end]}` : "";
    paint();
  };
  const barAt = (event) => {
    const box = svg.getBoundingClientRect();
    return Math.max(0, Math.min(bars.length - 1, Math.floor(((event.clientX - box.left) / box.width) * bars.length)));
  };

  let start = -1;
  svg.addEventListener("pointerdown", (event) => { start = barAt(event); svg.setPointerCapture(event.pointerId); set(start, start + 1); });
  svg.addEventListener("pointermove", (event) => {
    if (start < 0) return;
    const here = barAt(event);
    set(Math.min(start, here), Math.max(start, here) + 1);
  });
  svg.addEventListener("pointerup", () => { if (start >= 0) { start = -1; form.requestSubmit(); } });
  svg.addEventListener("pointercancel", () => { start = -1; fromNumbers(); });

  // A dragged handle submits on release; by keyboard, Enter submits both.
  low.addEventListener("input", () => set(Math.min(Number(low.value), Number(high.value) - 1), Number(high.value)));
  high.addEventListener("input", () => set(Number(low.value), Math.max(Number(high.value), Number(low.value) + 1)));
  for (const handle of [low, high]) {
    handle.addEventListener("pointerup", () => form.requestSubmit());
    handle.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); form.requestSubmit(); } });
  }
  for (const input of [from, to]) input.addEventListener("input", fromNumbers);
  fromNumbers();
}

document.addEventListener("htmx:load", (event) => {
  const found = event.target.matches?.(".histogram") ? event.target : event.target.querySelector?.(".histogram");
  if (found && !found.dataset.watched) { found.dataset.watched = "yes"; watch(found); }
});

for (const search of document.querySelectorAll(".facet-search")) {
  search.hidden = false;
  const rows = [...search.parentElement.querySelectorAll("li")];
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    for (const one of rows) one.hidden = !one.textContent.toLowerCase().includes(wanted);
  });
}
