"""What the programs of a run inherit: each the variables that it reads, so that no secret is in a process without need.

The administrator's password is for the first account alone, which is made before anything is started. Redis reads
none of the site's variables. `manage.py worker` drops the rest of the site's secrets itself when it becomes the
worker.
"""

from collections.abc import Mapping

PASSWORD = "CONCUR_ADMIN_PASSWORD"  # noqa: S105  (the variable's name)
# glibc gives every thread of a process an arena of its own, and returns little of what is freed in it.
FEW_ARENAS = {"MALLOC_ARENA_MAX": "2"}
# What a program of the system needs to start and to write dates and messages.
SYSTEM = ("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "LD_LIBRARY_PATH")


def environment_for(program: str, given: Mapping[str, str]) -> dict[str, str]:
    """The environment of one program of the run, out of the run's own."""
    if program == "redis":
        return {name: value for name, value in given.items() if name in SYSTEM or name.startswith("LC_")}
    inherited = {name: value for name, value in given.items() if name != PASSWORD}
    return FEW_ARENAS | inherited if program.startswith("site-") else inherited
