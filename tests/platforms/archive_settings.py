"""Settings of an archive by HyperKitty without a list server: what its own example project has, on SQLite."""

import os
from pathlib import Path

BASE = Path(os.environ["ARCHIVE"])
SECRET_KEY = "demo"
DEBUG = False
ALLOWED_HOSTS = ["*"]
SITE_ID = 1
ROOT_URLCONF = "archive_urls"
MAILMAN_REST_API_URL = "http://127.0.0.1:1"
MAILMAN_REST_API_USER = MAILMAN_REST_API_PASS = "x"
MAILMAN_ARCHIVER_KEY = "x"
MAILMAN_ARCHIVER_FROM = ("127.0.0.1",)
INSTALLED_APPS = [
    "hyperkitty",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.sites",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_gravatar",
    "compressor",
    "haystack",
    "django_extensions",
    "django_q",
    "django_mailman3",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "django.contrib.humanize",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_mailman3.middleware.TimezoneMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.debug",
                "django.template.context_processors.i18n",
                "django.template.context_processors.media",
                "django.template.context_processors.static",
                "django.template.context_processors.tz",
                "django.template.context_processors.csrf",
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django_mailman3.context_processors.common",
                "hyperkitty.context_processors.common",
            ]
        },
    }
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(BASE / "hk.sqlite")}}
STATIC_URL = "/static/"
STATIC_ROOT = str(BASE / "static")
COMPRESS_ENABLED = False
COMPRESS_PRECOMPILERS = ()
STATICFILES_FINDERS = ("django.contrib.staticfiles.finders.AppDirectoriesFinder", "compressor.finders.CompressorFinder")
HAYSTACK_CONNECTIONS = {
    "default": {"ENGINE": "haystack.backends.whoosh_backend.WhooshEngine", "PATH": str(BASE / "index")}
}
Q_CLUSTER = {"orm": "default", "sync": True, "retry": 360, "timeout": 300}
USE_TZ = True
LANGUAGE_CODE = "en-us"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
LOGIN_URL, LOGIN_REDIRECT_URL, LOGOUT_URL = "account_login", "hk_root", "account_logout"
FILTER_VHOST = False
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
