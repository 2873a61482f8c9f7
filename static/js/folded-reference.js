// The API's page: a link opens the folds around its entry and printing opens all, also where the browser does not.
const folds = () => document.querySelectorAll(".docs details");

function openAroundTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target.scrollIntoView();
}

const all = document.getElementById("open-all");
all.hidden = false;
all.addEventListener("click", () => {
  const open = all.getAttribute("aria-pressed") !== "true";
  for (const fold of folds()) fold.open = open;
  all.setAttribute("aria-pressed", open);
});
addEventListener("hashchange", openAroundTarget);
addEventListener("beforeprint", () => { for (const fold of folds()) fold.open = true; });
openAroundTarget();
