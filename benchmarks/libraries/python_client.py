"""The Python client beside the one that openapi-python-client generates: time and memory of one large file.

python -m benchmarks.libraries.python_client [MB]
"""

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.clients.servers import answering
from tests.clients.test_places import release_of

ROOT = Path(__file__).resolve().parents[2]
OURS = """
from concur_client import Client
with Client(sys.argv[1]) as client:
    client.download_file("first", "file", "ours")
"""
GENERATED = """
from generated import AuthenticatedClient
from generated.api.releases import releases_files_retrieve
client = AuthenticatedClient(sys.argv[1], "cw_token", timeout=600)
with open("received", "wb") as file:
    file.write(releases_files_retrieve.sync("first", "file", client=client).payload.read())
"""
MEASURED = """
import resource, sys, time
start = time.perf_counter()
{program}
peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{{time.perf_counter() - start:.1f}} s, {{peak_mb:,.0f}} MB")
"""


def main() -> None:
    content = bytes(int(sys.argv[1] if len(sys.argv) > 1 else 1024) * 1_000_000)
    release = release_of("file", sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content))
    with (
        tempfile.TemporaryDirectory() as name,
        answering(lambda path: (200, {}, content if "/files/" in path else release)) as url,
    ):
        folder = Path(name)
        generate(folder)
        for which, program in {"ours": OURS, "generated": GENERATED}.items():
            print(f"{which}: {measured(folder, program, url)}, {lines(which, folder):,} lines")


def generate(folder: Path) -> None:
    config = ROOT / "clients/openapi-python-client.yaml"
    schema = [sys.executable, "manage.py", "spectacular", "--format", "openapi-json"]
    (folder / "schema.json").write_bytes(
        subprocess.run(schema, cwd=ROOT, check=True, capture_output=True).stdout
    )
    command = ["generate", "--path", "schema.json", "--meta", "none", "--output-path", "generated"]
    make = [sys.executable, "-m", "openapi_python_client", *command, "--config", str(config)]
    subprocess.run(make, cwd=folder, check=True, capture_output=True)


def measured(folder: Path, program: str, url: str) -> str:
    command = [sys.executable, "-c", MEASURED.format(program=program), url]
    environment = {"PYTHONPATH": str(ROOT / "clients/python/src"), "NO_PROXY": "127.0.0.1"}
    done = subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def lines(which: str, folder: Path) -> int:
    source = folder / "generated" if which == "generated" else ROOT / "clients/python/src"
    return sum(len(path.read_text().splitlines()) for path in source.rglob("*.py"))


if __name__ == "__main__":
    main()
