"""githubkit: what applies to every operation: credentials, URLs, versions, concurrency."""

import asyncio

import fixtures
from githubkit import GitHub
from githubkit_client import GithubkitTestCase, client

REFS = (fixtures.OWNER, fixtures.REFS)
HELLO = (fixtures.OWNER, fixtures.HELLO)


class Common(GithubkitTestCase):
    def test_every_kind_of_token_reads_a_private_repository(self):
        for token in (fixtures.MONA, fixtures.OAUTH, fixtures.FINE_GRAINED, fixtures.APP_USER, fixtures.INSTALLATION):
            with self.subTest(token):
                ref = self.opened(token).rest.git.get_ref(fixtures.OWNER, fixtures.SECRET, "heads/main").parsed_data
                self.assertEqual("refs/heads/main", ref.ref)

    def test_token_identifies_its_user(self):
        for token, login in ((fixtures.MONA, "mona"), (fixtures.HUBOT, "hubot"), (fixtures.OAUTH, "mona"),
                             (fixtures.FINE_GRAINED, "hubot"), (fixtures.APP_USER_HUBOT, "hubot")):
            with self.subTest(token):
                self.assertEqual(login, self.opened(token).rest.users.get_authenticated().parsed_data.login)

    def test_unknown_token_is_rejected_for_public_data(self):
        unknown = self.opened(fixtures.UNKNOWN).rest
        self.assert_error(401, "Bad credentials", unknown.git.get_ref, *REFS, "heads/main")
        self.assert_error(401, "Bad credentials", unknown.pulls.list_review_comments, *HELLO, fixtures.MANY)

    def test_token_without_scopes_reads_only_public_data(self):
        bare = self.opened(fixtures.NO_SCOPE).rest
        self.assertEqual("refs/heads/main", bare.git.get_ref(*REFS, "heads/main").parsed_data.ref)
        self.assert_error(404, "Not Found", bare.git.get_ref, fixtures.OWNER, fixtures.SECRET, "heads/main")

    def test_enterprise_prefix_serves_the_same_api(self):
        url = f"{fixtures.URL}/api/v3"
        github = self.enterContext(GitHub(fixtures.MONA, base_url=url))
        ref = github.rest.git.get_ref(*REFS, "heads/main").parsed_data
        self.assertEqual(f"{url}/repos/octo-org/refs/git/refs/heads/main", ref.url)
        fields = github.rest.paginate(github.rest.projects.list_fields_for_org, None, fixtures.ROADMAP, fixtures.ORG, per_page=20)
        self.assertEqual(fixtures.ROADMAP_FIELDS, len(list(fields)))
        self.assertTrue(str(fields.latest_response.url).startswith(f"{url}/orgs/"))

    def test_requested_version_is_returned(self):
        response = self.mona.rest.git.get_ref(*REFS, "heads/main")
        self.assertEqual("2026-03-10", response.raw_request.headers["x-github-api-version"])
        self.assertEqual("2026-03-10", response.headers["x-github-api-version-selected"])
        older = self.mona.rest.git.get_ref(*REFS, "heads/main", headers={"X-GitHub-Api-Version": "2022-11-28"})
        self.assertEqual("2022-11-28", older.headers["x-github-api-version-selected"])

    def test_owner_and_repository_names_ignore_case(self):
        plain = self.mona.rest.git.get_ref(*REFS, "heads/main").parsed_data
        self.assertEqual(plain, self.mona.rest.git.get_ref("OCTO-org", "Refs", "heads/main").parsed_data)

    def test_unsupported_accept_header_is_rejected(self):
        text = "Unsupported 'Accept' header: 'text/html'. Must accept 'application/json'."
        self.assert_error(415, text, self.mona.rest.users.get_authenticated, headers={"Accept": "text/html"})

    def test_commit_of_a_ref_is_readable(self):
        sha = self.mona.rest.git.get_ref(*REFS, "heads/featureA").parsed_data.object_.sha
        self.assertEqual("a", self.mona.rest.git.get_commit(*REFS, sha).parsed_data.message)
        commit = self.mona.rest.repos.get_commit(*REFS, "featureA").parsed_data
        self.assertEqual((sha, ["a.txt"]), (commit.sha, [file.filename for file in commit.files]))

    def test_concurrent_requests_succeed(self):
        async def ask():
            async with client(fixtures.MONA) as github:
                get = github.rest.pulls.async_get_review_comment
                pages = github.rest.paginate(github.rest.pulls.async_list_review_comments, None, *HELLO, fixtures.MANY, per_page=30)
                comments = [comment async for comment in pages]
                return comments, await asyncio.gather(*(get(*HELLO, comment.id) for comment in comments[:20]))

        comments, responses = asyncio.run(ask())
        self.assertEqual(fixtures.COMMENTS, len(comments))
        self.assertEqual(comments[:20], [response.parsed_data for response in responses])
