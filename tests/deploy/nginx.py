"""A real nginx with the shipped configuration before a site on this machine."""

import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.deploy.certificate import self_signed
from tests.live import ROOT, free_port, wait_until

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
HEAD = """daemon off; pid {folder}/nginx.pid; error_log stderr; worker_processes 1;
events {{}}
http {{
access_log off;
client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi; types {{ application/json json; }}
{site}
}}
"""


def configuration(folder: Path, data: Path, site_port: int, plain: int, tls: int) -> str:
    """Return the shipped file with these ports and paths, as an operator replaces them."""
    site = (ROOT / "deploy" / "nginx.conf").read_text()
    site = re.sub(r"^ *listen \[::\].*\n", "", site, flags=re.MULTILINE)
    for old, new in {
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl": f"listen 127.0.0.1:{tls} ssl",
        "bench.example.org": "localhost",
        "/etc/nginx/tls": str(folder),
        "/var/lib/concur": str(data),
        "127.0.0.1:8000": f"127.0.0.1:{site_port}",
    }.items():
        assert old in site
        site = site.replace(old, new)
    return HEAD.format(folder=folder, site=site)


@contextmanager
def shipped_nginx(folder: Path, data: Path, site_port: int) -> Iterator[tuple[int, int]]:
    """Yield the ports, plain and TLS, of an nginx on 127.0.0.1; its certificate is made for it, in the folder."""
    assert NGINX, "nginx is not installed: on Debian, apt-get install nginx-light"
    certificate, key = self_signed()
    (folder / "certificate.pem").write_bytes(certificate)
    (folder / "key.pem").write_bytes(key)
    plain, tls = free_port(), free_port()
    conf = folder / "nginx.conf"
    conf.write_text(configuration(folder, data, site_port, plain, tls))
    process = subprocess.Popen([NGINX, "-c", str(conf), "-p", str(folder), "-g", f"user {data.owner()};"])
    try:
        wait_until(lambda: process.poll() is not None or answers(tls), "nginx")
        assert process.poll() is None, "nginx refused the configuration"
        yield plain, tls
    finally:
        process.terminate()
        process.wait(timeout=30)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
