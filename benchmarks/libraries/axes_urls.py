"""Django's own sign-in page at the site's address."""

from django.contrib.auth.views import LoginView
from django.urls import include, path

urlpatterns = [
    path("accounts/login/", LoginView.as_view(), name="login"),
    path("", include("concur_site.urls")),
]
