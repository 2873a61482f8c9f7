"""The review page as a reviewer uses it in a browser: by keys, one sample after another."""

from playwright.sync_api import Locator, Page, expect


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def opened(page: Page, sample, query: str = "", ahead: bool = True) -> None:
    """Open a sample and wait until the page has the next one."""
    if not ahead:
        page.goto(f"/review/{sample.pk}/")
        return
    with page.expect_response(f"**/ahead/{query}") as ahead:
        page.goto(f"/review/{sample.pk}/{query}")
    ahead.value.finished()  # before the whole answer is there, the page does not know which sample it is


def wait_until_stored(page: Page) -> None:
    expect(page.locator("#undo")).to_be_visible()


def outbox(page: Page) -> Locator:
    return page.get_by_role("region", name="Reviews on their way")
