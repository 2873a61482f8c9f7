"""Tests of what every answer has, at every address, whoever asks: headers, cookies, names of files."""

import json
import os
import re
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from datasets_app.models import Ingest
from tests.site import matrix

pytestmark = pytest.mark.any_database
ROOT = Path(__file__).parents[2]
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
DISPOSITION = re.compile(r'(attachment|inline); filename="[A-Za-z0-9._ ()-]{1,120}"')
# What a file that is uploaded may be called; the site's own names for its downloads are made of it.
HOSTILE_NAME = "x\"; filename*=UTF-8''evil.exe\r\nSet-Cookie: a=b\u202e.jsonl"


def faults_of(answer):
    for name, value in HEADERS.items():
        if answer.headers.get(name) != value:
            yield f"{name}: {answer.headers.get(name)}"
    policy = dict(
        part.split(" ", 1) for part in answer.headers.get("Content-Security-Policy", "").split("; ") if part
    )
    for name, value in POLICY.items():
        if policy.get(name) != value:
            yield f"{name} {policy.get(name)}"
    if "unsafe" in str(policy) or "*" in str(policy):
        yield f"policy {policy}"
    kept = answer.headers.get("Cache-Control", "")
    if not ("no-store" in kept or kept == "private, no-cache"):
        yield f"Cache-Control: {kept}"
    named = answer.headers.get("Content-Disposition")
    if named is not None and not DISPOSITION.fullmatch(named):
        yield f"Content-Disposition: {named}"
    for name, cookie in answer.cookies.items():
        if cookie.value and not (cookie["samesite"] == "Lax" and (cookie["httponly"] or name == "csrftoken")):
            yield f"cookie {name}: {cookie.OutputString()}"


INLINE = re.compile(
    r"<script(?![^>]*\ssrc=)[^>]*>|\son[a-z]+\s*=\s*[\"']|\sstyle\s*=|<style|javascript:", re.IGNORECASE
)
DATA = re.compile(r'<script[^>]*type="application/json"[^>]*>')


def forbidden_parts(answer):
    """Return a page's inline scripts, styles and handlers, which the policy would silently switch off."""
    if "html" not in answer.headers.get("Content-Type", ""):
        return []
    return [found[0] for found in INLINE.finditer(DATA.sub("", answer.whole.decode()))]


def test_every_answer_has_the_headers_that_bound_it_and_no_page_needs_what_they_forbid(objects, visitors):
    Ingest.objects.filter(pk=objects.ids["ingest"]).update(file_name=HOSTILE_NAME, refused=1)
    faults = []
    for route in matrix.routes():
        path = objects.path(route.pattern, route.name)
        for visitor in ("anonymous", "administrator"):
            for method in ("GET", "POST"):
                body = objects.body(route.name, method)
                answer, _ = matrix.exchange(visitors.client(visitor), method, path, body, route.takes_tokens)
                found = [*faults_of(answer), *([] if route.takes_tokens else forbidden_parts(answer))]
                faults += [f"{method} {path} as {visitor}: {fault}" for fault in found]
    assert not faults


# --- The admin --------------------------------------------------------------------------------------------------------


def admin_paths(patterns, before="/admin/"):
    for one in patterns:
        path = before + re.sub(
            r"[<(][^>)]*[>)]|[\^$]|\\Z", lambda gap: "1" if gap[0][0] in "<(" else "", str(one.pattern)
        )
        if hasattr(one, "url_patterns"):
            yield from admin_paths(one.url_patterns, path)
        else:
            yield path


OPEN_IN_ADMIN = ("/admin/login/", "/admin/logout/")


def test_the_admin_opens_to_administrators_alone(objects, visitors):
    paths = list(dict.fromkeys(admin_paths(admin.site.urls[0])))
    assert len(paths) > 200
    assert visitors.client("administrator").get(reverse("admin:index")).status_code == 200
    opened = []
    # In turn: one place refuses all who are no administrators.
    others = cycle(("anonymous", "reader", "token:admin", "annotator"))
    for path in paths:
        for visitor in ("curator", next(others)):
            for method in ("GET", "POST"):
                answer, wrote = matrix.exchange(visitors.client(visitor), method, path, {}, as_json=False)
                refused = answer.status_code in (403, 404, 405) or "/login/" in answer.headers.get(
                    "Location", ""
                )
                if wrote or not (refused or path in OPEN_IN_ADMIN):
                    opened.append(
                        f"{method} {path} as {visitor}: {answer.status_code} {answer.headers.get('Location')}"
                    )
    assert not opened


# --- Behind TLS -------------------------------------------------------------------------------------------------------

PROGRAM = """
import json, django
django.setup()
from django.conf import settings
from django.test import Client
settings.ALLOWED_HOSTS = ["bench.example.org"]
settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
settings.SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
asked = lambda **more: Client().get("/accounts/login/", headers={"Host": "bench.example.org", **more})
plain, page = asked(), asked(**{"X-Forwarded-Proto": "https"})
print(json.dumps({
    "plain": [plain.status_code, plain["Location"]],
    "page": page.status_code,
    "hsts": page.headers.get("Strict-Transport-Security"),
    "cookies": {name: bool(cookie["secure"]) for name, cookie in page.cookies.items()},
    "session": [settings.SESSION_COOKIE_SECURE, settings.SESSION_COOKIE_HTTPONLY],
}))
"""


def test_behind_tls_nothing_is_served_without_it(tmp_path):
    environment = {
        **os.environ,
        "CONCUR_TLS": "1",
        "CONCUR_HOSTS": "bench.example.org",
        "CONCUR_DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "concur_site.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=90,
        check=True,
    )
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["plain"] == [301, "https://bench.example.org/accounts/login/"]
    assert said["page"] == 200
    assert said["hsts"] == "max-age=31536000"
    assert said["cookies"] == {"csrftoken": True}
    assert said["session"] == [True, True]


@pytest.mark.parametrize(
    "host", ["evil.example", "testserver.evil.example", "testserver@evil.example", "a/b", "", "a:b"]
)
def test_a_host_that_is_not_the_sites_is_refused_before_any_link_is_made(host, settings):
    settings.ALLOWED_HOSTS = ["testserver"]
    for path in ("/account/forgotten/", "/accounts/login/", "/api/v1/", "/healthz"):
        assert Client().post(path, {"email": "ada@example.org"}, headers={"Host": host}).status_code == 400
