// Where a selection is in the stored text: lines, and columns in code points. The panes show a stored character once,
// in order; hidden ones as signs, and without the backticks around code in prose. So both are paired from the left.
const LINE_ID = /^(program|trace|kernel)-L(\d+)$/;
const SIGN = "\u0000"; // stands for a hidden character, which the page shows as a sign
const UNSEEN = "\ufffd";
const texts = new Map();

// Returns the lines of a stored text, exactly as stored: a decoder would drop a byte order mark.
function linesOf(pane) {
  if (!texts.has(pane)) {
    const address = document.querySelector(`#pane-${pane} [data-copy]`)?.dataset.copy;
    texts.set(pane, fetch(address).then(async (response) => {
      if (!response.ok) throw new Error(response.statusText);
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer()).split("\n");
    }));
    texts.get(pane).catch(() => texts.delete(pane));
  }
  return texts.get(pane);
}

// Returns what is shown of a line before a point, one entry for each stored character.
function shownBefore(line, node, offset) {
  const range = document.createRange();
  range.setStart(line, 0);
  range.setEnd(node, offset);
  const part = range.cloneContents();
  for (const left of part.querySelectorAll(".ln, .cut")) left.remove();
  for (const sign of part.querySelectorAll(".ctl")) sign.textContent = SIGN;
  return [...part.textContent.replace(/\n$/, "")];
}

// Returns how many stored characters a shown beginning stands for; null if they do not pair.
export function paired(shown, stored) {
  let at = 0;
  for (const character of shown) {
    const isSign = character === SIGN || character === UNSEEN;
    while (at < stored.length && !isSign && stored[at] !== character && stored[at] === "`") at += 1;
    if (at >= stored.length || (!isSign && stored[at] !== character)) return null;
    at += 1;
  }
  return at;
}

function lineAt(node) {
  const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
  const line = element?.closest(".l");
  const match = LINE_ID.exec(line?.id ?? "");
  return match ? { line, pane: match[1], number: Number(match[2]) } : null;
}

// Returns the pane and the lines of the page's selection without its columns; null: it is in no pane, or in two.
export function selectedLines() {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0).cloneRange(); // the page's own one changes with the selection
  const [from, to] = [lineAt(range.startContainer), lineAt(range.endContainer)];
  if (!from || !to || from.pane !== to.pane) return null;
  const endsBefore = to.number > from.number && !shownBefore(to.line, range.endContainer, range.endOffset).length;
  return { pane: from.pane, first: from.number, last: to.number - (endsBefore ? 1 : 0), from, to, range, endsBefore };
}

// Adds the columns of a selection, unless it covers whole lines or its characters do not pair.
export async function withColumns(place) {
  if (!place.range) return place;
  const lines = await linesOf(place.pane).catch(() => null);
  if (!lines) return place;
  const { from, to, range, endsBefore } = place;
  const beginning = [...(lines[from.number - 1] ?? "")];
  let start = paired(shownBefore(from.line, range.startContainer, range.startOffset), beginning);
  if (start !== null && beginning[start] === "`" && !range.toString().startsWith("`")) start += 1; // is not shown
  const stored = [...(lines[place.last - 1] ?? "")];
  const end = endsBefore ? stored.length : paired(shownBefore(to.line, range.endContainer, range.endOffset), stored);
  if (start === null || end === null || (start === 0 && end === stored.length)) return place;
  return { ...place, firstColumn: start + 1, lastColumn: Math.max(1, end) };
}
