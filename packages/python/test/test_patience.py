import pytest

from patience import patiently


@pytest.mark.parametrize(("rate_limit", "seconds"), [("secondary", 60), ("primary", 3600)])
def test_patiently_waits_for_the_end_of_a_rate_limit(plinth, plinth_github, rate_limit, seconds):
    issue = plinth_github("hubot").get_repo("mona/hello").get_issue(1)
    plinth.clock.freeze()
    plinth.faults.add(match={"operation": "issues/create-comment"}, rate_limit=rate_limit)
    slept = []

    def sleep(seconds):
        slept.append(seconds)
        plinth.clock.advance(seconds)

    patiently(lambda: issue.create_comment("Hello"), sleep)
    assert slept == [seconds]
    assert [request.status for request in plinth.requests.list(operation="issues/create-comment")] == [403, 201]
