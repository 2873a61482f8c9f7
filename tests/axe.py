"""Asks axe what is wrong with a page for assistive technology, and with its colours."""

from collections import Counter
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
SCRIPT = Axe().axe_script
IMPORTS = """[...document.styleSheets].some((sheet) =>
    [...sheet.cssRules].some((rule) => rule instanceof CSSImportRule))"""
# The rule on contrast takes three quarters of axe's time, most of it for the words of a program, which look alike. It
# is asked about the first three elements of each look: those whose text has the same colour, size and weight, over
# ancestors with the same backgrounds. (Three, since axe does not judge an element that another one covers.)
ALIKE = 3
# Pages of one server share a style sheet, and most of their looks: with a memory, each look is judged on two pages.
PAGES = 2
CHOOSE = """([alike, known]) => {
    const seen = new Set(known);
    const looks = new Map(), backgrounds = new Map();
    const plain = "rgba(0, 0, 0, 0),none,1,static,none";
    const background = (element) => {
        if (!element) return "";
        if (!backgrounds.has(element)) {
            const {backgroundColor, backgroundImage, opacity, position, filter} = getComputedStyle(element);
            const own = [backgroundColor, backgroundImage, opacity, position, filter].join();
            const above = background(element.parentElement);
            backgrounds.set(element, own === plain ? above : `${above}/${own}`);
        }
        return backgrounds.get(element);
    };
    const hasText = (element) => [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    for (const element of document.body.querySelectorAll("*")) {
        element.removeAttribute("data-contrast");
        if (!element.matches("input, select, textarea") && !hasText(element)) continue;
        if (!element.getClientRects().length || !element.checkVisibility({visibilityProperty: true})) continue;
        const {color, fontSize, fontWeight, textShadow} = getComputedStyle(element);
        const special = element.closest(":disabled, [aria-disabled=true], label") !== null;
        const look = [color, fontSize, fontWeight, textShadow, special, background(element)].join("|");
        if (seen.has(look)) continue;
        looks.set(look, (looks.get(look) || 0) + 1);
        if (looks.get(look) <= alike) element.setAttribute("data-contrast", "");
    }
    axe.configure({rules: [{id: "color-contrast", selector: "[data-contrast]"}]});
    return [...looks.keys()];
}"""


def violations(page: Page, judged: Counter[str] | None = None) -> list[tuple[str, str]]:
    """Return axe's violations, each with its first element.

    `judged` is the memory of a run: the looks of the pages that passed before, each with the number of such pages.
    """
    judged = Counter() if judged is None else judged
    if not page.evaluate("'axe' in window"):
        page.evaluate(SCRIPT)
    known = [look for look, pages in judged.items() if pages >= PAGES]
    looks = page.evaluate(CHOOSE, [ALIKE, known])
    options: dict[str, Any] = {
        "runOnly": RULES,
        "resultTypes": ["violations"],
        # axe parses imported style sheets in style elements, which the policy forbids.
        "preload": not page.evaluate(IMPORTS),
    }
    found = page.evaluate("options => axe.run(document, options).then(all => all.violations)", options)
    if not found:
        judged.update(looks)
    return [(one["id"], one["nodes"][0]["html"][:160]) for one in found]
