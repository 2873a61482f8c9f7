"""The command line: `python -m concur_client` or `concur`.

Results go to standard output, everything else to standard error. Exit status: 0, 1 for an error that is printed as one
line, 2 for wrong arguments, 130 for an interrupt.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from concur_client.client import TOKEN_VARIABLE, URL_VARIABLE, Client
from concur_client.errors import ConcurError, YankedWarning
from concur_client.version import __version__

FAILED, INTERRUPTED = 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status."""
    options = parser().parse_args(arguments)
    try:
        with warnings.catch_warnings(), Client(options.url) as client:
            warnings.simplefilter("always", YankedWarning)
            warnings.showwarning = lambda message, *_, **__: say(f"Warning: {message}")
            options.run(client, options)
            sys.stdout.flush()
    except (ConcurError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # `| head` has read enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        say(str(error))
        return FAILED
    except KeyboardInterrupt:
        say("Interrupted. What was received is kept; the same command goes on from there.")
        return INTERRUPTED
    return 0


def say(text: str) -> None:
    print(printable(text), file=sys.stderr)


def printable(text: str) -> str:
    """Return a site's text without what would control the terminal."""
    return "".join(one if one.isprintable() else " " for one in text)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="concur",
        description="Read samples and download releases of a ConCuR Workbench site.",
        epilog=f"{TOKEN_VARIABLE} holds a token of an account. Public releases need none; samples need the scope read, "
        "upload the scope curate.",
    )
    top.add_argument("--url", help=f"the site; default: {URL_VARIABLE}")
    top.add_argument("--version", action="version", version=__version__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    releases = commands.add_parser(
        "releases", help="list the releases that can be read; without a token the public ones"
    )
    releases.set_defaults(run=print_releases)

    download = commands.add_parser("download", help="download a release's files, or go on with it")
    download.add_argument("name", metavar="NAME")
    download.add_argument("--into", metavar="DIR", type=Path, required=True)
    download.add_argument(
        "--only", metavar="PATTERN", action="append", default=[], help="such as 'data/*.parquet'"
    )
    download.add_argument(
        "--parallel", metavar="N", type=count_of, default=4, help="files at once; default: 4"
    )
    download.add_argument("--quiet", action="store_true", help="no progress bar")
    download.set_defaults(run=download_release)

    samples = commands.add_parser("samples", help="print samples with their texts as JSON Lines")
    samples.add_argument(
        "--filter",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=filter_of,
        help="such as outcome=passed or speedup_min=2; --filter=-language=triton leaves Triton out",
    )
    samples.add_argument("--fields", metavar="NAME,NAME", help="columns; default: all")
    samples.add_argument("--limit", metavar="N", type=count_of, help="at most so many samples")
    samples.set_defaults(run=print_samples)

    upload = commands.add_parser(
        "upload", help="upload a file of samples and wait until it is read; the token needs the scope curate"
    )
    upload.add_argument("file", metavar="FILE", type=Path)
    for name in ("format", "source", "licence"):
        upload.add_argument(f"--{name}", default="")
    upload.add_argument("--no-wait", action="store_true", help="print the ingest's id and end")
    upload.set_defaults(run=upload_file)
    return top


def filter_of(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not name or not sign:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def count_of(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def print_releases(client: Client, options: argparse.Namespace) -> None:
    for release in client.releases():
        about = " (yanked)" if release.publication.yanked_at else ""
        row = (release.name, release.state, f"{release.rows} rows", release.publication.visibility + about)
        print("\t".join(map(printable, row)))


def download_release(client: Client, options: argparse.Namespace) -> None:
    done = client.download_release(
        options.name,
        options.into,
        only=options.only,
        parallel=options.parallel,
        progress=not options.quiet,
    )
    for one in done:
        print(one.path)
    kept = sum(one.fetched_bytes == 0 for one in done)
    say(f"{len(done)} files are complete in {options.into}; {kept} of them were before.")


def print_samples(client: Client, options: argparse.Namespace) -> None:
    filters: dict[str, list[str]] = {}
    for name, value in options.filter:
        filters.setdefault(name, []).append(value)
    fields = options.fields.split(",") if options.fields else None
    for row in itertools.islice(client.stream_samples(filters, fields=fields), options.limit):
        print(json.dumps(row))


def upload_file(client: Client, options: argparse.Namespace) -> None:
    ingest = client.upload(
        options.file, format=options.format, source=options.source, licence=options.licence
    )
    if options.no_wait:
        print(ingest.id)
        return
    ingest = client.wait_for_ingest(ingest.id)
    print(
        f"{ingest.rows} rows: {ingest.samples} new samples, {ingest.duplicates} duplicates, {ingest.refused} refused"
    )
