"""Sends requests that /openapi.json allows and does not allow, with each kind of token; it must describe every response.

    PLINTH=target/debug/plinth python3 conform.py
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS_EACH = 9
SEED = 20260310
TOKENS = {
    "none": None,
    "classic": "ghp_schemathesis",
    "fine-grained": "github_pat_schemathesis",
    "app-user": "ghu_schemathesis",
    "oauth-app": "gho_schemathesis",
    "installation": "ghs_schemathesis",
}
# No server error, and only described responses.
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def run(kind, token, state, directory):
    """One round with its own service, so that no round depends on what another has deleted."""
    command = [os.environ["PLINTH"], "serve", "--ephemeral", "--listen", "127.0.0.1:0", "--ready-json", "--state", state]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        url = json.loads(server.stdout.readline())["url"]
        arguments = ["--checks", CHECKS, "--phases", "examples,coverage,fuzzing", "--max-time", str(SECONDS_EACH), "--seed", str(SEED),
                 "--no-shrink", "--continue-on-failure", "--no-color", "--generation-database", "none", "--warnings", "off",
                 "--report-dir", directory, "--output-truncate", "true",
                 # Other tests use git for its own protocol. Without the token or the repository, the rest of the round would
                 # test nothing.
                 "--exclude-path-regex", "/info/refs$|/git-(upload|receive)-pack$", "--exclude-path", "/installation/token",
                 "--exclude-operation-id", "repos/delete"]
        if token:
            arguments += ["--header", f"Authorization: Bearer {token}"]
        # The module, not its script, which contains the directory in which it was installed.
        program = [sys.executable, "-c", "import schemathesis.cli; schemathesis.cli.schemathesis()"]
        done = subprocess.run([*program, "run", f"{url}/openapi.json", *arguments], cwd=directory, check=False)
        alive = server.poll() is None
    finally:
        server.terminate()
        server.wait(timeout=30)
    passed = done.returncode == 0 and alive
    print(f"test {kind} ... {'ok' if passed else 'FAILED'}", flush=True)
    return passed


def main():
    state = str(Path(__file__).with_name("state.yaml"))
    with tempfile.TemporaryDirectory() as directory:
        results = [run(kind, token, state, directory) for kind, token in TOKENS.items()]
    passed = sum(results)
    print(f"test result: {'ok' if all(results) else 'FAILED'}. {passed} passed; {len(results) - passed} failed; 0 ignored")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
