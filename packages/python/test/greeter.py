import hashlib
import hmac
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def create_greeter(github, secret):
    """The server of a bot that greets everybody who opens an issue."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
            if hmac.compare_digest(expected, self.headers["X-Hub-Signature-256"]):
                self.receive(self.headers["X-GitHub-Event"], json.loads(body))
                self.send_response(204)
            else:
                self.send_response(400)
            self.end_headers()

        def receive(self, event, payload):
            if (event, payload.get("action")) == ("issues", "opened"):
                issue = github.get_repo(payload["repository"]["full_name"]).get_issue(payload["issue"]["number"])
                issue.create_comment(f"Hello @{payload['sender']['login']}!")

        def log_message(self, *arguments):
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)
