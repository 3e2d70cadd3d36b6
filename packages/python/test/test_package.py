"""The operations of the package that no tutorial shows."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import metadata
from pathlib import Path
from threading import Thread

import github as pygithub
import pytest
from github.GithubRetry import GithubRetry

from plinth import Plinth, PlinthError, PlinthTimeout


def comment(client, body):
    return client.get_repo("mona/hello").get_issue(1).create_comment(body)


def bodies(client):
    return [comment.body for comment in client.get_repo("mona/hello").get_issue(1).get_comments()]


@pytest.mark.parametrize("attempt", [1, 2])
def test_test_begins_with_the_state_file(plinth_github, attempt):
    github = plinth_github("mona")
    assert bodies(github) == []
    comment(github, f"of attempt {attempt}")


def test_snapshot_is_restored_and_reset_returns_to_the_state(plinth, plinth_github):
    github = plinth_github("mona")
    comment(github, "one")
    plinth.snapshot("commented")
    comment(github, "two")
    plinth.restore("commented")
    assert bodies(github) == ["one"]
    plinth.reset()
    assert bodies(github) == []


def test_namespaces_are_isolated_under_parallel_use(plinth, plinth_github):
    comment(plinth_github("mona"), "before")

    def use(index):
        with plinth.namespace(f"parallel-{index}") as namespace:
            client = namespace.github("mona")
            for _ in range(3):
                comment(client, str(index))
            return bodies(client)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(use, range(8))) == [[str(index)] * 3 for index in range(8)]
    assert bodies(plinth_github("mona")) == ["before"]


def test_namespace_of_a_snapshot_begins_with_it_and_ends_with_stop(plinth, plinth_github):
    comment(plinth_github("mona"), "saved")
    plinth.snapshot("saved")
    namespace = plinth.namespace(snapshot="saved")
    assert bodies(namespace.github("mona")) == ["saved"]
    namespace.stop()
    namespace.stop()
    with pytest.raises(PlinthError, match="is the server stopped"):
        namespace.reset()


def test_clock_is_frozen_set_advanced_and_resumed(plinth, plinth_github):
    start = datetime(2030, 1, 1, tzinfo=timezone.utc)
    assert plinth.clock.freeze(start) == start
    assert plinth.clock.advance(timedelta(days=1)) == start + timedelta(days=1)
    assert comment(plinth_github("mona"), "later").created_at == start + timedelta(days=1)
    assert plinth.clock.set(datetime(2031, 1, 1)) == plinth.clock.now()
    plinth.clock.resume()


def test_fault_is_listed_counted_and_cleared(plinth, plinth_github):
    github = plinth_github("mona")
    plinth.faults.add(match={"path": "/user"}, times=2, respond={"status": 502, "body": {"message": "Server Error"}})
    with pytest.raises(pygithub.GithubException) as caught:
        github.get_user().login
    assert caught.value.status == 502
    [fault] = plinth.faults.list()
    assert (fault["used"], fault["times"]) == (1, 2)
    plinth.faults.clear()
    assert github.get_user().login == "mona"
    with pytest.raises(PlinthError) as rejected:
        plinth.faults.add()
    assert rejected.value.status == 422


def test_client_with_retries_repeats_a_request_after_a_rate_limit(plinth, plinth_github):
    # The real wait is a minute: the header says one second.
    headers = {"retry-after": "1"}
    body = {"message": "You have exceeded a secondary rate limit."}
    plinth.faults.add(match={"path": "/user"}, respond={"status": 403, "headers": headers, "body": body})
    assert plinth_github("hubot", retry=GithubRetry(total=1)).get_user().login == "hubot"
    assert [request.status for request in plinth.requests.list(path="/user")] == [403, 200]
    plinth.faults.add(match={"path": "/user"}, rate_limit="secondary")
    with pytest.raises(pygithub.RateLimitExceededException):
        plinth_github("hubot").get_user().login


def test_githubkit_comments_also_after_a_reset(plinth, plinth_githubkit):
    github = plinth_githubkit("hubot")
    github.rest.issues.create_comment("mona", "hello", 1, body="Hello")
    [comment] = github.rest.issues.list_comments("mona", "hello", 1).parsed_data
    assert (comment.user.login, comment.body) == ("hubot", "Hello")
    plinth.reset()
    assert github.rest.issues.list_comments("mona", "hello", 1).parsed_data == []


def test_log_has_unmatched_requests_and_can_be_waited_for(plinth, plinth_github):
    github = plinth_github("mona")
    with pytest.raises(pygithub.UnknownObjectException):
        github.requester.requestJsonAndCheck("GET", "/repos/mona/hello/isues")
    [unmatched] = plinth.requests.unmatched()
    assert (unmatched.path, unmatched.operation, unmatched.caller.name) == ("/repos/mona/hello/isues", None, "mona")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(plinth.requests.wait, operation="issues/create-comment")
        comment(github, "Hello")
        assert waiting.result().body == {"body": "Hello"}
    plinth.requests.clear()
    assert plinth.requests.list() == []
    with pytest.raises(PlinthTimeout):
        plinth.requests.wait(path="/nothing", timeout=0.02)


def test_webhook_is_received_before_the_wait_for_deliveries_ends_unless_a_fault_loses_it(plinth, plinth_github):
    events = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            events.append(self.headers["X-GitHub-Event"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *arguments):
            pass

    with HTTPServer(("127.0.0.1", 0), Receiver) as server:
        Thread(target=server.serve_forever).start()
        repo = plinth_github("mona").get_repo("mona/hello")
        repo.create_hook("web", {"url": f"http://127.0.0.1:{server.server_port}"}, ["issue_comment"])
        plinth.faults.add(webhook={"event": "issue_comment"}, deliver="lost")
        comment(plinth_github("hubot"), "lost")
        comment(plinth_github("hubot"), "Hello")
        plinth.deliveries.wait()
        server.shutdown()
    assert sorted(events) == ["issue_comment", "ping"]


@pytest.mark.parametrize("state", [{"users": [{"login": "ada"}]}, "users:\n  - { login: ada }\n", "users: [{ login: ada }]"])
def test_state_is_a_dictionary_or_text(state):
    with Plinth.start(state) as own:
        assert own.github("ada").get_user().login == "ada"


def test_failure_to_start_is_explained(monkeypatch, plinth):
    with pytest.raises(RuntimeError, match="(?s)did not start.*login"):
        Plinth.start({"users": [{"name": "ada"}]})
    with pytest.raises(RuntimeError, match=r"(?s)did not start.*missing\.yaml"):
        Plinth.start("missing.yaml")
    with pytest.raises(PlinthError, match='there is no user "nobody"'):
        plinth.token("nobody")
    monkeypatch.delenv("PLINTH", raising=False)
    monkeypatch.setattr("plinth._binary._of_wheel", lambda: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="variable PLINTH"):
        Plinth.start()


def test_fixture_can_reset_one_server(pytester_directory):
    (pytester_directory / "test_reset.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('attempt', [1, 2])\n"
        "def test_reset(plinth, plinth_server, attempt):\n"
        "    assert plinth is plinth_server\n"
        "    assert plinth.apply({'users': [{'login': 'ada'}]})\n"
        "    assert len(plinth.requests.list()) == 0\n"
        "    plinth.github('ada').get_user().login\n"
    )
    settings = ["-o", "plinth_isolation=reset", "-p", "no:cacheprovider"]
    subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", *settings], cwd=pytester_directory, check=True)


@pytest.fixture
def pytester_directory(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


@pytest.mark.parametrize("end", [None, signal.SIGTERM, signal.SIGKILL])
def test_server_ends_with_its_process(end):
    rest = "import time; time.sleep(60)" if end else ""
    script = f"from plinth import Plinth; p = Plinth.start('users: []'); print(p.url, p.directory, flush=True); {rest}"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        url, directory = process.stdout.readline().split()
        if end:
            os.kill(process.pid, end)
    deadline = time.monotonic() + 20
    while responds(url) or Path(directory).exists():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def responds(url):
    try:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url).close()
        return True
    except OSError:
        return False


def test_readme_shows_parts_of_the_tested_files():
    parts = metadata("pytest-plinth").get_payload().split("```")
    blocks = [(re.search(r"\]\(test/([\w.]+)\):\s*$", text), code) for text, code in zip(parts[::2], parts[1::2])]
    shown = [(found[1], code.split("\n", 1)[1]) for found, code in blocks if found]
    for file, code in shown:
        assert code in Path(file).read_text(), f"this is not in {file}:\n{code}"
    assert len(shown) >= 8
