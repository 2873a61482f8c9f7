"""Where releases' files are stored, from the environment: the data folder, or a bucket of an S3-compatible server.

boto3 and django-storages are an optional dependency; they are imported only if a bucket is set.
"""

from importlib.util import find_spec
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from concur_site import env

ALIAS = "exports"  # under which datasets_app.export.store finds it

INSTALL = (
    "CONCUR_S3_BUCKET is set, but django-storages and boto3 are not installed. Install them with: "
    ".venv/bin/pip install 'django-storages[s3]>=1.14'; or unset CONCUR_S3_BUCKET to keep files in the data folder"
)
HALF_A_KEY = (
    "Set both CONCUR_S3_KEY_ID and CONCUR_S3_SECRET_KEY, or neither: boto3 then looks for credentials itself"
)
TIMEOUT_SECONDS = 10  # per connection, and per silence of the server
ATTEMPTS = 4  # of a request that failed by a fault of the network or the server


def storages() -> dict[str, Any]:
    """Return the entry of Django's STORAGES for a bucket, or none. Raises ImproperlyConfigured with a sentence."""
    bucket = env.text("CONCUR_S3_BUCKET")
    endpoint = env.url("CONCUR_S3_ENDPOINT", "", ("http", "https"))
    region, prefix = env.text("CONCUR_S3_REGION"), env.text("CONCUR_S3_PREFIX").strip("/")
    key_id, secret = env.text("CONCUR_S3_KEY_ID"), env.text("CONCUR_S3_SECRET_KEY")
    style = env.choice("CONCUR_S3_ADDRESSING", "auto", ("auto", "path", "virtual"))
    if not bucket:
        return {}
    if bool(key_id) != bool(secret):
        raise ImproperlyConfigured(HALF_A_KEY)
    if not (find_spec("storages") and find_spec("boto3")):
        raise ImproperlyConfigured(INSTALL)
    options = {
        "bucket_name": bucket,
        "location": prefix,
        "endpoint_url": endpoint or None,
        "region_name": region or None,
        "client_config": client_config(style),
    }
    if key_id:
        options |= {"access_key": key_id, "secret_key": secret}
    return {ALIAS: {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}}


def client_config(style: str) -> Any:
    from botocore.config import Config

    return Config(
        signature_version="s3v4",
        s3={"addressing_style": style},
        connect_timeout=TIMEOUT_SECONDS,
        read_timeout=TIMEOUT_SECONDS,
        retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
    )
