// Points from an operator of the program to the lines of the kernel that stand for it: under the pointer, and in a list
// for keyboard and touch. The list is fetched when it is first wanted; without this module its link leads to a page.
import { onPage } from "./swap.js";

let list = null; // a promise of the list's links, once it is wanted
let resting = 0;
let pointed = [];
const REST_MS = 200; // a pointer that only passes wants nothing
const linesOf = (link) => [link.getAttribute("href").slice(1), ...link.dataset.also.split(" ")];

async function fetched(asking) {
  const answer = await fetch(asking.dataset.operators);
  if (!answer.ok || !asking.isConnected) return [];
  const template = document.createElement("template");
  template.innerHTML = await answer.text();
  const [found] = template.content.children;
  asking.replaceWith(found);
  return [...found.querySelectorAll(".to-line")];
}

function wanted() {
  const asking = document.querySelector("[data-operators]");
  if (asking) list ??= fetched(asking).catch(() => { list = null; return []; }); // offline: the link stays
  return list ?? Promise.resolve([]);
}

function clear() {
  for (const line of pointed) line.classList.remove("is-pointed");
  pointed = [];
}

async function point(line) {
  const links = await wanted();
  if (!line.matches(":hover")) return;
  const names = new Set(links.filter((link) => linesOf(link).includes(line.id)).flatMap(linesOf));
  clear();
  pointed = [...names].map((name) => document.getElementById(name)).filter((found) => found?.closest("#pane-kernel"));
  for (const found of pointed) found.classList.add("is-pointed");
}

document.addEventListener("pointerover", (event) => {
  const line = event.target.closest?.("#pane-program .l");
  clearTimeout(resting);
  clear();
  if (line) resting = setTimeout(() => point(line), REST_MS);
});
document.addEventListener("click", async (event) => {
  const asking = event.target.closest?.("[data-operators]");
  if (!asking || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  await wanted();
  const unfolded = document.querySelector("#pane-program [data-operator-list]");
  if (!unfolded) return void location.assign(asking.href);
  unfolded.open = true;
  unfolded.querySelector("summary").focus();
});
onPage(() => { [list, pointed] = [null, []]; });
