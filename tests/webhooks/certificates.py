"""A certificate authority of the tests, and a server's certificate by it."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


def named(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def certificate(
    subject: str, key: ec.EllipticCurvePrivateKey, issuer: str, signed_by: ec.EllipticCurvePrivateKey
):
    now, is_ca = datetime.now(UTC), subject == issuer
    builder = x509.CertificateBuilder().subject_name(named(subject)).issuer_name(named(issuer))
    builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    builder = builder.add_extension(x509.BasicConstraints(is_ca, None), critical=True)
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(subject)]), critical=False)
    return builder.sign(signed_by, SHA256()).public_bytes(Encoding.PEM)


def server_context(folder: Path, host: str) -> tuple[ssl.SSLContext, Path]:
    """Return the TLS context of a server with a certificate for `host`, and the file of the authority behind it."""
    authority, own = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority_file, chain = folder / "authority.pem", folder / "server.pem"
    authority_file.write_bytes(certificate("tests", authority, "tests", authority))
    chain.write_bytes(
        own.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        + certificate(host, own, "tests", authority)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    return context, authority_file
