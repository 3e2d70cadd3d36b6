"""github3.py on pull requests, reviews and issues."""

import github3

import fixtures
from github3_client import REPO, Github3TestCase


class PullRequests(Github3TestCase):
    def test_pull_request_is_created_read_and_merged(self):
        pull = self.pull({"github3/merged.txt": "1\n2\n3\n"})
        self.assertEqual(("open", "hubot", "**Why** not"), (pull.state, pull.user.login, pull.body))
        self.assertEqual("<p><strong>Why</strong> not</p>", pull.body_html)
        self.assertEqual("Why not", pull.body_text)
        self.assertEqual(["github3/merged.txt"], [file.filename for file in pull.files()])
        self.assertEqual(["Write github3/merged.txt"], [commit.commit.message for commit in pull.commits()])
        self.assertIn(b"+++ b/github3/merged.txt", pull.diff())
        self.assertIn(b"Subject: [PATCH]", pull.patch())
        self.assertFalse(pull.is_merged())
        mine = self.repo.pull_request(pull.number)
        self.assertTrue(mine.update(title="By github3, renamed"))
        self.assertEqual("By github3, renamed", self.repo.pull_request(pull.number).title)
        self.assertTrue(mine.merge("Merged by github3", merge_method="squash", commit_title="One commit"))
        merged = self.repo.pull_request(pull.number)
        self.assertTrue(merged.is_merged())
        self.assertEqual(("closed", "mona"), (merged.state, merged.merged_by.login))
        self.assertEqual("One commit\n\nMerged by github3", self.repo.git_commit(merged.merge_commit_sha).message)

    def test_pull_requests_are_listed_closed_and_reopened(self):
        pull = self.pull({"github3/listed.txt": "x\n"})
        self.assertIn(pull.number, {pull.number for pull in self.repo.pull_requests(state="open", base="main")})
        self.assertTrue(pull.close())
        self.assertIn(pull.number, {pull.number for pull in self.repo.pull_requests(state="closed")})
        self.assertTrue(pull.reopen())

    def test_reviews_and_their_comments_work(self):
        pull = self.repo.pull_request(self.pull({"github3/reviewed.txt": "1\n2\n3\n"}).number)
        head = pull.head.sha
        comment = pull.create_review_comment("On a line", head, "github3/reviewed.txt", 2)
        self.assertEqual(("github3/reviewed.txt", 2), (comment.path, comment.position))
        response = comment.reply("To it")
        self.assertEqual("To it", response.body)
        self.assertTrue(comment.edit("On a line, edited"))
        self.assertEqual(["On a line, edited", "To it"], [comment.body for comment in pull.review_comments()])
        review = pull.create_review("Well done", commit_id=head, event="APPROVE")
        self.assertEqual(("APPROVED", "mona"), (review.state, review.user.login))
        waiting = pull.create_review("Wait", commit_id=head, comments=[{"path": "github3/reviewed.txt", "position": 1, "body": "Here"}])
        self.assertEqual("PENDING", waiting.state)
        self.assertTrue(waiting.submit("Done waiting", "COMMENT"))
        self.assertEqual([("APPROVED", "Well done"), ("COMMENTED", "Done waiting")],
                         [(review.state, review.body) for review in pull.reviews() if review.body])
        self.assertTrue(response.delete())

    def test_reviewers_are_requested_and_removed(self):
        pull = self.pull({"github3/asked.txt": "x\n"})
        pull.create_review_requests(reviewers=["mona"])
        self.assertEqual(["mona"], [user.login for user in self.repo.pull_request(pull.number).requested_reviewers])
        self.assertTrue(pull.delete_review_requests(reviewers=["mona"]))
        self.assertEqual([], self.repo.pull_request(pull.number).requested_reviewers)


class Issues(Github3TestCase):
    def test_issue_has_its_whole_life(self):
        label = self.repo.create_label("github3", "ff0000", description="By a library")
        issue = self.repo.create_issue("By github3", body="**Why** not", labels=["github3"], assignees=["hubot"])
        self.assertEqual(("open", "mona", ["github3"]), (issue.state, issue.user.login, [label.name for label in issue.original_labels]))
        self.assertEqual(["hubot"], [user.login for user in issue.assignees])
        self.assertEqual("<p><strong>Why</strong> not</p>", issue.body_html)
        comment = issue.create_comment("A comment")
        self.assertEqual("A comment", self.repo.issue(issue.number).comment(comment.id).body)
        self.assertTrue(comment.edit("A comment, edited"))
        self.assertEqual(["A comment, edited"], [comment.body for comment in issue.comments()])
        issue.add_labels("second")
        self.assertEqual({"github3", "second"}, {label.name for label in issue.labels()})
        issue.remove_label("second")
        self.assertTrue(issue.edit(title="By github3, renamed"))
        self.assertTrue(issue.close())
        self.assertTrue(self.repo.issue(issue.number).is_closed())
        self.assertIn(issue.number, {issue.number for issue in self.repo.issues(state="closed", labels="github3")})
        self.assertTrue(issue.reopen())
        self.assertTrue(comment.delete())
        self.assertTrue(label.delete())
        self.assertEqual([], [label.name for label in self.repo.issue(issue.number).original_labels])

    def test_pull_request_is_an_issue(self):
        pull = self.repo.pull_request(self.pull({"github3/issue.txt": "x\n"}).number)
        issue = pull.issue()
        self.assertEqual((pull.number, pull.title), (issue.number, issue.title))
        self.assertEqual(pull.id, issue.pull_request().id)
        pull.create_comment("In the conversation")
        self.assertEqual(["In the conversation"], [comment.body for comment in pull.issue_comments()])

    def test_stranger_cannot_write(self):
        issue = self.repo.create_issue("For members")
        stranger = github3.github.GitHubEnterprise(fixtures.URL, token=fixtures.STRANGER).repository(*REPO)
        self.assert_error(github3.exceptions.ForbiddenError, stranger.create_label, "never", "000000")
        self.assert_error(github3.exceptions.ForbiddenError, stranger.issue(issue.number).close)
