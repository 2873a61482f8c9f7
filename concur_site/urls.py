"""URLs of the site, by application."""

from django.contrib import admin
from django.urls import include, path

import eval_app.urls
from concur_site import search, views
from concur_site.audit_page import audit_log
from concur_site.health.views import health, live, ready
from concur_site.metrics.views import Metrics
from datasets_app.accounts.guard import methods
from datasets_app.views.account import SignOut
from datasets_app.views.sign_in import SignIn, second_step

handler400 = "concur_site.errors.bad_request"
handler403 = "concur_site.errors.permission_denied"
handler404 = "concur_site.errors.page_not_found"
handler500 = "concur_site.errors.server_error"

urlpatterns = [
    path("", views.home, name="home"),
    path("search/", search.page, name="search"),
    path("people/audit/", audit_log, name="audit"),
    # Before the pages: Django compares an address with each pattern in this order.
    path("api/v1/", include("datasets_app.api.urls")),
    path("api/v1/", include(eval_app.urls.api_urlpatterns)),
    path("api/v1/", views.Root.as_view(), name="api-root"),
    path("api/v1/stats/", views.Stats.as_view(), name="api-stats"),
    path("", include("datasets_app.urls")),
    path("", include("eval_app.urls")),
    path("", include("datasets_app.api.hub_urls")),
    path("api/schema/", views.Schema.as_view(), name="schema"),
    path("api/docs/", views.api_docs, name="api-docs"),
    path("accounts/login/", methods("GET", "POST")(SignIn.as_view()), name="login"),
    path("accounts/logout/", SignOut.as_view(), name="logout"),
    path("accounts/login/code/", second_step, name="login-code"),
    path("healthz", health, name="health"),
    path("metrics", Metrics.as_view(), name="metrics"),
    path("health/live", live, name="health-live"),
    path("health/ready", ready, name="health-ready"),
    path("admin/", admin.site.urls),
]
