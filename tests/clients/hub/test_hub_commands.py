"""The commands of hub in a clone."""

import fixtures
from program import BASE, REPO, HubTestCase

HERE = f"repos/{REPO}"


class Commands(HubTestCase):
    def setUp(self):
        super().setUp()
        self.clone()

    def test_api_reads_pages_and_writes(self):
        self.assertEqual("hubot", self.api("user")["login"])
        everything = self.hub("api", "--paginate", "orgs/octo-org/repos?per_page=30", token=fixtures.MONA)
        self.assertEqual(fixtures.REPOSITORIES, everything.count('"full_name":'))
        sha = self.hub("rev-parse", "origin/main")
        made = self.hub("api", f"{HERE}/git/refs", "-f", "ref=refs/heads/by-hub", "-f", f"sha={sha}", "-t")
        self.assertIn(".ref\trefs/heads/by-hub", made)
        self.assertIn("Not Found", self.hub_error("api", f"{HERE}/git/ref/heads/absent"))

    def hub_error(self, *arguments):
        done = self.run_hub(*arguments)
        self.assertEqual(22, done.returncode)
        return done.stdout

    def test_pull_request_is_opened_listed_shown_and_merged(self):
        self.commit("hub/merge", "merge.txt", "merge\n")
        for name in ("first", "other"):
            self.hub("api", f"{HERE}/labels", "-f", f"name={name}", "-f", "color=0075ca", "-f", "description=From the command line")
        url = self.hub("pull-request", "--no-edit", "--base", "main", "--labels", "first,other", "--reviewer", "mona", "--assign", "hubot")
        self.assertRegex(url, rf"^{BASE}/{REPO}/pull/\d+$")
        number = url.rsplit("/", 1)[1]
        pull = self.api(f"{HERE}/pulls/{number}")
        self.assertEqual(("Write merge.txt", "hub/merge", ["mona"]),
                         (pull["title"], pull["head"]["ref"], [user["login"] for user in pull["requested_reviewers"]]))
        issue = self.api(f"{HERE}/issues/{number}")
        self.assertEqual({"first", "other"}, {label["name"] for label in issue["labels"]})
        self.assertEqual(["hubot"], [user["login"] for user in issue["assignees"]])
        listed = self.hub("pr", "list", "--format", "%I %t (%H) %L%n").splitlines()
        self.assertIn(f"{number} Write merge.txt (hub/merge) first, other", [line.strip() for line in listed])
        self.assertEqual(url, self.hub("pr", "show", "--url"))
        self.assertEqual(f"{number} open", self.hub("pr", "show", "--format", "%I %S", number).strip())
        self.hub("checkout", "--quiet", "main")
        self.hub("merge", url)
        self.assertEqual(f"Merge pull request #{number} from {fixtures.OWNER}/hub/merge", self.hub("log", "-1", "--format=%s"))
        self.hub("push", "--quiet", "origin", "main")
        merged = self.wait_for(lambda: self.api(f"{HERE}/pulls/{number}"), lambda pull: pull["merged"])
        self.assertEqual(("closed", "hubot"), (merged["state"], merged["merged_by"]["login"]))
        self.assertIn(number, self.hub("pr", "list", "--state", "merged", "--format", "%I%n").splitlines())

    def test_pull_request_is_checked_out(self):
        self.hub("pr", "checkout", str(fixtures.WRITABLE))
        self.assertEqual("scratch", self.hub("branch", "--show-current"))
        self.assertEqual("1\n2\n3\n4\n5\n", (self.work / "notes.txt").read_text())

    def test_pull_request_without_commits_is_rejected(self):
        self.hub("checkout", "--quiet", "-b", "hub/nothing", "origin/main")
        self.hub("push", "--quiet", "--set-upstream", "origin", "hub/nothing")
        self.assertIn("No commits between main and hub/nothing", self.fails("pull-request", "-m", "Nothing", "-b", "main"))

    def test_issue_has_its_whole_life(self):
        url = self.hub("issue", "create", "-m", "By hub\n\nWith a body", "-l", "by-hub", "-a", "hubot")
        self.assertRegex(url, rf"^{BASE}/{REPO}/issues/\d+$")
        number = url.rsplit("/", 1)[1]
        issue = self.api(f"{HERE}/issues/{number}")
        self.assertEqual(("By hub", "With a body"), (issue["title"], issue["body"]))
        self.assertIn(f"{number} By hub [by-hub] hubot", self.hub("issue", "--format", "%I %t [%L] %as%n"))
        self.hub("api", f"{HERE}/issues/{number}/comments", "-f", "body=Seen")
        self.assertRegex(self.hub("issue", "show", number), r"(?s)By hub.*With a body.*Seen")
        self.hub("issue", "update", number, "-m", "By hub, renamed", "-l", "second", "-s", "closed")
        changed = self.api(f"{HERE}/issues/{number}")
        self.assertEqual(("By hub, renamed", "closed", ["second"]),
                         (changed["title"], changed["state"], [label["name"] for label in changed["labels"]]))
        self.assertNotIn(f"{number} ", self.hub("issue", "--format", "%I %n"))
        self.assertIn("second", self.hub("issue", "labels").splitlines())

    def test_status_of_a_commit_is_shown(self):
        sha = self.commit("hub/status", "status.txt", "status\n")
        self.assertIn("no status", self.run_hub("ci-status").stdout)
        self.hub("api", f"{HERE}/statuses/{sha}", "-f", "state=pending", "-f", "context=ci/build")
        self.assertEqual((2, "pending"), self.status())
        self.hub("api", f"{HERE}/statuses/{sha}", "-f", "state=success", "-f", "context=ci/build", "-f", "target_url=https://ci.example.com/1")
        self.assertEqual((0, "success"), self.status())
        self.assertIn("ci/build\thttps://ci.example.com/1", " ".join(self.hub("ci-status", "--verbose", "--color=never").split(" ")).replace("  ", ""))

    def status(self):
        done = self.run_hub("ci-status")
        return done.returncode, done.stdout.strip()

    def test_release_has_its_files(self):
        (self.work / "product.txt").write_text("version one\n")
        url = self.hub("release", "create", "-m", "One\n\nThe notes", "-a", "product.txt#The product", "-t", "main", "hub-1.0", token=fixtures.MONA)
        self.assertEqual(f"{BASE}/{REPO}/releases/tag/hub-1.0", url)
        self.assertIn("hub-1.0", self.hub("release").splitlines())
        self.assertRegex(self.hub("release", "show", "--show-downloads", "hub-1.0"), r"(?s)One.*The notes.*product\.txt")
        (self.work / "product.txt").unlink()
        self.hub("release", "download", "hub-1.0")
        self.assertEqual("version one\n", (self.work / "product.txt").read_text())
        self.hub("release", "edit", "-m", "One, edited", "hub-1.0")
        self.assertEqual("One, edited", self.api(f"{HERE}/releases/tags/hub-1.0")["name"])
        self.hub("release", "delete", "hub-1.0")
        self.assertNotIn("hub-1.0", self.hub("release").splitlines())

    def test_links_are_those_of_the_server(self):
        for arguments, link in (
            (["browse", "-u"], f"{BASE}/{REPO}"),
            (["browse", "-u", "--", "issues/2"], f"{BASE}/{REPO}/issues/2"),
            (["compare", "-u", "main...feature"], f"{BASE}/{REPO}/compare/main...feature"),
        ):
            with self.subTest(link):
                self.assertEqual(link, self.hub(*arguments))

    def test_branches_are_synced(self):
        self.hub("fetch", "--quiet", "origin")
        self.hub("sync")


class Repositories(HubTestCase):
    def test_repository_is_created_from_a_directory_and_deleted(self):
        self.work.mkdir()
        self.hub("init", "--quiet", "--initial-branch", "main")
        (self.work / "README.md").write_text("# made\n")
        self.hub("add", "--all")
        self.hub("commit", "--quiet", "--message", "first")
        self.assertEqual(f"{BASE}/mona/by-hub", self.hub("create", "-d", "By hub", "by-hub", token=fixtures.MONA).splitlines()[-1])
        self.hub("push", "--quiet", "origin", "main", token=fixtures.MONA)
        made = self.api("repos/mona/by-hub", token=fixtures.MONA)
        self.assertEqual(("By hub", "main"), (made["description"], made["default_branch"]))
        self.hub("delete", "--yes", "mona/by-hub", token=fixtures.MONA)
        self.assertEqual(22, self.run_hub("api", "repos/mona/by-hub", token=fixtures.MONA).returncode)
