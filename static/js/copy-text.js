// Copies the text of another element: <button data-copies="ITS-ID" hidden>. Without JavaScript the button stays hidden.
const show = () => { for (const button of document.querySelectorAll("[data-copies][hidden]")) button.hidden = false; };
show();
document.addEventListener("htmx:load", show);

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  const said = button.dataset.says ??= button.textContent;
  const text = document.getElementById(button.dataset.copies);
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = "Copied";
  } catch { // browsers have no clipboard for a site that is reached by HTTP
    getSelection().selectAllChildren(text);
    button.textContent = "Selected: press Ctrl+C";
  }
  setTimeout(() => { button.textContent = said; }, 3000);
});
