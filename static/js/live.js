// A part that refreshes itself (`hx-swap="live"`, or "live-inside" if the frame stays) is updated in place:
// only differences are touched, so that focus, selection, scroll positions and unfolded elements stay.

// Attributes set by a person, which no answer overwrites.
function theirs(node) {
  const set = node === document.activeElement ? ["tabindex"] : [];
  if (node.matches("details")) set.push("open");
  if (node.matches("input:not([type=hidden])")) set.push("value", "checked");
  return set;
}

// Identity of a node: its id, or the first address in it, so that a new row above does not move the focus.
function nameOf(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return node.nodeName;
  const link = node.matches("[href]") ? node : node.querySelector("[href]");
  return `${node.nodeName} ${node.id || link?.getAttribute("href") || ""}`;
}

function matches(old, fresh) {
  const waiting = new Map();
  for (const node of old.childNodes) {
    const name = nameOf(node);
    if (!waiting.has(name)) waiting.set(name, []);
    waiting.get(name).push(node);
  }
  return [...fresh.childNodes].map((node) => [node, waiting.get(nameOf(node))?.shift()]);
}

function becomeChildrenOf(old, fresh) {
  const pairs = matches(old, fresh);
  const kept = new Set(pairs.map(([, match]) => match));
  for (const node of [...old.childNodes]) if (!kept.has(node)) node.remove();
  let place = old.firstChild;
  for (const [node, match] of pairs) {
    if (match) become(match, node);
    if (match && match === place) place = place.nextSibling;
    else old.insertBefore(match ?? node, place);
  }
}

function takeAttributes(old, fresh) {
  const kept = theirs(old);
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !kept.includes(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !kept.includes(name)) old.setAttribute(name, value);
  }
}

function become(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType !== Node.ELEMENT_NODE) { old.data = fresh.data; return; }
  takeAttributes(old, fresh);
  becomeChildrenOf(old, fresh);
}

// A log scrolled to its end follows new lines.
const atItsEnd = (root) => [...root.querySelectorAll("[data-follows-end]")]
  .filter((log) => log.scrollTop + log.clientHeight >= log.scrollHeight - 2);

// If the focused element is gone, the part itself takes the focus: the next Tab continues from there.
function keepFocusIn(root, held) {
  if (!held || root.contains(document.activeElement)) return;
  root.tabIndex = -1;
  root.focus({ preventScroll: true });
}

function handleSwap(style, target, fragment) {
  if (style !== "live" && style !== "live-inside") return false;
  const held = target.contains(document.activeElement) && document.activeElement !== target;
  const ends = atItsEnd(target);
  if (style === "live-inside") becomeChildrenOf(target, fragment);
  else if (fragment.firstElementChild) become(target, fragment.firstElementChild);
  for (const log of ends) log.scrollTop = log.scrollHeight;
  keepFocusIn(target, held);
  return [target]; // htmx processes it again: its next request may have changed
}

window.htmx.defineExtension("live", { handleSwap });
