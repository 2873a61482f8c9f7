"""Compares API pages under the site's content security policy: ours, and Swagger UI and Redoc of the sidecar.

Needs chromium on the PATH.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any
from urllib.request import urlopen

from playwright.sync_api import sync_playwright

PORT = 8979
PASSWORD = "a-long-enough-password"
PAGES = {
    "ours": "/api/docs/",
    "Swagger UI": "/swagger/",
    "Swagger UI, split": "/swagger-split/",
    "Redoc": "/redoc/",
}
SETTLE_MS = 4000


def sign_in(page: Any) -> None:
    page.goto(f"http://127.0.0.1:{PORT}/accounts/login/")
    page.fill("[name=username]", "owner")
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_url(lambda url: "login" not in url)


def visit(browser: Any, path: str, *, javascript: bool) -> dict[str, int]:
    """Return the cost and the content of a page."""
    page = browser.new_context(java_script_enabled=javascript).new_page()
    sign_in(page)
    seen = {"kilobytes": 0, "refusals by the policy": 0}

    def count(response: Any) -> None:
        seen["kilobytes"] += len(response.body()) // 1024 if response.status == 200 else 0

    def read(message: Any) -> None:
        seen["refusals by the policy"] += "Content Security Policy" in message.text

    page.on("response", count)
    page.on("console", read)
    page.goto(f"http://127.0.0.1:{PORT}{path}")
    page.wait_for_timeout(SETTLE_MS)
    seen["paths shown"] = page.locator("body").inner_text().replace("\u200b", "").count("/api/v1/")
    return seen


def wait_for_site() -> None:
    for _ in range(100):
        try:
            urlopen(f"http://127.0.0.1:{PORT}/api/docs/").close()
            return
        except OSError:
            time.sleep(0.3)
    sys.exit("The site did not start.")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        settings = {
            "DJANGO_SETTINGS_MODULE": "benchmarks.libraries.sidecar_settings",
            "CONCUR_DATA_DIR": folder,
        }
        owner = {"DJANGO_SUPERUSER_USERNAME": "owner", "DJANGO_SUPERUSER_PASSWORD": PASSWORD}
        environment = {**os.environ, **settings, **owner, "DJANGO_SUPERUSER_EMAIL": "owner@example.org"}
        manage = [sys.executable, "manage.py"]
        subprocess.run([*manage, "migrate", "--verbosity", "0"], env=environment, check=True)
        subprocess.run([*manage, "createsuperuser", "--noinput"], env=environment, check=True)
        site = subprocess.Popen(
            [*manage, "runserver", "--noreload", str(PORT)], env=environment, stderr=subprocess.DEVNULL
        )
        try:
            wait_for_site()
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            for name, path in PAGES.items():
                for javascript in (True, False):
                    how = "with" if javascript else "without"
                    print(f"  {name:<20} {how:<8} JavaScript  {visit(browser, path, javascript=javascript)}")
            browser.close()
        finally:
            site.terminate()
            site.wait()


if __name__ == "__main__":
    main()
