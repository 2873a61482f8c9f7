"""Tests deploy/nginx.conf with a real nginx before the real site: TLS, and downloads from disk, nothing else of it."""

import hashlib
import ssl
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import publication
from datasets_app.export.finish import finish_files
from datasets_app.models import Export
from tests.curate.store import frozen, small_store
from tests.deploy.nginx import NGINX, shipped_nginx
from tests.factories import make_user

TOKEN = "a" * 32

pytestmark = [
    pytest.mark.any_database,
    pytest.mark.skipif(not NGINX, reason="nginx is not installed: on Debian, apt-get install nginx-light"),
]


@pytest.fixture
def proxy(live_server, settings, tmp_path):
    """Yield (plain, tls): the ports of a running nginx before the site, which has one public release with files."""
    settings.DATA_DIR = tmp_path / "data"
    settings.EXPORT_DIR = settings.DATA_DIR / "exports"
    settings.ACCEL_REDIRECT = "/protected/"
    settings.ALLOWED_HOSTS = ["localhost"]
    small_store()
    release = frozen("first")
    finish_files(release)
    publication.set_visibility(release, "public", actor=COMMAND)
    (settings.DATA_DIR / "secret-key").write_text("a secret")
    with shipped_nginx(tmp_path, settings.DATA_DIR, live_server.thread.port) as ports:
        yield ports


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def get(url: str, folder: Path, form: bytes | None = None, **headers: str):
    """Return status, headers and content, without following redirections; a form is posted."""
    context = ssl.create_default_context(cafile=str(folder / "certificate.pem"))
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context), NoRedirect
    )
    request = urllib.request.Request(
        url, form, {name.replace("_", "-"): value for name, value in headers.items()}
    )
    try:
        with opener.open(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def test_downloads_come_from_the_disk_with_the_sites_headers(proxy, tmp_path):
    plain, tls = proxy
    file = Export.objects.get(path="jsonl/train.jsonl")
    url = f"https://localhost:{tls}/releases/first/files/jsonl/train.jsonl"
    status, headers, content = get(url, tmp_path)
    assert (status, hashlib.sha256(content).hexdigest()) == (200, file.sha256)
    assert headers["Server"] == "nginx"
    assert headers["ETag"] == f'"{file.sha256}"'
    assert headers["Repr-Digest"].startswith("sha-256=:")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Disposition"].startswith("attachment")
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    status, headers, part = get(url, tmp_path, Range="bytes=5-9", If_Range=f'"{file.sha256}"')
    assert (status, part) == (206, content[5:10])
    assert get(url, tmp_path, If_None_Match=f'"{file.sha256}"')[0] == 304
    status, headers, _ = get(f"http://localhost:{plain}/samples/", tmp_path)
    assert (status, headers["Location"]) == (301, "https://localhost/samples/")


def sign_in(tls: int, folder: Path, **headers: str):
    """Post the sign-in form with a token that cookie and field share; return the answer's status."""
    make_user("annotator", "ada")
    fields = {"csrfmiddlewaretoken": TOKEN, "username": "ada", "password": "ada"}
    url = f"https://localhost:{tls}/accounts/login/"
    form = urllib.parse.urlencode(fields).encode()
    return get(url, folder, form, Cookie=f"csrftoken={TOKEN}", **headers)[0]


@pytest.mark.parametrize("header", ["Referer", "Origin"])
def test_a_form_is_accepted_on_another_port_than_443(proxy, tmp_path, settings, header):
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    page = {"Referer": "/accounts/login/", "Origin": ""}[header]
    assert sign_in(proxy[1], tmp_path, **{header: f"https://localhost:{proxy[1]}{page}"}) == 302


@pytest.mark.parametrize("header", ["Referer", "Origin"])
def test_a_form_of_another_port_of_the_same_host_is_refused(proxy, tmp_path, settings, header):
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert sign_in(proxy[1], tmp_path, **{header: f"https://localhost:{proxy[0]}"}) == 403


def test_nothing_else_of_the_data_folder_can_be_had(proxy, tmp_path):
    tls = proxy[1]
    for path in (
        "/protected/exports/first/jsonl/train.jsonl",
        "/protected/secret-key",
        "/protected/../data/secret-key",
    ):
        status, _, content = get(f"https://localhost:{tls}/protected/{path}", tmp_path)
        assert status == 404
        assert b"a secret" not in content
    status, headers, _ = get(f"https://localhost:{tls}/", tmp_path)
    assert status in (200, 302)
    assert "nginx/" not in headers["Server"], "its version is nobody's business"
