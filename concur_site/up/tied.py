"""Becomes a command that the kernel signals when its supervisor dies: `python tied.py SIGNAL PARENT COMMAND ...`.

A script for an interpreter without site packages, so that it takes 10 ms. Linux only, like the rest of `up`.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    number, parent, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:  # it ended before the request to the kernel
        sys.exit(1)
    os.execvp(command[0], command)  # noqa: S606  (the supervisor's own commands)


if __name__ == "__main__":
    main()
