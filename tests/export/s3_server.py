"""Runs moto's server, a program that answers S3's requests over HTTP from its own memory."""

import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import boto3

from tests.live import free_port, wait_until

KEY_ID, SECRET, REGION = "a-key", "a-secret", "us-east-1"


@contextmanager
def running_s3() -> Iterator[str]:
    """Yield the address of a server that lives as long as the block."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [sys.executable, "-c", "from moto.server import main; main()", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: process.poll() is not None or answers(address), "the S3 server's start")
        yield address
    finally:
        process.kill()
        process.wait(timeout=60)


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/moto-api/", timeout=5):
            return True
    except OSError:
        return False


def client_of(address: str):
    return boto3.client(
        "s3",
        endpoint_url=address,
        region_name=REGION,
        aws_access_key_id=KEY_ID,
        aws_secret_access_key=SECRET,
    )
