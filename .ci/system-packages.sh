#!/bin/sh
# Check for the named programs. On Debian as root, install missing ones; elsewhere print instructions.
# Usage: .ci/system-packages.sh [--optional] PACKAGE ...   (Debian's package names)
# The run goes on without an optional package, and does not ask for it where it cannot be installed.
set -u

optional=
if [ "$1" = --optional ]; then optional=yes; shift; fi

missing=""
for package in "$@"; do
    case "$package" in
        bubblewrap) program=bwrap ;;
        *) program=$package ;;
    esac
    command -v "$program" >/dev/null 2>&1 || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing$missing"
    apt-get install -y -qq $missing >/dev/null 2>&1 && exit 0
    [ -z "$optional" ] || exit 0
    apt-get update -qq >/dev/null 2>&1
    # shellcheck disable=SC2086
    apt-get install -y -qq $missing >/dev/null && exit 0
fi
[ -z "$optional" ] || exit 0
echo "Missing:$missing. Install with your system's package manager, on Debian or Ubuntu: sudo apt-get install$missing" >&2
case "$missing" in *chromium*) exit 1 ;; esac
exit 0  # the site runs without them and reports which of its parts are unavailable
