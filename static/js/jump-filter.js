// Narrows a long outline to entries that contain a word; Enter goes to the first match.
const entries = (field) => [...field.closest(".jump-panel").querySelectorAll(".jump-list > li")];

document.addEventListener("toggle", (event) => {
  const filter = event.target.open && event.target.querySelector("[data-jump-filter]");
  if (filter) filter.hidden = false;
}, true);

document.addEventListener("input", (event) => {
  const filter = event.target.closest?.("[data-jump-filter]");
  if (!filter) return;
  const wanted = event.target.value.trim().toLowerCase();
  let left = 0;
  for (const entry of entries(event.target)) {
    entry.hidden = !entry.textContent.toLowerCase().includes(wanted);
    if (!entry.hidden) left += 1;
  }
  filter.querySelector("output").value = wanted ? `${left.toLocaleString("en")} left` : "";
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.closest?.("[data-jump-filter]")) return;
  event.preventDefault();
  entries(event.target).find((entry) => !entry.hidden)?.querySelector("a").click();
});
