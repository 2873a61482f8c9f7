from tests.browser.conftest import browser

__all__ = ["browser"]
