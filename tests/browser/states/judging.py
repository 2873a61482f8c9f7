"""Checks every state of every page at three widths, light and dark; saves pictures if requested."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

from playwright.sync_api import Page

from tests.axe import violations

SIZES = {1440: 900, 1024: 768, 390: 844}
SCHEMES = ("light", "dark")
# By axe in every run: each state in one of these, about half of all in each, and a few in both; with pictures, and in
# the long run, in all six. No page may be too wide at any width.
FEWEST = ((1440, "light"), (390, "dark"))
IN_BOTH = {"browse", "evidence", "home", "review of a sample", "sample", "diff", "recipe", "verify"}
SQUEEZED = """() => [...document.querySelectorAll("button, .button")]
    .filter((one) => one.innerText.trim().length > 2 && one.offsetHeight > one.offsetWidth)
    .map((one) => one.innerText.trim().replace(/\\s+/g, " "))"""
HIDDEN = """regions => regions.filter(
    (one) => one.offsetParent && one.scrollWidth > one.clientWidth + 1).map((one) => one.ariaLabel)"""
# States whose tables show every column on a small laptop, too.
EVERY_COLUMN = {
    *(
        "browse",
        "ingest",
        "leaderboard",
        "operations",
        "recipe",
        "releases",
        "review",
        "review with suggestions",
    ),
    *("task", "verify", "views"),
}
TALLEST_PX = 16_000  # of a picture: the browser draws no taller ones


@dataclass
class Judge:
    """Checks a page in its current state. `pictures`: the folder for a PNG per check, or None."""

    pictures: Path | None
    judged: Counter[str] = field(default_factory=Counter)  # looks that axe found legible on earlier pages

    def look(self, page: Page, name: str, *, every: bool = False) -> None:
        """Check the page at three widths, and by axe in the fewest combinations, or in every one to save pictures."""
        faults: list[str] = []
        by_axe = fewest_of(name)
        for width, height in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            for scheme in SCHEMES:
                if not (every or self.pictures or (width, scheme) in by_axe):
                    continue
                page.emulate_media(color_scheme=scheme)
                found = violations(page, None if every else self.judged)
                faults += [f"{width} px, {scheme}: {rule} at {where}" for rule, where in found]
                self.picture(page, f"{name}-{width}-{scheme}")
            faults += [
                f"{width} px: the button {word} is higher than wide" for word in page.evaluate(SQUEEZED)
            ]
            if width < 500:
                faults += [
                    f"{one} hides lines behind a scroll" for one in hidden_tables(page, rows=".is-stacked")
                ]
            if width == 1024 and name in EVERY_COLUMN:
                faults += [f"{one} hides columns at {width} px" for one in hidden_tables(page)]
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


def fewest_of(name: str) -> tuple[tuple[int, str], ...]:
    """Return the widths and schemes in which axe checks a state: the same in each run, about half of all in each."""
    return FEWEST if name in IN_BOTH else FEWEST[crc32(name.encode()) % 2 :][:1]


def hidden_tables(page: Page, within: str = "main", rows: str = "table") -> list[str]:
    """Return the names of tables, of those shown, that have something behind a scroll."""
    hidden: list[str] = page.locator(f"{within} .scroll-x:has(> {rows})").evaluate_all(HIDDEN)
    return hidden


def sideways(page: Page) -> int:
    """Return by how many pixels the page scrolls horizontally."""
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")
