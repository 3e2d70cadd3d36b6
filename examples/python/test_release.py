import json
import os
import subprocess
from pathlib import Path

import pytest
from github import Auth, Github, GithubException

from release import start_release

STATE = Path(__file__).with_name("state.yaml")


@pytest.fixture(scope="session")
def plinth():
    """The URL of a server with temporary data, on a free port, that runs during the tests."""
    command = [os.environ.get("PLINTH", "plinth"), "serve", "--ephemeral", "--listen", "127.0.0.1:0", "--ready-json", "--state", STATE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        # The server prints one line when it is ready, and none if it cannot start.
        ready = server.stdout.readline()
        assert ready, "plinth did not start; see its error output"
        yield json.loads(ready)["url"]
        server.terminate()


@pytest.fixture
def github(plinth):
    # By default PyGithub waits between requests, to spare a shared server.
    with Github(base_url=plinth, auth=Auth.Token("ghp_forTestsOnly"), seconds_between_requests=0, seconds_between_writes=0) as github:
        yield github


def test_start_release_creates_a_branch_at_the_default_branch(github):
    sha = start_release(github, "mona/hello", "1.0")
    assert github.get_repo("mona/hello").get_git_ref("heads/release/1.0").object.sha == sha


def test_start_release_rejects_an_existing_version(github):
    start_release(github, "mona/hello", "2.0")
    with pytest.raises(GithubException) as caught:
        start_release(github, "mona/hello", "2.0")
    assert (caught.value.status, caught.value.data["message"]) == (422, "Reference already exists")


def test_comment_on_the_pull_request_of_the_state_file_is_listed(github):
    pull = github.get_repo("mona/hello").get_pull(1)
    pull.create_review_comment("Why?", pull.head.sha, "README.md", line=3)
    assert [(comment.body, comment.line, comment.user.login) for comment in pull.get_review_comments()] == [("Why?", 3, "mona")]
