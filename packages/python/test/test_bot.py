from bot import welcome


def test_welcome_comments_on_an_issue_once(plinth_github):
    github = plinth_github("hubot")
    assert welcome(github, "mona/hello") == [1]
    assert welcome(github, "mona/hello") == []
    [comment] = github.get_repo("mona/hello").get_issue(1).get_comments()
    assert (comment.user.login, comment.body) == ("hubot", "Thank you for the report!")


def test_welcome_sends_only_requests_that_github_knows(plinth, plinth_github):
    welcome(plinth_github("hubot"), "mona/hello")
    assert plinth.requests.unmatched() == []
    operations = [request.operation for request in plinth.requests.list()]
    assert operations == ["repos/get", "issues/list-for-repo", "issues/create-comment"]
