"""The second factor of signing in: six digits from an authenticator app (TOTP, RFC 6238), or a recovery code.

`enrol` turns it on, `check` accepts each code once, `turn_off` removes it. Every session of an account with a second
factor has passed it: `enrol` ends the account's other sessions, and the sign-in page asks for a code before it signs
in.
"""

import hashlib
import secrets
import time
from typing import Any

import pyotp
import segno
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, Via, account, needs
from datasets_app.accounts.roles import Role, Scope, role_of
from datasets_app.models import SecondFactor

ISSUER = "ConCuR Workbench"
STEP_SECONDS = 30
STEPS_OFF = (0, -1, 1)  # a phone's clock may be half a minute off
RECOVERY_CODES = 10
RECOVERY_LENGTH = 16  # characters of 5 bits: 80 bits cannot be found from their SHA-256


class WrongCodeError(ValueError):
    """The code is not the current one."""


def is_on(user: Any) -> bool:
    return SecondFactor.objects.filter(user_id=user.pk).exists()


def must_enrol(user: Any) -> bool:
    """Return whether this site requires a second factor that the account does not have yet."""
    return settings.REQUIRE_TOTP and role_of(user) == Role.ADMINISTRATOR and not is_on(user)


def new_secret() -> str:
    return pyotp.random_base32()


def enrolment_address(user: Any, secret: str) -> str:
    """Return the otpauth:// address for the QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=user.get_username(), issuer_name=ISSUER)


def qr_code(text: str) -> str:
    """Return an SVG image as a data: address, dark on light in both themes, as cameras need it."""
    return segno.make(text, error="m", micro=False).svg_data_uri(scale=4, border=4, dark="#000", light="#fff")


@needs(Scope.READ)
def enrol(secret: str, code: str, *, actor: Actor) -> list[str]:
    """Turn the second factor on. Return the recovery codes, which are shown only once. Raises WrongCodeError."""
    user, step = actor.person(), matching_step(secret, code, after=0)
    if step is None:
        raise WrongCodeError("This is not the code of this moment: is the phone's clock right?")
    codes = new_recovery_codes()
    SecondFactor.objects.update_or_create(
        user=user,
        defaults={"secret": secret, "last_step": step, "recovery": [digest(text) for text in codes]},
    )
    audit.record(actor, "second-factor.on", user)
    return codes


@needs(Scope.READ)
def renew_recovery_codes(*, actor: Actor) -> list[str]:
    """Replace the recovery codes. Return the new ones, which are shown only once."""
    user, codes = actor.person(), new_recovery_codes()
    SecondFactor.objects.filter(user=user).update(recovery=[digest(text) for text in codes])
    audit.record(actor, "second-factor.recovery-codes", user)
    return codes


def check(user: Any, code: str) -> bool:
    """Return whether the code is valid now. Each code is accepted once."""
    with transaction.atomic():
        factor = SecondFactor.objects.select_for_update().filter(user_id=user.pk).first()
        if factor is None:
            return False
        step = matching_step(factor.secret, code, after=factor.last_step)
        if step is not None:
            factor.last_step, factor.last_used_at = step, timezone.now()
            factor.save()
            return True
        return use_recovery_code(factor, user, code)


def use_recovery_code(factor: SecondFactor, user: Any, code: str) -> bool:
    wanted = digest(code)
    if wanted not in factor.recovery:
        return False
    factor.recovery = [stored for stored in factor.recovery if stored != wanted]
    factor.last_used_at = timezone.now()
    factor.save()
    audit.record(account(user, Via.PAGE), "second-factor.recovery-code", user, left=len(factor.recovery))
    return True


@needs(Scope.READ)
def turn_off(user: Any, *, actor: Actor) -> bool:
    """Remove the actor's own second factor, or as an administrator anybody's. Return False if there was none."""
    if not actor.is_user(user.pk):
        actor.require(Scope.ADMIN)
    deleted, _ = SecondFactor.objects.filter(user=user).delete()
    if deleted:
        audit.record(actor, "second-factor.off", user)
    return bool(deleted)


def matching_step(secret: str, code: str, after: int) -> int | None:
    """Return the half minute that the code belongs to, if it is close to now and later than `after`."""
    code = code.replace(" ", "")
    if not (code.isascii() and code.isdigit()):
        return None
    totp, now = pyotp.TOTP(secret), int(time.time()) // STEP_SECONDS
    steps = (now + off for off in STEPS_OFF)
    return next((s for s in steps if s > after and secrets.compare_digest(totp.generate_otp(s), code)), None)


def new_recovery_codes() -> list[str]:
    """Return ten codes in groups of four characters."""
    texts = [pyotp.random_base32()[:RECOVERY_LENGTH].lower() for _ in range(RECOVERY_CODES)]
    return ["-".join(text[at : at + 4] for at in range(0, RECOVERY_LENGTH, 4)) for text in texts]


def digest(code: str) -> str:
    """Return the hash of a recovery code, however its groups were typed."""
    return hashlib.sha256(code.replace("-", "").replace(" ", "").strip().lower().encode()).hexdigest()
