"""githubkit on what holds for every operation: credentials, addresses, versions, waiting."""

import asyncio

import world
from githubkit import GitHub
from kit import Stories, client

REFS = (world.OWNER, world.REFS)
HELLO = (world.OWNER, world.HELLO)


class Everywhere(Stories):
    def test_every_kind_of_token_reads_a_private_repository(self):
        for token in (world.MONA, world.OAUTH, world.FINE_GRAINED, world.APP_USER, world.INSTALLATION):
            with self.subTest(token):
                ref = self.opened(token).rest.git.get_ref(world.OWNER, world.SECRET, "heads/main").parsed_data
                self.assertEqual("refs/heads/main", ref.ref)

    def test_a_token_knows_whose_it_is(self):
        for token, login in ((world.MONA, "mona"), (world.HUBOT, "hubot"), (world.OAUTH, "mona"),
                             (world.FINE_GRAINED, "hubot"), (world.APP_USER_HUBOT, "hubot")):
            with self.subTest(token):
                self.assertEqual(login, self.opened(token).rest.users.get_authenticated().parsed_data.login)

    def test_an_unknown_token_is_refused_even_for_what_is_public(self):
        unknown = self.opened(world.UNKNOWN).rest
        self.refused(401, "Bad credentials", unknown.git.get_ref, *REFS, "heads/main")
        self.refused(401, "Bad credentials", unknown.pulls.list_review_comments, *HELLO, world.MANY)

    def test_a_token_without_scopes_has_no_more_than_the_public(self):
        bare = self.opened(world.NO_SCOPE).rest
        self.assertEqual("refs/heads/main", bare.git.get_ref(*REFS, "heads/main").parsed_data.ref)
        self.refused(404, "Not Found", bare.git.get_ref, world.OWNER, world.SECRET, "heads/main")

    def test_the_other_prefix_serves_the_same_and_stays(self):
        url = f"{world.URL}/api/v3"
        github = self.enterContext(GitHub(world.MONA, base_url=url))
        ref = github.rest.git.get_ref(*REFS, "heads/main").parsed_data
        self.assertEqual(f"{url}/repos/octo-org/refs/git/refs/heads/main", ref.url)
        fields = github.rest.paginate(github.rest.projects.list_fields_for_org, None, world.ROADMAP, world.ORG, per_page=20)
        self.assertEqual(world.ROADMAP_FIELDS, len(list(fields)))
        self.assertTrue(str(fields.latest_response.url).startswith(f"{url}/orgs/"))

    def test_the_version_that_was_asked_for_is_told(self):
        answer = self.mona.rest.git.get_ref(*REFS, "heads/main")
        self.assertEqual("2026-03-10", answer.raw_request.headers["x-github-api-version"])
        self.assertEqual("2026-03-10", answer.headers["x-github-api-version-selected"])
        older = self.mona.rest.git.get_ref(*REFS, "heads/main", headers={"X-GitHub-Api-Version": "2022-11-28"})
        self.assertEqual("2022-11-28", older.headers["x-github-api-version-selected"])

    def test_names_of_owners_and_repositories_have_no_case(self):
        plain = self.mona.rest.git.get_ref(*REFS, "heads/main").parsed_data
        self.assertEqual(plain, self.mona.rest.git.get_ref("OCTO-org", "Refs", "heads/main").parsed_data)

    def test_an_answer_that_nobody_can_read_is_not_given(self):
        text = "Unsupported 'Accept' header: 'text/html'. Must accept 'application/json'."
        self.refused(415, text, self.mona.rest.users.get_authenticated, headers={"Accept": "text/html"})

    def test_what_a_reference_leads_to_is_read(self):
        sha = self.mona.rest.git.get_ref(*REFS, "heads/featureA").parsed_data.object_.sha
        self.assertEqual("a", self.mona.rest.git.get_commit(*REFS, sha).parsed_data.message)
        commit = self.mona.rest.repos.get_commit(*REFS, "featureA").parsed_data
        self.assertEqual((sha, ["a.txt"]), (commit.sha, [file.filename for file in commit.files]))

    def test_many_requests_at_once_are_answered(self):
        async def ask():
            async with client(world.MONA) as github:
                get = github.rest.pulls.async_get_review_comment
                pages = github.rest.paginate(github.rest.pulls.async_list_review_comments, None, *HELLO, world.MANY, per_page=30)
                comments = [comment async for comment in pages]
                return comments, await asyncio.gather(*(get(*HELLO, comment.id) for comment in comments[:20]))

        comments, answers = asyncio.run(ask())
        self.assertEqual(world.COMMENTS, len(comments))
        self.assertEqual(comments[:20], [answer.parsed_data for answer in answers])
