"""The settings of the site. Everything that a site may change comes from the environment (see env)."""

from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from concur_site import env, export_store, production
from concur_site.broker_access import broker_access
from concur_site.data_folder import BASE_DIR, IS_CHECKOUT, data_folder
from concur_site.database import database
from concur_site.logs.configuration import logging_of
from concur_site.secret_key import secret_key
from datasets_app.api import schema

PAGES_DIR = BASE_DIR if IS_CHECKOUT else Path(__file__).resolve().parent / "pages"  # templates/ and static/
IS_PRODUCTION = env.choice("CONCUR_ENV", "local", ("local", "production")) == "production"

# --- Folders ------------------------------------------------------------------------------------

DATA_DIR = data_folder()
UPLOAD_DIR = DATA_DIR / "uploads"
# From which an administrator may ingest files by name.
INBOX_DIR = env.folder("CONCUR_INBOX", DATA_DIR / "inbox")
EXPORT_DIR = DATA_DIR / "exports"
BUILD_CACHE_DIR = DATA_DIR / "build-cache"
PORT = env.integer("CONCUR_PORT", 8000, 1, 65535)
SITE_PROCESSES = env.integer("CONCUR_SITE_PROCESSES", 0, 0, 64)  # 0: one per core, up to 4
SITE_THREADS = env.integer("CONCUR_SITE_THREADS", 4, 1, 64)  # requests that one process runs at once
SITE_CONNECTIONS = env.integer("CONCUR_SITE_CONNECTIONS", 1000, 10, 20_000)  # that one process keeps open
# A process is replaced if a request takes longer, or if it runs no Python code for this long.
REQUEST_SECONDS = env.integer("CONCUR_REQUEST_SECONDS", 60, 2, 86_400)
STALL_SECONDS = env.integer("CONCUR_STALL_SECONDS", 20, 2, 86_400)
ACCEL_REDIRECT = env.text("CONCUR_ACCEL_REDIRECT")  # nginx's internal location of the data folder
TOKENIZER = env.text("CONCUR_TOKENIZER")  # path of a tokenizer.json; empty: the project's own
REFERENCE_DEVICE = env.text("CONCUR_REFERENCE_DEVICE")  # empty: the one with the most deciding runs
BUILD_JOBS = env.integer("CONCUR_BUILD_JOBS", 0, 0, 256)  # compilers at once; 0: one per core
WORKER_NAME = env.text("CONCUR_WORKER_NAME")  # of the worker on this machine; empty: the machine's name

# --- Security ---------------------------------------------------------------------------------------

