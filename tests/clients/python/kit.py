"""githubkit as people use it, and what its stories share."""

import unittest

from githubkit import GitHub
from githubkit.exception import RequestFailed

import world


def client(auth=None, **settings):
    """A client that knows nothing of this service but its address."""
    return GitHub(auth, base_url=world.URL, **settings)


class Stories(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.mona = cls.opened(world.MONA)
        cls.hubot = cls.opened(world.HUBOT)
        cls.stranger = cls.opened(world.STRANGER)
        cls.anonymous = cls.opened()
        cls.installation = cls.opened(world.INSTALLATION)
        cls.app_user = cls.opened(world.APP_USER)
        cls.fine_grained = cls.opened(world.FINE_GRAINED)
        # Shows what came over the wire, where the others would show what they have kept.
        cls.uncached = cls.opened(world.MONA, http_cache=False)
        # Says on its own nothing about a body that is wrong, so that the service has to.
        cls.careless = cls.opened(world.MONA, rest_api_validate_body=False)

    @classmethod
    def opened(cls, *words, **settings):
        """A client whose connections stay open until the last story of its class, as its documentation advises."""
        return cls.enterClassContext(client(*words, **settings))

    def refused(self, status, message, call, *words, **settings):
        """The call fails with this status and this text, in the shape that the client's own types know."""
        with self.assertRaises(RequestFailed) as caught:
            call(*words, **settings)
        answer = caught.exception.response
        self.assertEqual(status, answer.status_code, answer.text)
        body = answer.json()
        self.assertEqual(message, body["message"])
        self.assertEqual(str(status), body["status"])
        self.assertIn("/docs", body["documentation_url"])
        # Reads the body with the type that GitHub's description has for this status, where it has one.
        answer.parsed_data
        return body

    def not_modified(self, rest_method, *words, **settings):
        """A second request with the tag of the first is answered without a body."""
        first = rest_method(*words, **settings)
        self.assertEqual(200, first.status_code)
        second = rest_method(*words, headers={"If-None-Match": first.headers["etag"]}, **settings)
        self.assertEqual(304, second.status_code)
        self.assertEqual(b"", second.content)
        return first
