"""One settings file, read top to bottom. Every value that a site may change comes from the environment."""

import secrets
from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from concur_site import env

BASE_DIR = Path(__file__).resolve().parent.parent

# --- Where things lie -------------------------------------------------------------------------------

DATA_DIR = env.folder("CONCUR_DATA_DIR", BASE_DIR / "var")
UPLOAD_DIR = DATA_DIR / "uploads"
INBOX_DIR = env.folder("CONCUR_INBOX", DATA_DIR / "inbox")  # what an administrator may ingest by its name
EXPORT_DIR = DATA_DIR / "exports"
BUILD_CACHE_DIR = DATA_DIR / "build-cache"
PORT = env.integer("CONCUR_PORT", 8000, 1, 65535)
TOKENIZER = env.text("CONCUR_TOKENIZER")  # a tokenizer.json; empty: the one that comes with the project
BUILD_JOBS = env.integer("CONCUR_BUILD_JOBS", 0, 0, 256) or None  # None: the engine counts the cores

# --- Security ---------------------------------------------------------------------------------------


def secret_key() -> str:
    """The key from the environment, else one made once and kept beside the database, readable by its owner."""
    if key := env.text("CONCUR_SECRET_KEY"):
        return key
    path = DATA_DIR / "secret-key"
    if not path.exists():
        DATA_DIR.mkdir(parents=True, exist_ok=True)
        fresh = DATA_DIR / f".secret-key-{secrets.token_hex(4)}"
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(50))
        try:
            path.hardlink_to(fresh)  # the first of two processes wins; the other reads its key
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text().strip()


SECRET_KEY = secret_key()
DEBUG = env.flag("CONCUR_DEBUG", False)
ALLOWED_HOSTS = env.names("CONCUR_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.names("CONCUR_TRUSTED_ORIGINS", [])
BEHIND_TLS = env.flag("CONCUR_TLS", False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = BEHIND_TLS
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
SESSION_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

# The site shows text and code that a model wrote: nothing inline runs, nothing comes from elsewhere.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# --- The application --------------------------------------------------------------------------------

INSTALLED_APPS = [
    "datasets_app.admin_config.WorkbenchAdminConfig",  # django.contrib.admin, for administrators only
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "django_filters",
    "rest_framework",
    "drf_spectacular",
    "datasets_app",
    "eval_app",
    "concur_site",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "concur_site.urls"
WSGI_APPLICATION = "concur_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "concur_site.context.site",
            ],
        },
    }
]

AUTHENTICATION_BACKENDS = ["datasets_app.backends.RoleBackend"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# --- Database ---------------------------------------------------------------------------------------

DATABASE_SCHEMES = ("sqlite", "postgres", "postgresql")


def database() -> dict[str, object]:
    """DATABASE_URL as Django wants it; SQLite in the data folder where none is named."""
    address = env.url("DATABASE_URL", f"sqlite:///{DATA_DIR / 'concur.sqlite3'}", DATABASE_SCHEMES)
    config = environ.Env.db_url_config(address)
    if "sqlite" in config["ENGINE"]:
        # WAL lets readers go on beside the writer; IMMEDIATE waits for the write lock instead of failing late. Some
        # builds of SQLite overwrite what is deleted with zeros: an index that merges its parts pays a tenth for it.
        # The log is worked in by 16 MB, not by 4: a portion of an ingest is some 8, half of it pages written before.
        config["ENGINE"] = "concur_site.sqlite_in_turn"
        config["OPTIONS"] = {
            "timeout": 30,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA cache_size=-65536;"
            "PRAGMA secure_delete=OFF;PRAGMA wal_autocheckpoint=4000;",
        }
    else:
        config["CONN_MAX_AGE"] = 300
        config["CONN_HEALTH_CHECKS"] = True
    return config


DATABASES = {"default": database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Redis and Celery -------------------------------------------------------------------------------

# The run's own Redis listens on a Unix socket in the data folder. A socket's path may hold 107 bytes.
REDIS_SOCKET = DATA_DIR / "redis.sock"
REDIS_URL = env.url("REDIS_URL", f"unix://{REDIS_SOCKET}", ("redis", "rediss", "unix"))
if REDIS_URL.startswith("unix:") and len(REDIS_URL) > 107:
    raise ImproperlyConfigured(
        f"CONCUR_DATA_DIR={str(DATA_DIR)!r} is too long for a Unix socket inside it: choose a path of "
        "less than 90 characters, or set REDIS_URL to a Redis that is running"
    )
LEASE_SECONDS = env.integer("CONCUR_LEASE_SECONDS", 30, 2, 3600)  # a worker silent for so long has died
SWEEP_SECONDS = env.integer("CONCUR_SWEEP_SECONDS", 5, 1, 3600)

# --- REST -------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "datasets_app.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["datasets_app.api.permissions.HasScope"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "datasets_app.api.pagination.CursorPagination",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_FILTER_BACKENDS": [],
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "ConCuR Workbench",
    "DESCRIPTION": "PyTorch / reasoning / CUDA triples, the evidence for them, and releases made from them.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "PREPROCESSING_HOOKS": ["datasets_app.api.schema.only_the_api"],
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {
        "JobState": "datasets_app.models.job.JobState",
        "VerificationState": "eval_app.listing.STATE_CHOICES",
    },
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
}

# --- Review -----------------------------------------------------------------------------------------

REVIEW_BLIND = env.flag("CONCUR_BLIND_REVIEW", False)  # nobody sees others' reviews before giving their own

# --- Files, words, logs -----------------------------------------------------------------------------

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "datasets_app.analysis.static_files.PlotlyFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
MEDIA_ROOT = UPLOAD_DIR
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]  # never whole in memory
DATA_UPLOAD_MAX_MEMORY_SIZE = 32 * 2**20

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname:<7} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    # One line a message would drown what a person looks for: heartbeats come every few seconds.
    "loggers": {name: {"level": "WARNING"} for name in ("celery.worker.strategy", "celery.app.trace")},
    "root": {"handlers": ["stderr"], "level": env.text("CONCUR_LOG_LEVEL", "INFO").upper()},
}