SECRET_KEY = secret_key(DATA_DIR, may_generate=not IS_PRODUCTION)
DEBUG = env.flag("CONCUR_DEBUG", False)
HERE = ["127.0.0.1", "localhost", "[::1]"]
ALLOWED_HOSTS = env.names("CONCUR_HOSTS", HERE)
CSRF_TRUSTED_ORIGINS = env.origins("CONCUR_TRUSTED_ORIGINS", wildcards=True)
# Pages of these origins may call the API and read releases, by token alone: no cookie is ever accepted from them.
CORS_ALLOWED_ORIGINS = env.origins("CONCUR_CORS_ORIGINS")
CORS_URLS_REGEX = r"^/(api/(v1|schema|datasets)|datasets)/"
CORS_EXPOSE_HEADERS = ["Accept-Ranges", "Content-Disposition", "Content-Range", "ETag", "Link", "Location"]
CORS_EXPOSE_HEADERS += ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Repr-Digest"]
CORS_EXPOSE_HEADERS += ["Retry-After", "Warning", "X-Error-Code", "X-Error-Message", "X-Request-ID"]
CORS_EXPOSE_HEADERS += ["X-Total-Count"]
BEHIND_TLS = env.flag("CONCUR_TLS", False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = BEHIND_TLS
# Probes and scrapers of the same network come by plain HTTP, past the proxy.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^health/", r"^metrics$"]
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_ENGINE = "datasets_app.accounts.sessions"
WEBHOOK_NETWORKS = env.networks("CONCUR_WEBHOOK_NETWORKS")  # that webhooks may reach although not public
WEBHOOK_HTTP_HOSTS = env.names("CONCUR_WEBHOOK_HTTP_HOSTS", [])  # that webhooks may reach without TLS
ENDPOINTS = env.endpoints("CONCUR_ENDPOINTS")  # of models that syntheses may ask
ENDPOINT_KEYS = env.pairs("CONCUR_ENDPOINT_KEYS")
PRICES = env.prices("CONCUR_PRICES")  # of a million tokens: of prompts, of answers
TRUSTED_PROXIES = env.networks("CONCUR_TRUSTED_PROXIES")  # whose X-Forwarded-For is trusted
REQUIRE_TOTP = env.flag("CONCUR_REQUIRE_TOTP", False)  # administrators need a second factor to sign in
MAIL_URL = env.url("CONCUR_MAIL_URL", "", ("smtp", "smtp+tls", "smtp+ssl"))
SENDS_MAIL = bool(MAIL_URL)
globals().update(environ.Env.email_url_config(MAIL_URL) if SENDS_MAIL else {})  # EMAIL_HOST and the like
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.text("CONCUR_MAIL_FROM", "concur-workbench@localhost")
METRICS_NETWORKS = env.networks("CONCUR_METRICS_NETWORKS")  # from which /metrics is read without a token
# Whether subdomains are reached by TLS alone, and browsers preload that, its owner decides for the whole domain.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

# The site shows text and code that models wrote: no inline script runs, and nothing is loaded from elsewhere.
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
    "datasets_app.apps.WorkbenchAdminConfig",  # django.contrib.admin, for administrators only
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "corsheaders",
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
    "concur_site.metrics.middleware.PageSecondsMiddleware",
    "concur_site.call_stack.in_one_block",
    "concur_site.logs.requests.RequestIdMiddleware",
    "concur_site.headers.HeadersMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "datasets_app.ingest.upload_limit.upload_limit",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "concur_site.api_answers.ApiAnswersMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "concur_site.addresses.RefuseNul",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "datasets_app.accounts.ended_session.EndedSessionMiddleware",
    "datasets_app.accounts.middleware.SecondFactorMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "concur_site.urls"
WSGI_APPLICATION = "concur_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PAGES_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "concur_site.context.site",
            ],
            "builtins": ["datasets_app.templatetags.links"],
        },
    }
]

AUTHENTICATION_BACKENDS = ["datasets_app.accounts.backends.RoleBackend"]
PASSWORD_RESET_TIMEOUT = 86_400  # seconds that a link for a new password is valid
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# --- Database ---------------------------------------------------------------------------------------

