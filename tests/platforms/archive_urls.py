"""Addresses of an archive by HyperKitty."""

from django.urls import include, path

urlpatterns = [
    path("hyperkitty/", include("hyperkitty.urls")),
    path("user-profile/", include("django_mailman3.urls")),
    path("accounts/", include("allauth.urls")),
]
