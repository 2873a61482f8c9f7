// Shows another page of the same kind in this one, without loading it anew: the content of `main`, title and address.
// A module that binds to elements registers its start with `onPage`: it runs now, and again after every swap. Parts with
// data-after-paint are filled after the next frame, which "page-completed" announces.
let shown = location.pathname + location.search;

export function onPage(start) {
  start();
  document.addEventListener("page-swapped", start);
}

// Parses a page into its title and its `main`, which belongs to this document at once: showing it moves it only.
export function parsed(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const main = page.getElementById("main");
  return { title: page.title, main: main && document.adoptNode(main) };
}

// Runs what the next frame does not need after it is painted.
export function afterPaint(act) {
  requestAnimationFrame(() => setTimeout(act));
}

// `how`: "push" adds the address to the history, "replace" does not; "" if the browser has changed it already.
export function swapIn(page, address, how = "push") {
  const [old, fresh] = [document.getElementById("main"), page.main];
  if (!fresh?.querySelector(".review")) return false; // no review page: its styles and modules are not here
  document.dispatchEvent(new CustomEvent("page-leaving"));
  if (how) history[`${how}State`](null, "", address);
  shown = location.pathname + location.search;
  document.title = page.title;
  old.className = fresh.className;
  const later = [...fresh.querySelectorAll("[data-after-paint]")].map((part) => [part, [...part.childNodes]]);
  for (const [part] of later) part.replaceChildren(); // below the first screen, and more than half of the elements
  old.replaceChildren(...fresh.childNodes);
  document.dispatchEvent(new CustomEvent("page-swapped"));
  // Last, because both compute the layout, which every change after them would make stale.
  scrollTo(0, 0);
  const heading = old.querySelector("h1"); // read by a screen reader, and no field, so that keys go on working
  heading.tabIndex = -1;
  (old.querySelector("#conflict, #rubric-moved") ?? heading).focus({ preventScroll: true });
  afterPaint(() => {
    for (const [part, children] of later) part.append(...children);
    document.dispatchEvent(new CustomEvent("page-completed"));
    window.htmx?.process(old);
  });
  return true;
}

// Back and forward between swapped pages: what they show now is fetched, as a browser would.
addEventListener("popstate", async () => {
  if (location.pathname + location.search === shown) return; // a line of this page was marked
  const wanted = location.href;
  try {
    const answer = await fetch(wanted, { headers: { Accept: "text/html" } });
    const page = parsed(await answer.text());
    if (location.href !== wanted) return;
    if (answer.redirected || !swapIn(page, wanted, "")) location.reload();
  } catch {
    history.pushState(null, "", shown); // offline: stay
    document.dispatchEvent(new CustomEvent("page-unreachable"));
  }
});