DATABASES = {"default": database(DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Redis and Celery -------------------------------------------------------------------------------

# The run's own Redis listens on a Unix socket in the data folder. A socket's path has at most 107 bytes.
REDIS_SOCKET = DATA_DIR / "redis.sock"
HAS_OWN_REDIS = not env.text("REDIS_URL")  # started and ended by `manage.py up`
BROKER_ACCESS = broker_access(DATA_DIR, env.address("CONCUR_BROKER_LISTEN"))  # of other machines to it
REDIS_URL = env.url("REDIS_URL", BROKER_ACCESS.site_url(REDIS_SOCKET), ("redis", "rediss", "unix"))
if HAS_OWN_REDIS and len(f"unix://{REDIS_SOCKET}") > 107:
    raise ImproperlyConfigured(
        f"CONCUR_DATA_DIR={str(DATA_DIR)!r} is too long for a Unix socket inside it: choose a path of "
        "less than 90 characters, or set REDIS_URL to a Redis that is running"
    )
if IS_PRODUCTION:
    production.refuse_unsafe(
        secret_key=SECRET_KEY,
        hosts=[] if ALLOWED_HOSTS is HERE else ALLOWED_HOSTS,
        debug=DEBUG,
        tls=BEHIND_TLS,
        redis_url=REDIS_URL,
    )
# A worker without a heartbeat for longer is considered dead.
LEASE_SECONDS = env.integer("CONCUR_LEASE_SECONDS", 30, 2, 3600)
SWEEP_SECONDS = env.integer("CONCUR_SWEEP_SECONDS", 5, 1, 3600)

# --- Alerts (eval_app/operations/alerts) --------------------------------------------------------------

ALERT_QUEUE_MINUTES = env.integer("CONCUR_ALERT_QUEUE_MINUTES", 120, 1, 100_000)
ALERT_DISK_BYTES = 2**20 * env.integer("CONCUR_ALERT_DISK_MB", 2048, 1, 2**24)
ALERT_ERROR_PERCENT = env.integer("CONCUR_ALERT_ERROR_PERCENT", 20, 1, 100)

# --- Budgets of jobs and files ----------------------------------------------------------------------

MB = 2**20
# Limit of one background job's process.
JOB_MEMORY_BYTES = MB * env.integer("CONCUR_JOB_MEMORY_MB", 2048, 256, 2**20)
# An ingest stops before it uses this.
FREE_DISK_BYTES = MB * env.integer("CONCUR_FREE_DISK_MB", 1024, 1, 2**24)
UPLOAD_BYTES = MB * env.integer("CONCUR_UPLOAD_MB", 4096, 1, 2**20)  # of all files in one request
LOOK_SECONDS = env.integer("CONCUR_LOOK_SECONDS", 20, 1, 600)  # to recognise one file
LOOK_MEMORY_BYTES = MB * env.integer("CONCUR_LOOK_MEMORY_MB", 512, 64, 2**16)
INGEST_ROWS = env.integer("CONCUR_INGEST_ROWS", 10_000_000, 1, 2**31 - 1)
INGEST_DECODED_BYTES = MB * env.integer("CONCUR_INGEST_DECODED_MB", 65_536, 1, 2**24)  # of one file, unpacked
# Decoded bytes per byte of the file, above 64 MB.
INGEST_RATIO = env.integer("CONCUR_INGEST_RATIO", 200, 2, 100_000)
# Stored; the rest is counted.
INGEST_REFUSED_ROWS = env.integer("CONCUR_INGEST_REFUSED_ROWS", 10_000, 0, 10_000_000)
INGEST_REFUSED_BYTES = MB * env.integer("CONCUR_INGEST_REFUSED_MB", 64, 1, 2**20)  # of the stored texts
# Consecutive ones that end an ingest.
INGEST_REFUSED_IN_A_ROW = env.integer("CONCUR_INGEST_REFUSED_IN_A_ROW", 20_000, 10, 2**31 - 1)

# --- REST -------------------------------------------------------------------------------------------

# Requests per minute, per token and site process.
API_RATE = env.integer("CONCUR_API_RATE", 6000, 1, 10_000_000)
HUB_NAMESPACE = env.slug("CONCUR_HUB_NAMESPACE", "concur")  # before the name of a release in load_dataset
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "datasets_app.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["datasets_app.api.permissions.HasScope"],
    "DEFAULT_PARSER_CLASSES": ["datasets_app.api.parsers.JSONParser"],
    "DEFAULT_METADATA_CLASS": "datasets_app.api.metadata.Methods",
    "EXCEPTION_HANDLER": "datasets_app.api.errors.handle",
    "DEFAULT_THROTTLE_CLASSES": ["datasets_app.api.throttling.TokenRate"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "datasets_app.api.pagination.CursorPagination",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_FILTER_BACKENDS": [],
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = schema.SETTINGS

# --- Submitted text ---------------------------------------------------------------------------------

ANALYSIS_IN_CHILDREN = True  # see datasets_app.bounded; most tests analyse in their own process

# --- Review -----------------------------------------------------------------------------------------

# Reviewers see other reviews of a sample only after submitting their own.
REVIEW_BLIND = env.flag("CONCUR_BLIND_REVIEW", False)
# What several reviews of a sample decide; see datasets_app/models/verdict_policy.py.
VERDICT_POLICY = env.choice("CONCUR_VERDICT_POLICY", "newest", ("newest", "majority", "unanimous"))
# Reviewers see what rules and models suggest; see datasets_app/review/suggestions/.
SUGGESTIONS = env.flag("CONCUR_SUGGESTIONS", True)

# --- Files, words, logs -----------------------------------------------------------------------------

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [PAGES_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "datasets_app.analysis.static_files.PlotlyFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "concur_site.static_files.StaticFilesStorage"},
} | export_store.storages()
EXPORT_S3_DOWNLOADS = env.choice("CONCUR_S3_DOWNLOADS", "proxy", ("proxy", "redirect"))
MEDIA_ROOT = UPLOAD_DIR
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]  # never whole in memory
DATA_UPLOAD_MAX_MEMORY_SIZE = 32 * 2**20

LANGUAGE_CODE = "en"
USE_I18N = False
FORMAT_MODULE_PATH = "concur_site.formats"
USE_TZ = True
TIME_ZONE = "UTC"

LOG_FORMAT = env.choice("CONCUR_LOG_FORMAT", "readable", ("readable", "json"))
LOG_LEVEL = env.choice("CONCUR_LOG_LEVEL", "info", ("debug", "info", "warning", "error", "critical"))
LOGGING = logging_of(LOG_LEVEL.upper(), LOG_FORMAT)
