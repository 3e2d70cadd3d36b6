"""gidgethub reads and verifies webhooks, as JSON and as forms."""

import json
import queue
import secrets
import threading
import unittest
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from gidgethub import ValidationFailure, sansio

import fixtures

REPO = f"{fixtures.URL}/repos/{fixtures.OWNER}/{fixtures.HELLO}"
WAIT_SECONDS = 20


def call(method, url, body):
    """Sends a request as mona and returns the parsed response."""
    headers = {"Authorization": f"Bearer {fixtures.MONA}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read() or b"null")


class Receiver:
    """A server that stores what it receives."""

    def __enter__(self):
        self.received = received = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.put(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def wait_for(self, event):
        """The next delivery of an event."""
        while True:
            headers, body = self.received.get(timeout=WAIT_SECONDS)
            if headers["x-github-event"] == event:
                return headers, body


class Webhooks(unittest.TestCase):
    def deliver(self, content_type, branch):
        """The delivery of a new branch, and the secret of its hook."""
        secret = secrets.token_hex(20)
        with Receiver() as receiver:
            config = {"url": receiver.url, "content_type": content_type, "secret": secret}
            hook = call("POST", f"{REPO}/hooks", {"events": ["create"], "config": config})
            self.assertEqual("********", hook["config"]["secret"])
            receiver.wait_for("ping")
            sha = call("GET", f"{REPO}/git/ref/heads/main", None)["object"]["sha"]
            call("POST", f"{REPO}/git/refs", {"ref": f"refs/heads/{branch}", "sha": sha})
            headers, body = receiver.wait_for("create")
            call("DELETE", hook["url"], None)
        return headers, body, secret

    def test_event_is_read_from_json(self):
        headers, body, secret = self.deliver("json", "from-json")
        event = sansio.Event.from_http(headers, body, secret=secret)
        self.assertEqual(("create", headers["x-github-delivery"]), (event.event, event.delivery_id))
        self.assertEqual(("from-json", "branch"), (event.data["ref"], event.data["ref_type"]))

    def test_event_is_read_from_a_form(self):
        headers, body, secret = self.deliver("form", "from-form")
        self.assertEqual("application/x-www-form-urlencoded", headers["content-type"])
        event = sansio.Event.from_http(headers, body, secret=secret)
        self.assertEqual("from-form", event.data["ref"])

    def test_event_with_another_secret_or_body_is_rejected(self):
        headers, body, secret = self.deliver("json", "rejected")
        for changed, key in [(body, secret + "x"), (body.replace(b"branch", b"brench"), secret)]:
            with self.assertRaises(ValidationFailure):
                sansio.Event.from_http(headers, changed, secret=key)
