"""Helpers that sign in as ada in two steps."""

import pyotp

PAGE = "/account/second-step/"


def code_for(secret, clock):
    return pyotp.TOTP(secret).at(int(clock[0]))


def sign_in(client, password="ada"):
    return client.post("/accounts/login/", {"username": "ada", "password": password})


def give(client, code):
    return client.post("/accounts/login/code/", {"code": code})


def is_signed_in(client):
    return client.get("/account/").status_code == 200
