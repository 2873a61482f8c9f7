"""Runs moto's server, a program that answers S3's requests over HTTP from its own memory.

A server of one's own takes its place, whose bucket for these tests is emptied: CONCUR_TEST_S3 is its address,
CONCUR_TEST_S3_KEY_ID and CONCUR_TEST_S3_SECRET_KEY are its key.
"""

import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import boto3

from tests.live import free_port, wait_until

KEY_ID = os.environ.get("CONCUR_TEST_S3_KEY_ID", "a-key")
SECRET = os.environ.get("CONCUR_TEST_S3_SECRET_KEY", "a-secret")
REGION = "us-east-1"


@contextmanager
def running_s3() -> Iterator[str]:
    """Yield the address of a server that lives as long as the block, or of one's own."""
    if own := os.environ.get("CONCUR_TEST_S3"):
        yield own
        return
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


def empty_bucket(client, name: str) -> None:
    """Create the bucket if it is missing, and delete what is in it, the parts of unfinished objects too."""
    with suppress(client.exceptions.BucketAlreadyOwnedByYou):
        client.create_bucket(Bucket=name)
    for upload in client.list_multipart_uploads(Bucket=name).get("Uploads", []):
        client.abort_multipart_upload(Bucket=name, Key=upload["Key"], UploadId=upload["UploadId"])
    for found in client.list_objects_v2(Bucket=name).get("Contents", []):
        client.delete_object(Bucket=name, Key=found["Key"])
