// A part of a page that asked for something and was refused with a sentence (a full disk): the sentence, above all else.

document.addEventListener("htmx:responseError", ({ detail: { xhr } }) => {
  if (!xhr.getResponseHeader("Content-Type")?.startsWith("text/plain")) return;
  const main = document.getElementById("main");
  const notice = main.querySelector(":scope > .refused") ?? document.createElement("div");
  notice.className = "notice is-ours refused";
  notice.setAttribute("role", "alert");
  notice.textContent = xhr.responseText;
  main.prepend(notice);
});
