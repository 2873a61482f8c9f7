// The ingest form: shows upload progress, and fills in the known facts of a source. Without it, a plain form.
const form = document.querySelector("[data-upload]");

function fillKnownSource(form) {
  const option = [...form.querySelectorAll("#known-sources option")].find((one) => one.value === form.elements.source.value);
  if (!option?.dataset.licence) return;
  if (!form.elements.url.value) form.elements.url.value = option.dataset.url;
  if (!form.elements.licence.value) form.elements.licence.value = option.dataset.licence;
}

function megabytes(bytes) {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}

function showProgress(box, loaded, total) {
  box.hidden = false;
  box.querySelector("progress").value = (100 * loaded) / total;
  box.querySelector("span").textContent = loaded < total ? `${megabytes(loaded)} of ${megabytes(total)}` : "Storing the file";
}

function send(form) {
  const button = form.querySelector("button");
  const box = form.querySelector("[data-upload-progress]");
  const request = new XMLHttpRequest();
  request.open("POST", form.getAttribute("action") || location.pathname);
  request.upload.addEventListener("progress", (event) => showProgress(box, event.loaded, event.total));
  const stop = (sentence) => { button.disabled = false; box.querySelector("span").textContent = sentence; };
  request.addEventListener("load", () => {
    if (request.status >= 400) {
      const isSentence = request.getResponseHeader("Content-Type")?.startsWith("text/plain");
      stop(isSentence ? request.responseText : `The site answered with an error (${request.status}). Nothing went in.`);
      return;
    }
    const again = new DOMParser().parseFromString(request.responseText, "text/html").querySelector("[data-upload]");
    if (!again?.querySelector("[role=alert], .errorlist")) { location.assign(request.responseURL); return; }
    form.replaceWith(again);
    wire(again);
    again.querySelector("[role=alert], .errorlist").scrollIntoView({ block: "nearest" });
  });
  request.addEventListener("error", () => stop("The connection broke off. Nothing went in; try again."));
  button.disabled = true;
  request.send(new FormData(form));
}

function wire(form) {
  form.elements.source.addEventListener("change", () => fillKnownSource(form));
  form.addEventListener("submit", (event) => {
    if (!form.elements.files.files.length) return;
    event.preventDefault();
    send(form);
  });
}

if (form) wire(form);
