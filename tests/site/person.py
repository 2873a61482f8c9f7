"""A user of a live site, without a browser."""

import http.cookiejar
import json
import urllib.error
import urllib.parse
import urllib.request
import uuid

from tests.live import PASSWORD


class Person:
    """A browser's cookies and nothing else: each request returns (status, text)."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def get(self, path: str, data: bytes | None = None, **headers: str) -> tuple[int, str]:
        request = urllib.request.Request(self.url + path, data, headers)
        try:
            with self.opener.open(request, timeout=120) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def csrf(self) -> str:
        return next((cookie.value for cookie in self.cookies if cookie.name == "csrftoken"), "")

    def post(self, path: str, **fields: str) -> tuple[int, str]:
        data = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": self.csrf()}).encode()
        return self.get(path, data)

    def post_json(self, path: str, data: object) -> tuple[int, str]:
        headers = {"Content-Type": "application/json", "X-CSRFToken": self.csrf()}
        return self.get(path, json.dumps(data).encode(), **headers)

    def upload(self, name: str, content: bytes) -> tuple[int, str]:
        edge = uuid.uuid4().hex
        head = f'--{edge}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
        token = (
            f'--{edge}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{self.csrf()}\r\n'
        )
        body = token.encode() + head.encode() + content + f"\r\n--{edge}--\r\n".encode()
        return self.get("/ingest/", body, **{"Content-Type": f"multipart/form-data; boundary={edge}"})

    def sign_in(self, password: str = PASSWORD) -> int:
        self.get("/accounts/login/")
        return self.post("/accounts/login/", username="admin", password=password)[0]
