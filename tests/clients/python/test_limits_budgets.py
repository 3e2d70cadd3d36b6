"""Both libraries where the budgets are small: each must see that it is to wait, and for how long."""

import unittest
from datetime import timedelta

from github import RateLimitExceededException
from githubkit.exception import PrimaryRateLimitExceeded, SecondaryRateLimitExceeded

import hub
import kit
import world

HELLO = (world.OWNER, world.HELLO)
# As many as a budget can hold, and one more.
TRIES = range(31)


class Budgets(unittest.TestCase):
    def test_pygithub_knows_that_it_writes_too_fast(self):
        pull = hub.client(world.MONA, retry=None).get_repo("/".join(HELLO)).get_pull(world.WRITABLE)
        with self.assertRaises(RateLimitExceededException) as caught:
            for count in TRIES:
                pull.create_review_comment(f"Quick {count}", pull.head.sha, "notes.txt", line=1)
        self.assertEqual(403, caught.exception.status)
        self.assertTrue(caught.exception.data["message"].startswith("You have exceeded a secondary rate limit"))
        self.assertGreater(int(caught.exception.headers["retry-after"]), 0)

    def test_githubkit_knows_that_it_writes_too_fast(self):
        github = kit.client(world.HUBOT, auto_retry=False)
        sha = github.rest.pulls.get(*HELLO, world.WRITABLE).parsed_data.head.sha
        with self.assertRaises(SecondaryRateLimitExceeded) as caught:
            for count in TRIES:
                github.rest.pulls.create_review_comment(
                    *HELLO, world.WRITABLE, body=f"Quick {count}", commit_id=sha, path="notes.txt", line=1)
        self.assertTrue(timedelta(0) < caught.exception.retry_after <= timedelta(hours=1))

    def test_githubkit_knows_that_it_asks_too_often(self):
        # What is unchanged costs nothing, so that its cache would keep it within any budget.
        github = kit.client(world.STRANGER, auto_retry=False, http_cache=False)
        with self.assertRaises(PrimaryRateLimitExceeded) as caught:
            for _ in TRIES:
                github.rest.git.get_ref(world.OWNER, world.REFS, "heads/main")
        self.assertTrue(timedelta(0) < caught.exception.retry_after <= timedelta(hours=1))

    def test_pygithub_knows_that_it_asks_too_often(self):
        github = hub.client(world.INSTALLATION, retry=None)
        with self.assertRaises(RateLimitExceededException) as caught:
            for _ in TRIES:
                github.get_repo("/".join(HELLO))
        self.assertEqual("0", caught.exception.headers["x-ratelimit-remaining"])
