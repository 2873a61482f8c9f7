// Completion of the query line: names of filters, then values with their counts. An ARIA combobox with list:
// the focus stays in the line, arrows move through the list, Enter or Tab accepts, Escape closes.
const line = document.querySelector("#query[data-complete]");
const PAUSE_MS = 80;

if (line) {
  const list = document.createElement("ul");
  let options = [];
  let around = ["", ""]; // what stands before and after the text that an option replaces
  let listed = ""; // the line that the options are for
  let at = -1;
  let asked = 0;
  let timer = 0;

  list.id = "query-completions";
  list.className = "completions panel";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "What may stand here");
  list.hidden = true;
  line.after(list);
  for (const [name, value] of Object.entries({
    role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id,
  })) line.setAttribute(name, value);

  const close = () => {
    clearTimeout(timer);
    asked += 1;
    list.hidden = true;
    at = -1;
    line.setAttribute("aria-expanded", "false");
    line.removeAttribute("aria-activedescendant");
  };

  const point = (index) => {
    at = index;
    [...list.children].forEach((row, i) => row.setAttribute("aria-selected", String(i === at)));
    if (at < 0) { line.removeAttribute("aria-activedescendant"); return; }
    line.setAttribute("aria-activedescendant", list.children[at].id);
    list.children[at].scrollIntoView({ block: "nearest" });
  };

  const cell = (text, name) => {
    const span = document.createElement("span");
    span.textContent = text;
    if (name) span.className = name;
    return span;
  };

  const row = (option, index) => {
    const item = document.createElement("li");
    item.id = `query-completion-${index}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", "false");
    item.append(cell(option.text.trim()));
    const count = option.count === null ? "" : option.count.toLocaleString("en");
    item.append(cell([option.hint, count].filter(Boolean).join("  "), "soft num"));
    item.addEventListener("pointerdown", (event) => { event.preventDefault(); take(index); });
    return item;
  };

  const show = (found, typed) => {
    const [pointed, place] = [options[at]?.text, at];
    options = found.options;
    around = [typed.slice(0, found.start), typed.slice(found.end)];
    listed = typed;
    list.replaceChildren(...options.map(row));
    list.hidden = options.length === 0;
    line.setAttribute("aria-expanded", String(!list.hidden));
    // A list that arrives between an arrow and Enter keeps the choice, or its place if no longer possible.
    const kept = options.findIndex((option) => option.text === pointed);
    point(kept < 0 ? Math.min(place, options.length - 1) : kept);
  };

  const ask = async () => {
    const mine = ++asked;
    const typed = line.value;
    const query = new URLSearchParams({ text: typed, at: line.selectionStart ?? typed.length });
    const found = await fetch(`${line.dataset.complete}?${query}`)
      .then((answer) => (answer.ok ? answer.json() : null)).catch(() => null);
    if (mine !== asked || document.activeElement !== line) return;
    if (found) show(found, typed);
    else close();
  };

  // Letters may have been typed since the list was asked for: an option replaces them too if it contains them.
  const stillFits = (option) => {
    if (line.value === listed) return true;
    const [head, tail] = around;
    if (!line.value.startsWith(head) || !line.value.slice(head.length).endsWith(tail)) return false;
    const letters = line.value.slice(head.length, line.value.length - tail.length);
    return `${option.text} ${option.hint}`.toLowerCase().includes(letters.toLowerCase());
  };

  const take = (index) => {
    const [head, tail] = around;
    const text = options[index].text;
    if (!stillFits(options[index])) { close(); ask(); return; }
    line.value = head + text + (text.endsWith(" ") ? tail.trimStart() : tail);
    const caret = head.length + text.length;
    line.setSelectionRange(caret, caret);
    close();
    if (text.endsWith(":")) ask();
  };

  line.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, PAUSE_MS); });
  line.addEventListener("blur", close);
  line.form.addEventListener("submit", close);
  line.addEventListener("keydown", (event) => {
    const open = !list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!open) { ask(); return; }
      const step = event.key === "ArrowDown" ? 1 : -1;
      const size = options.length + 1; // counts the line itself, before the first option
      point(((at + 1 + step + size) % size) - 1);
    } else if (open && at >= 0 && (event.key === "Enter" || event.key === "Tab")) {
      event.preventDefault();
      take(at);
    } else if (open && event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  });
}

const help = document.querySelector(".query-help");
if (help) {
  document.addEventListener("click", (event) => { if (help.open && !help.contains(event.target)) help.open = false; });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !help.open) return;
    help.open = false;
    help.querySelector("summary").focus();
  });
}
