"""githubkit as people use it, and what its tests share."""

import unittest

from githubkit import GitHub
from githubkit.exception import RequestFailed

import fixtures


def client(auth=None, **settings):
    """A client that knows only the base URL of this service."""
    return GitHub(auth, base_url=fixtures.URL, **settings)


class GithubkitTestCase(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.mona = cls.opened(fixtures.MONA)
        cls.hubot = cls.opened(fixtures.HUBOT)
        cls.stranger = cls.opened(fixtures.STRANGER)
        cls.anonymous = cls.opened()
        cls.installation = cls.opened(fixtures.INSTALLATION)
        cls.app_user = cls.opened(fixtures.APP_USER)
        cls.fine_grained = cls.opened(fixtures.FINE_GRAINED)
        # Returns what was sent, where the others would use their cache.
        cls.uncached = cls.opened(fixtures.MONA, http_cache=False)
        # Sends invalid bodies, so that the service has to reject them.
        cls.without_validation = cls.opened(fixtures.MONA, rest_api_validate_body=False)

    @classmethod
    def opened(cls, *arguments, **settings):
        """A client whose connections stay open until the last test of its class, as its documentation advises."""
        return cls.enterClassContext(client(*arguments, **settings))

    def assert_error(self, status, message, call, *arguments, **settings):
        """The call fails with this status and message, in a form that the client's own types can read."""
        with self.assertRaises(RequestFailed) as caught:
            call(*arguments, **settings)
        response = caught.exception.response
        self.assertEqual(status, response.status_code, response.text)
        body = response.json()
        self.assertEqual(message, body["message"])
        self.assertEqual(str(status), body["status"])
        self.assertIn("/docs", body["documentation_url"])
        # Reads the body with the type that GitHub's description has for this status, if it has one.
        response.parsed_data
        return body

    def assert_not_modified(self, rest_method, *arguments, **settings):
        """A second request with the entity tag of the first gets 304 without a body."""
        first = rest_method(*arguments, **settings)
        self.assertEqual(200, first.status_code)
        second = rest_method(*arguments, headers={"If-None-Match": first.headers["etag"]}, **settings)
        self.assertEqual(304, second.status_code)
        self.assertEqual(b"", second.content)
        return first
