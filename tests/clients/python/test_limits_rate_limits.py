"""Both libraries with low rate limits: each must detect that it has to wait, and for how long."""

import unittest
from datetime import timedelta

from github import RateLimitExceededException
from githubkit.exception import PrimaryRateLimitExceeded, SecondaryRateLimitExceeded

import pygithub_client
import githubkit_client
import fixtures

HELLO = (fixtures.OWNER, fixtures.HELLO)
# One more than the rate limit allows.
TRIES = range(31)


class RateLimits(unittest.TestCase):
    def test_pygithub_detects_the_secondary_rate_limit(self):
        pull = pygithub_client.client(fixtures.MONA, retry=None).get_repo("/".join(HELLO)).get_pull(fixtures.WRITABLE)
        with self.assertRaises(RateLimitExceededException) as caught:
            for count in TRIES:
                pull.create_review_comment(f"Quick {count}", pull.head.sha, "notes.txt", line=1)
        self.assertEqual(403, caught.exception.status)
        self.assertTrue(caught.exception.data["message"].startswith("You have exceeded a secondary rate limit"))
        self.assertGreater(int(caught.exception.headers["retry-after"]), 0)

    def test_githubkit_detects_the_secondary_rate_limit(self):
        github = githubkit_client.client(fixtures.HUBOT, auto_retry=False)
        sha = github.rest.pulls.get(*HELLO, fixtures.WRITABLE).parsed_data.head.sha
        with self.assertRaises(SecondaryRateLimitExceeded) as caught:
            for count in TRIES:
                github.rest.pulls.create_review_comment(
                    *HELLO, fixtures.WRITABLE, body=f"Quick {count}", commit_id=sha, path="notes.txt", line=1)
        self.assertTrue(timedelta(0) < caught.exception.retry_after <= timedelta(hours=1))

    def test_githubkit_detects_the_primary_rate_limit(self):
        # A 304 does not count, so with its cache it would never reach the limit.
        github = githubkit_client.client(fixtures.STRANGER, auto_retry=False, http_cache=False)
        with self.assertRaises(PrimaryRateLimitExceeded) as caught:
            for _ in TRIES:
                github.rest.git.get_ref(fixtures.OWNER, fixtures.REFS, "heads/main")
        self.assertTrue(timedelta(0) < caught.exception.retry_after <= timedelta(hours=1))

    def test_pygithub_detects_the_primary_rate_limit(self):
        github = pygithub_client.client(fixtures.INSTALLATION, retry=None)
        with self.assertRaises(RateLimitExceededException) as caught:
            for _ in TRIES:
                github.get_repo("/".join(HELLO))
        self.assertEqual("0", caught.exception.headers["x-ratelimit-remaining"])
