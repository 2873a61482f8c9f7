"""Tests what can be tested of deploy/ without an engine for containers and without systemd as the first process."""

import re
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml

from concur_site.up.processes import PYTHON
from concur_site.variables import ABOUT
from tests.live import ROOT

DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
UNITS = sorted((DEPLOY / "systemd").iterdir())
VARIABLE = re.compile(r"\b(CONCUR_[A-Z_]+|DATABASE_URL|REDIS_URL)\b")


@pytest.mark.parametrize(
    "path", [path for path in DEPLOY.rglob("*") if path.is_file()], ids=lambda path: path.name
)
def test_every_variable_that_a_file_sets_exists(path):
    assert set(VARIABLE.findall(path.read_text())) - set(ABOUT) == set()


def test_only_the_proxy_is_reached_from_outside():
    services = COMPOSE["services"]
    assert {name: service["ports"] for name, service in services.items() if "ports" in service} == {
        "site": ["80:80", "443:443"]
    }
    assert services["proxy"]["network_mode"] == "service:site"
    assert "network_mode" not in {key for name in services if name != "proxy" for key in services[name]}


def test_no_secret_has_a_default_and_no_command_line_holds_one():
    text = (DEPLOY / "compose.yaml").read_text()
    for name in ("SECRET_KEY", "DATABASE_PASSWORD", "BROKER_PASSWORD", "HOST"):
        assert re.search(rf"\$\{{{name}:\?", text), f"{name} is required"
    commands = [service.get("command", []) for service in COMPOSE["services"].values()]
    assert not re.search(r"(?<!\$)\$\{?\w*(PASSWORD|KEY)", str(commands))


def test_what_the_compose_file_and_the_images_name_exists():
    for service in COMPOSE["services"].values():
        for volume in service.get("volumes", []):
            name = volume.split(":")[0]
            assert name in COMPOSE["volumes"] or name == "./tls" or (DEPLOY / name).exists(), volume
        for other in service.get("depends_on", {}):
            assert "healthcheck" in COMPOSE["services"][other]
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    for line in re.findall(r"^COPY (.+) \S+$", dockerfile, re.MULTILINE):
        assert [name for name in line.split() if not (ROOT / name).exists()] == []
    stages = set(re.findall(r"^FROM .* AS (\w+)$", dockerfile, re.MULTILINE))
    targets = {service["build"]["target"] for service in COMPOSE["services"].values() if "build" in service}
    assert targets <= stages


def test_the_image_of_a_host_holds_every_module_that_its_worker_imports(tmp_path):
    stage = (DEPLOY / "Dockerfile").read_text().partition(" AS gpu")[2]
    for copied, to in re.findall(r"^COPY (\S+) (\S+)$", stage, re.MULTILINE):
        source, place = ROOT / copied, tmp_path / to
        if source.is_dir():
            shutil.copytree(source, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            place.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, place)
    program = "import sys; sys.modules['django'] = None; import eval_app.host.main, eval_app.engine.cli"
    done = subprocess.run([PYTHON, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=90)
    assert done.stderr == ""


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_accepts_the_units(tmp_path):
    for unit in UNITS:
        text = unit.read_text().replace("/opt/concur/.venv/bin/python", PYTHON)
        (tmp_path / unit.name).write_text(text)
    command = ["systemd-analyze", "verify", *map(str, sorted(tmp_path.iterdir()))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def lines(name: str) -> list[list[str]]:
    """Return the commands of a Procfile or of the units, without the interpreter."""
    if name == "Procfile":
        found = re.findall(r"^\w+: (.*)$", (DEPLOY / "Procfile").read_text(), re.MULTILINE)
    else:
        found = [
            line for unit in UNITS for line in re.findall(r"^ExecStart=(.*)$", unit.read_text(), re.MULTILINE)
        ]
    return [shlex.split(line)[1:] for line in found]


@pytest.mark.parametrize("name", ["Procfile", "systemd"])
def test_each_command_exists(name):
    from django.core.management import get_commands

    commands = lines(name)
    assert len(commands) >= 4
    for program, *arguments in commands:
        if program == "-m":
            assert arguments == ["eval_app.host"]
        else:
            assert program.endswith("manage.py")
            assert arguments[0] in get_commands()


def test_the_production_file_needs_a_key_and_names_only_that(tmp_path):
    text = (DEPLOY / "production.env").read_text()
    given = dict(line.split("=", 1) for line in text.splitlines() if line and not line.startswith("#"))
    given["CONCUR_DATA_DIR"] = str(tmp_path)
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", **given},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    faults = re.findall(r"^- (\w+)", done.stderr, re.MULTILINE)
    assert faults == ["CONCUR_SECRET_KEY"]
