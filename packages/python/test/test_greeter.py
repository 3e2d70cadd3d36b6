from threading import Thread

import pytest

from greeter import create_greeter


@pytest.fixture
def greeter_url(plinth_github):
    with create_greeter(plinth_github("hubot"), "forTestsOnly") as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_greeter_greets_the_author_of_an_issue(plinth, plinth_github, greeter_url):
    repo = plinth_github("mona").get_repo("mona/hello")
    repo.create_hook("web", {"url": greeter_url, "content_type": "json", "secret": "forTestsOnly"}, ["issues"])
    issue = repo.create_issue("A question")
    plinth.deliveries.wait()
    assert [(comment.user.login, comment.body) for comment in issue.get_comments()] == [("hubot", "Hello @mona!")]
