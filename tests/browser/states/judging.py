"""Checks every state of every page at three widths, light and dark; saves pictures if requested."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
AXE = Axe().axe_script
SIZES = {1440: 900, 1024: 768, 390: 844}
SCHEMES = ("light", "dark")
FEWEST = {
    (1440, "light"),
    (390, "dark"),
}  # by axe in every run; with pictures, and in the long run, all six are; no page may be too wide at any width
IMPORTS = """[...document.styleSheets].some((sheet) =>
    [...sheet.cssRules].some((rule) => rule instanceof CSSImportRule))"""
SQUEEZED = """() => [...document.querySelectorAll("button, .button")]
    .filter((one) => one.innerText.trim().length > 2 && one.offsetHeight > one.offsetWidth)
    .map((one) => one.innerText.trim().replace(/\\s+/g, " "))"""
TALLEST_PX = 16_000  # of a picture: the browser draws no taller ones


@dataclass
class Judge:
    """Checks a page in its current state. `pictures`: the folder for a PNG per check, or None."""

    pictures: Path | None

    def look(self, page: Page, name: str, *, every: bool = False) -> None:
        """Check the page at 1440 px light and 390 px dark, or in every combination to save pictures."""
        faults: list[str] = []
        for width, height in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            for scheme in SCHEMES:
                if not (every or self.pictures or (width, scheme) in FEWEST):
                    continue
                page.emulate_media(color_scheme=scheme)
                found = violations(page)
                faults += [f"{width} px, {scheme}: {rule} at {where}" for rule, where in found]
                self.picture(page, f"{name}-{width}-{scheme}")
            faults += [
                f"{width} px: the button {word} is higher than wide" for word in page.evaluate(SQUEEZED)
            ]
            if (over := sideways(page)) > 0:
                faults.append(f"{over} px too wide at {width} px")
        page.emulate_media(color_scheme="light")
        assert not faults, "\n".join([name, *faults])

    def picture(self, page: Page, name: str) -> None:
        if self.pictures is None:
            return
        self.pictures.mkdir(parents=True, exist_ok=True)
        height = min(TALLEST_PX, page.evaluate("document.documentElement.scrollHeight"))
        clip = {"x": 0, "y": 0, "width": page.viewport_size["width"], "height": height}
        path = self.pictures / f"{name.replace(' ', '_').replace('/', '-')}.png"
        page.screenshot(path=path, full_page=True, clip=clip)


def violations(page: Page) -> list[tuple[str, str]]:
    """Return axe's violations, each with its first element."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    options: dict[str, Any] = {
        "runOnly": RULES,
        "resultTypes": ["violations"],
        # axe parses imported style sheets in style elements, which the policy forbids.
        "preload": not page.evaluate(IMPORTS),
    }
    found = page.evaluate("options => axe.run(document, options).then(all => all.violations)", options)
    return [(one["id"], one["nodes"][0]["html"][:160]) for one in found]


def sideways(page: Page) -> int:
    """Return by how many pixels the page scrolls horizontally."""
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")
