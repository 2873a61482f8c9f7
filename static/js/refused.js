// Shows the message of a refused request of a part (a full disk, for example) above everything else.

document.addEventListener("htmx:responseError", ({ detail: { xhr } }) => {
  if (!xhr.getResponseHeader("Content-Type")?.startsWith("text/plain")) return;
  const main = document.getElementById("main");
  const notice = main.querySelector(":scope > .refused") ?? document.createElement("div");
  notice.className = "notice is-ours refused";
  notice.setAttribute("role", "alert");
  notice.textContent = xhr.responseText;
  main.prepend(notice);
});
