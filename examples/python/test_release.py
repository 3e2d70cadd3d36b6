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
    """The address of a server that keeps nothing, on a free port, for the time of the tests."""
    words = [os.environ.get("PLINTH", "plinth"), "serve", "--ephemeral", "--listen", "127.0.0.1:0", "--ready-json", "--state", STATE]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        # One line comes once requests are answered, and none if the server could not start.
        ready = server.stdout.readline()
        assert ready, "plinth did not start; it has said why"
        yield json.loads(ready)["url"]
        server.terminate()


@pytest.fixture
def github(plinth):
    # PyGithub waits between requests, for the sake of a server that many share; this one is all ours.
    with Github(base_url=plinth, auth=Auth.Token("ghp_forTestsOnly"), seconds_between_requests=0, seconds_between_writes=0) as github:
        yield github


def test_a_release_starts_where_the_default_branch_is(github):
    sha = start_release(github, "mona/hello", "1.0")
    assert github.get_repo("mona/hello").get_git_ref("heads/release/1.0").object.sha == sha


def test_a_release_starts_only_once(github):
    start_release(github, "mona/hello", "2.0")
    with pytest.raises(GithubException) as caught:
        start_release(github, "mona/hello", "2.0")
    assert (caught.value.status, caught.value.data["message"]) == (422, "Reference already exists")


def test_a_comment_is_made_on_the_pull_request_of_the_state_file(github):
    pull = github.get_repo("mona/hello").get_pull(1)
    pull.create_review_comment("Why?", pull.head.sha, "README.md", line=3)
    assert [(comment.body, comment.line, comment.user.login) for comment in pull.get_review_comments()] == [("Why?", 3, "mona")]
