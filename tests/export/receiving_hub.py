"""A small Hub that receives: the write half of the Hub's protocol, and as much of the read half as its clients need.

It keeps repositories in memory, as the public Hub treats them: large files by LFS with their digest checked, small ones
inside the commit, commits that apply whole or not at all. It takes one token.
"""

import base64
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml

from tests.export.hub_storage import (
    Commit,
    RefusedError,
    Repository,
    entries,
    folders,
    git_oid,
    sha256,
)

TOKEN = "hf_of_the_tests"
LARGE = (".parquet", ".zst", ".jsonl")
REPOSITORY = r"(?P<repository>[\w.-]+/[\w.-]+?)"
REVISION = r"(?P<revision>[^/]+)"


class ReceivingHub:
    """Serves on loopback during the block. `refuses` maps a part of an address to a status and sentence."""

    has_tags = True
    cuts_uploads = 0  # how many uploads lose their connection in the middle
    ignored: tuple[str, ...] = ()  # paths that a .gitignore of the repository names

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.objects: dict[str, bytes] = {}
        self.refuses: dict[str, tuple[int, str]] = {}
        self.requests: list[tuple[str, str]] = []
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"hub": self}))
        self.server.daemon_threads = True
        self.host = f"127.0.0.1:{self.server.server_port}"
        self.url = f"http://{self.host}"

    def __enter__(self) -> "ReceivingHub":
        threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def make(self, name: str, private: bool = False, **files: bytes) -> Repository:
        made = self.repositories[name] = Repository(private)
        made.add({".gitattributes": b"*.parquet filter=lfs\n", **files}, set(), "initial commit")
        return made

    def writes(self) -> list[str]:
        return [path for method, path in self.requests if method not in ("GET", "HEAD")]

    def find(self, name: str) -> Repository:
        if name not in self.repositories:
            raise RefusedError(404, "Repository not found", "RepoNotFound")
        return self.repositories[name]


