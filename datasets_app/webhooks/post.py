"""Sends one signed request to an address that was checked. Runs in a child process, which is killed at its deadline.

Only the status of an answer counts: nothing of its body is read, and no redirect is followed.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterable
from typing import Any

from datasets_app.webhooks.addresses import Network, resolve
from datasets_app.webhooks.endpoint import Endpoint
from datasets_app.webhooks.errors import WebhookError

CONNECT_SECONDS = 4.0  # per address; the deadline of the process bounds the whole


def post(
    endpoint: Endpoint, body: str, headers: dict[str, str], allowed: Iterable[Network]
) -> dict[str, Any]:
    """Send the request. Return {"status": …} of the answer, or {"error": …} with a sentence."""
    try:
        with connect(endpoint, list(allowed)) as connection:
            return {"status": exchange(connection, endpoint, body, headers)}
    except WebhookError as error:
        return {"error": str(error)}
    except ssl.SSLCertVerificationError as error:
        return {"error": f"The certificate of {endpoint.host} is not accepted: {error.verify_message}."}
    except ssl.SSLError as error:
        return {"error": f"TLS with {endpoint.host} failed: {error.reason or 'the connection was closed'}."}
    except http.client.RemoteDisconnected:
        return {"error": f"{endpoint.host} closed the connection without an answer."}
    except http.client.HTTPException:
        return {"error": f"The answer of {endpoint.host} is not HTTP, or its head is too large."}
    except OSError as error:
        return {"error": f"The connection to {endpoint.host} broke: {words(error)}."}


def connect(endpoint: Endpoint, allowed: list[Network]) -> socket.socket:
    """Return a connection to the first of the host's checked addresses that accepts one.

    Certificate and server name are those of the host's name. Raises WebhookError, OSError, ssl.SSLError.
    """
    fault = ""
    for address in resolve(endpoint.host, endpoint.port, allowed):
        try:
            plain = socket.create_connection((address, endpoint.port), CONNECT_SECONDS)
        except OSError as error:
            fault = words(error)
            continue
        plain.settimeout(None)
        return with_tls(plain, endpoint.host) if endpoint.is_tls else plain
    raise WebhookError(f"No connection to {endpoint.host}, port {endpoint.port}: {fault}.")


def with_tls(plain: socket.socket, host: str) -> socket.socket:
    try:
        return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    except BaseException:
        plain.close()
        raise


def exchange(connection: socket.socket, endpoint: Endpoint, body: str, headers: dict[str, str]) -> int:
    """Send the request over the connection and return the status of the answer."""
    client = http.client.HTTPConnection(endpoint.host, endpoint.port)
    client.sock = connection
    client.auto_open = 0  # a request that cannot use this connection must not open one that nobody checked
    client.request("POST", endpoint.target, body.encode(), {**headers, "Host": endpoint.netloc})
    return client.getresponse().status


def words(error: OSError) -> str:
    """Return what went wrong, without the address that the system's message may contain."""
    return (
        "timed out" if isinstance(error, TimeoutError) else (error.strerror or type(error).__name__).lower()
    )
