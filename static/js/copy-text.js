// Copies the text of another element: <button data-copies="ITS-ID" hidden>. Without JavaScript the button stays hidden.
const show = () => { for (const button of document.querySelectorAll("[data-copies][hidden]")) button.hidden = false; };
show();
document.addEventListener("htmx:load", show);

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  const said = button.dataset.says ??= button.textContent;
  try {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not copied";
  }
  setTimeout(() => { button.textContent = said; }, 1500);
});
