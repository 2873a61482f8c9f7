"""The site's table of contents."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

import eval_app.urls
from concur_site import views
from datasets_app.login import SignInForm

urlpatterns = [
    path("", views.home, name="home"),
    path("", include("datasets_app.urls")),
    path("", include("eval_app.urls")),
    path("api/v1/", include("datasets_app.api.urls")),
    path("api/v1/", include(eval_app.urls.api_urlpatterns)),
    path("api/v1/stats/", views.Stats.as_view(), name="api-stats"),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", views.api_docs, name="api-docs"),
    path(
        "accounts/login/",
        LoginView.as_view(redirect_authenticated_user=True, authentication_form=SignInForm),
        name="login",
    ),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("healthz", views.health, name="health"),
    path("admin/", admin.site.urls),
]