class Handler(BaseHTTPRequestHandler):
    hub: ReceivingHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        """Print nothing."""

    def answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.hub.requests.append((self.command, path))
        try:
            body = self.body(path)
            if body is None:
                return
            with self.hub.lock:
                self.refuse(path)
                found = self.find_route(path)
                self.send(200, getattr(self, found[0])(body, **found[1]))
        except RefusedError as error:
            headers = {"X-Error-Message": str(error)} | ({"X-Error-Code": error.code} if error.code else {})
            self.send(error.status, {"error": str(error)}, headers)

    do_GET = do_HEAD = do_POST = do_PUT = answer  # noqa: N815

    def body(self, path: str) -> bytes | None:
        """Return the body; None if the connection was cut in its middle."""
        size = int(self.headers.get("Content-Length") or 0)
        if path.startswith("/objects/") and self.hub.cuts_uploads:
            self.hub.cuts_uploads -= 1
            self.rfile.read(size // 2)
            self.close_connection = True
            return None
        return self.rfile.read(size)

    def refuse(self, path: str) -> None:
        for part, (status, sentence) in self.hub.refuses.items():
            if part in path:
                raise RefusedError(status, sentence)
        if not path.startswith("/objects/") and self.headers.get("Authorization") != f"Bearer {TOKEN}":
            raise RefusedError(401, "Invalid username or password.")

    def find_route(self, path: str) -> tuple[str, dict[str, str]]:
        for method, pattern, name in ROUTES:
            if self.command in method and (found := re.fullmatch(pattern, path)):
                return name, found.groupdict()
        raise RefusedError(404, "Sorry, we can't find the page you are looking for.")

    def send(self, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        headers = {**getattr(self, "extra", {}), **(headers or {})}
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if wanted and status == 200:
            status, size = 206, len(data)
            first, last = int(wanted[1]), min(int(wanted[2]), size - 1)
            data = data[first : last + 1]
            headers["Content-Range"] = f"bytes {first}-{last}/{size}"
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.extra: dict[str, str] = {}
        if self.command != "HEAD":
            self.wfile.write(data)

    # What is written.

    def create(self, body: bytes) -> Any:
        asked = json.loads(body)
        name = f"{asked['organization']}/{asked['name']}"
        assert asked["type"] == "dataset"
        if name in self.hub.repositories:
            raise RefusedError(409, "You already created this dataset repo")
        self.hub.make(name, private=asked.get("visibility") == "private")
        return {"url": f"{self.hub.url}/datasets/{name}"}

    def validate_card(self, body: bytes) -> Any:
        head = json.loads(body)["content"].split("---\n")[1]
        if not isinstance(yaml.safe_load(head).get("pretty_name"), str):
            raise RefusedError(400, "pretty_name is not a text")
        return {"errors": [], "warnings": []}

    def preupload(self, body: bytes, repository: str, revision: str) -> Any:
        there = self.hub.find(repository).at(revision)
        return {"files": [self.mode(file["path"], there) for file in json.loads(body)["files"]]}

    def mode(self, path: str, there: Commit) -> dict[str, Any]:
        content = there.files.get(path)
        oid = content and (sha256(content) if path in there.large else git_oid(content))
        mode = "lfs" if path.endswith(LARGE) else "regular"
        return {"path": path, "uploadMode": mode, "shouldIgnore": path in self.hub.ignored, "oid": oid}

    def batch(self, body: bytes, repository: str) -> Any:
        self.hub.find(repository)
        asked = json.loads(body)
        assert asked["operation"] == "upload"
        assert asked["hash_algo"] == "sha256"
        return {"transfer": "basic", "objects": [self.upload(one) for one in asked["objects"]]}

    def upload(self, one: dict[str, Any]) -> dict[str, Any]:
        if one["oid"] in self.hub.objects:
            return one
        return {**one, "actions": {"upload": {"href": f"{self.hub.url}/objects/{one['oid']}"}}}

    def store(self, body: bytes, oid: str) -> bytes:
        if sha256(body) != oid:
            raise RefusedError(400, "The content has another SHA-256.")
        self.hub.objects[oid] = body
        return b""

    def commit(self, body: bytes, repository: str, revision: str) -> Any:
        found = self.hub.find(repository)
        before = found.at(revision)
        [header, *changes] = [(one["key"], one["value"]) for one in map(json.loads, body.splitlines())]
        if header[1].get("parentCommit") not in (None, before.oid):
            raise RefusedError(412, "A commit has happened since. Please refresh and try again.")
        files, large = dict(before.files), set(before.large)
        for key, value in changes:
            path = value["path"]
            if path.startswith("/") or ".." in path.split("/"):
                raise RefusedError(400, f"{path} is not a path")
            large.discard(path)
            if key == "file":
                files[path] = base64.b64decode(value["content"], validate=True)
            elif key == "lfsFile":
                if len(self.hub.objects.get(value["oid"], b"")) != value["size"]:
                    raise RefusedError(400, f"The object of {path} was not uploaded.")
                files[path] = self.hub.objects[value["oid"]]
                large.add(path)
            elif key == "deletedFile" and path in files:
                del files[path]
            else:
                raise RefusedError(400, f"{key} of {path} is nothing that can be done.")
        made = found.add(files, large, header[1]["summary"])
        return {"commitOid": made.oid, "commitUrl": f"{self.hub.url}/datasets/{repository}/commit/{made.oid}"}

    def tag(self, body: bytes, repository: str, revision: str) -> Any:
        found, name = self.hub.find(repository), json.loads(body)["tag"]
        if name in found.tags:
            raise RefusedError(409, "This tag exists already.")
        found.tags[name] = found.at(revision).oid
        return {}

    # What is read.

    def refs(self, body: bytes, repository: str) -> Any:
        if not self.hub.has_tags:
            raise RefusedError(404, "Not found")
        found = self.hub.find(repository)
        tags = [
            {"name": name, "ref": f"refs/tags/{name}", "targetCommit": oid}
            for name, oid in found.tags.items()
        ]
        return {"branches": [], "converts": [], "tags": tags}

    def information(self, body: bytes, repository: str, revision: str | None = None) -> Any:
        found = self.hub.find(repository)
        there = found.at(revision or "main")
        files = [{"rfilename": one.pop("path"), "blobId": one.pop("oid"), **one} for one in entries(there)]
        return {"id": repository, "sha": there.oid, "private": found.private, "tags": [], "siblings": files}

    def tree(self, body: bytes, repository: str, revision: str, path: str = "") -> Any:
        below = f"{path}/" if path else ""
        there = [
            one for one in entries(self.hub.find(repository).at(revision)) if one["path"].startswith(below)
        ]
        if not there:
            raise RefusedError(404, f"There is no {path}.", "EntryNotFound")
        return [*folders(there), *there]

    def paths(self, body: bytes, repository: str, revision: str) -> Any:
        there = entries(self.hub.find(repository).at(revision))
        asked = (
            json.loads(body)["paths"]
            if body.startswith(b"{")
            else re.findall(r"paths=([^&]+)", body.decode())
        )
        wanted = {unquote(path).strip("/") for path in asked}
        return [one for one in (*folders(there), *there) if one["path"] in wanted]

    def content(self, body: bytes, repository: str, revision: str, path: str) -> bytes:
        there = self.hub.find(repository).at(revision)
        if path not in there.files:
            raise RefusedError(404, f"There is no {path}.", "EntryNotFound")
        self.extra = {"X-Repo-Commit": there.oid, "ETag": f'"{sha256(there.files[path])}"'}
        return there.files[path]


ROUTES = (
    ("POST", "/api/repos/create", "create"),
    ("POST", "/api/validate-yaml", "validate_card"),
    ("POST", f"/api/datasets/{REPOSITORY}/preupload/{REVISION}", "preupload"),
    ("POST", rf"/datasets/{REPOSITORY}\.git/info/lfs/objects/batch", "batch"),
    ("PUT", "/objects/(?P<oid>[0-9a-f]{64})", "store"),
    ("POST", f"/api/datasets/{REPOSITORY}/commit/{REVISION}", "commit"),
    ("POST", f"/api/datasets/{REPOSITORY}/tag/{REVISION}", "tag"),
    ("GET", f"/api/datasets/{REPOSITORY}/refs", "refs"),
    ("GET", f"/api/datasets/{REPOSITORY}(/revision/{REVISION})?", "information"),
    ("GET", f"/api/datasets/{REPOSITORY}/tree/{REVISION}(/(?P<path>.+))?", "tree"),
    ("POST", f"/api/datasets/{REPOSITORY}/paths-info/{REVISION}", "paths"),
    ("GET HEAD", f"/datasets/{REPOSITORY}/resolve/{REVISION}/(?P<path>.+)", "content"),
)
