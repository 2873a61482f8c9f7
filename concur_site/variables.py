"""The environment variables of the site and its hosts, as docs/settings.md lists them.

ABOUT says what each variable means; accepted values and defaults are those that the settings read with. A new variable
gets its line here, and `manage.py variables > docs/settings.md` brings the page up to date.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from concur_site import env

ABOUT = {
    "CONCUR_DATA_DIR": "data folder: database, uploads, exports, build cache, logs; only its owner can read it",
    "CONCUR_PORT": "port of the site, on 127.0.0.1",
    "CONCUR_ENV": "`production`: refuse to start with an empty or weak secret key, wildcard hosts, debug mode, no TLS, "
    "or a broker without a password",
    "CONCUR_ADMIN_PASSWORD": "password of the first administrator, instead of a generated one that is printed",
    "CONCUR_DEMO": "0: leave out the demo pack",
    "CONCUR_DEMO_VERIFY": "0: do not verify the demo pack's C++ kernels after it is ingested",
    "DATABASE_URL": "the database, for example `postgresql://user:password@host/name`; several hosts are tried "
    "in order",
    "REDIS_URL": "a broker that is already running; required on a host",
    "CONCUR_BROKER_LISTEN": "address at which the broker that `manage.py up` starts accepts other machines, with a "
    "password for each, for example `10.0.0.5:6379`; empty: a Unix socket, for this machine only",
    "CONCUR_BUILD_JOBS": "compilers that a host runs at once; 0: one per core, from 2 to 16",
    "CONCUR_TOKENIZER": "path of a `tokenizer.json` that counts trace lengths; empty: the project's own. "
    "`manage.py maintenance tokens` recounts what is stored",
    "CONCUR_REFERENCE_DEVICE": "device whose evidence lists, ranks and plots show: a whole name or one word of it; "
    "empty: the one with the most deciding verifications. `manage.py maintenance evidence` applies a change",
    "CONCUR_INBOX": "folder of files that administrators can ingest by name",
    "CONCUR_HOSTS": "host names that the site answers to",
    "CONCUR_TLS": "1: the site is behind a TLS proxy that sets X-Forwarded-Proto",
    "CONCUR_TRUSTED_ORIGINS": "origins that may post forms, for example `https://bench.example.org`",
    "CONCUR_CORS_ORIGINS": "origins whose pages may call the API and read releases by token; empty: none",
    "CONCUR_TRUSTED_PROXIES": "proxies whose X-Forwarded-For header is trusted",
    "CONCUR_WEBHOOK_NETWORKS": "networks that webhooks may reach although their addresses are not public, for example "
    "`10.20.0.0/16`; empty: none",
    "CONCUR_WEBHOOK_HTTP_HOSTS": "hosts that webhooks may reach by `http://`; empty: none",
    "CONCUR_ENDPOINTS": "endpoints of models that syntheses may ask, by name, for example "
    "`local=http://127.0.0.1:8001/v1`; empty: none",
    "CONCUR_ENDPOINT_KEYS": "their keys, by the same names; they are stored nowhere",
    "CONCUR_PRICES": "what a million tokens of prompts and of answers cost, by endpoint or by `endpoint/model`, for "
    "example `hosted=0.25/1.5,hosted/maker/small=0.1/0.4`; it counts where an endpoint states no cost of its own",
    "CONCUR_METRICS_NETWORKS": "networks from which `/metrics` is read without a token, for example `10.20.0.0/16`; "
    "behind a proxy only with CONCUR_TRUSTED_PROXIES; empty: none",
    "CONCUR_REQUIRE_TOTP": "1: administrators need a second factor to sign in",
    "CONCUR_MAIL_URL": "mail server for links that reset a password, for example "
    "`smtp+tls://user:password@mail.example.org:587`; empty: administrators make such links",
    "CONCUR_MAIL_FROM": "sender of that mail",
    "CONCUR_SECRET_KEY": "secret of sessions and signatures; after a change, run `manage.py host rotate NAME` for each "
    "host",
    "CONCUR_DEBUG": "1: Django's debug mode; never on a site that others can reach",
    "CONCUR_LOG_LEVEL": "log level of the site and its hosts",
    "CONCUR_LOG_FORMAT": "form of the log lines of the site and its hosts: for people, or one JSON object per line",
    "CONCUR_SITE_PROCESSES": "site processes; 0: one per core, at most 4",
    "CONCUR_SITE_THREADS": "requests that one site process runs at once",
    "CONCUR_SITE_CONNECTIONS": "connections that one site process keeps open",
    "CONCUR_REQUEST_SECONDS": "a site process whose request sends nothing for longer is replaced",
    "CONCUR_STALL_SECONDS": "a site process that runs no Python code for this long is replaced",
    "CONCUR_ACCEL_REDIRECT": "nginx's internal location of the data folder, for example `/protected/`: nginx then "
    "sends the downloads",
    "CONCUR_S3_BUCKET": "bucket of an S3-compatible server for releases' files; empty: the data folder. "
    "docs/storage.md has the use",
    "CONCUR_S3_ENDPOINT": "address of that server; empty: Amazon's",
    "CONCUR_S3_REGION": "region of the bucket",
    "CONCUR_S3_PREFIX": "folder in the bucket",
    "CONCUR_S3_KEY_ID": "id of the key that reads and writes there; empty: boto3 looks for credentials itself",
    "CONCUR_S3_SECRET_KEY": "the key's secret",
    "CONCUR_S3_ADDRESSING": "whether the bucket's name is in the path or in the host name of its addresses",
    "CONCUR_S3_DOWNLOADS": "`redirect`: downloads are sent on to an address of the bucket that is signed for an hour; "
    "`proxy`: the site sends them",
    "CONCUR_API_RATE": "requests per minute, per token and site process",
    "CONCUR_HUB_NAMESPACE": "what stands before a release's name in `load_dataset`, such as `concur/NAME`",
    "CONCUR_LEASE_SECONDS": "lease of a job: a worker without a heartbeat for longer is considered dead",
    "CONCUR_SWEEP_SECONDS": "pause between two runs of the sweeper",
    "CONCUR_ALERT_QUEUE_MINUTES": "an alert is raised while a verification has waited for longer",
    "CONCUR_ALERT_DISK_MB": "an alert is raised while a disk has less free space",
    "CONCUR_ALERT_ERROR_PERCENT": "an alert is raised while more of the last hour's verifications ended as "
    "`infra_error`, or more of five minutes' requests as 5xx",
    "CONCUR_JOB_MEMORY_MB": "memory limit of one background job",
    "CONCUR_FREE_DISK_MB": "disk space that an ingest leaves free",
    "CONCUR_UPLOAD_MB": "size limit of one upload, all its files together",
    "CONCUR_LOOK_SECONDS": "time limit for recognising the format of one file",
    "CONCUR_LOOK_MEMORY_MB": "memory limit for recognising the format of one file",
    "CONCUR_INGEST_ROWS": "maximum rows per file",
    "CONCUR_INGEST_DECODED_MB": "maximum decoded bytes per file",
    "CONCUR_INGEST_RATIO": "maximum decoded bytes per byte of the file, above 64 MB",
    "CONCUR_INGEST_REFUSED_ROWS": "maximum refused rows stored per file; others are counted",
    "CONCUR_INGEST_REFUSED_MB": "maximum text of refused rows stored per file",
    "CONCUR_INGEST_REFUSED_IN_A_ROW": "consecutive refused rows that end an ingest",
    "CONCUR_VERDICT_POLICY": "what several reviews of a sample decide; an adjudication wins in each",
    "CONCUR_BLIND_REVIEW": "1: reviewers see other reviews of a sample only after submitting their own",
    "CONCUR_SUGGESTIONS": "0: the review page shows no suggestions of rules and models; programs may still send them",
    "CONCUR_HOST_KEY": "key of a host, from `manage.py host add NAME`; else the file `host-key` (mode 600) in its "
    "data folder",
    "CONCUR_WORKER_NAME": "name of the worker on this machine",
}
# Read after the settings are loaded, or on a host, which has no settings: accepted values and default.
READ_LATER = {
    "CONCUR_ADMIN_PASSWORD": ("text", ""),
    "CONCUR_DEMO": ("0 or 1", "1"),
    "CONCUR_DEMO_VERIFY": ("0 or 1", "1"),
    "CONCUR_HOST_KEY": ("text", ""),
    "CONCUR_WORKER_NAME": ("text", "the machine's name"),
}
# Defaults that differ from machine to machine, in words.
DEFAULTS = {
    "CONCUR_DATA_DIR": "`var/` beside `manage.py`; `concur-data/` in the current folder if installed from a wheel",
    "CONCUR_INBOX": "`inbox/` in the data folder",
    "CONCUR_SECRET_KEY": "generated once, in the data folder",
    "DATABASE_URL": "SQLite in the data folder",
    "REDIS_URL": "a broker that `manage.py up` starts",
}
HEAD = """# Environment variables

`manage.py variables > docs/settings.md` writes this page. A value that is not accepted stops the start with an error
that names the variable.

| variable | meaning | accepted values | default |
| --- | --- | --- | --- |
"""


@dataclass(frozen=True)
class Variable:
    name: str
    about: str
    accepted: str
    default: str


def variables() -> Iterator[Variable]:
    """Yield every variable in the order of ABOUT. Raises KeyError for one that nothing reads."""
    for name, about in ABOUT.items():
        accepted, default = READ_LATER.get(name) or env.READ[name]
        yield Variable(name, about, accepted, DEFAULTS.get(name, default))


def page() -> str:
    """Return the text of docs/settings.md."""
    rows = [f"| `{row.name}` | {row.about} | {row.accepted} | {row.default} |\n" for row in variables()]
    return HEAD + "".join(rows)
