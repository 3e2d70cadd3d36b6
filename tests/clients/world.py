"""Where the service is, and the names of what state.yaml put into it."""

import os

URL = os.environ["PLINTH_URL"]

ORG = "octo-org"
SIDE_ORG = "side-org"
OWNER = ORG
# The pull requests, with 64 comments on the first, none on the second, and the third closed.
HELLO = "hello"
COMMENTS = 64
MANY, WRITABLE, CLOSED = 1, 2, 3
# Many names: 120 tags below release/.
REFS = "refs"
RELEASES = 120
SECRET = "secret"
EMPTY = "empty"
# All that the organization has, part-01 to part-36 among them.
REPOSITORIES = 40

# The organization's first project has 41 fields, its second is private and nearly empty.
ROADMAP, BEHIND_DOORS = 1, 2
ROADMAP_FIELDS = 41
# The same of a user.
USER = "mona"
MINE, MONA_ALONE = 1, 2

# mona is admin everywhere, hubot a member of octo-org who may write to hello and refs, stranger nothing.
MONA = "ghp_monaEverything"
NO_SCOPE = "ghp_monaNoScope"
HUBOT = "ghp_hubotMember"
STRANGER = "ghp_strangerNobody"
OAUTH = "gho_monaEverything"
FINE_GRAINED = "github_pat_hubotWrites"
FINE_GRAINED_READS = "github_pat_hubotReads"
APP_USER = "ghu_monaThroughHelper"
APP_USER_HUBOT = "ghu_hubotThroughHelper"
INSTALLATION = "ghs_helperOnOctoOrg"
SIDE_INSTALLATION = "ghs_helperOnSideOrg"
UNKNOWN = "ghp_nobodyHasThisOne"

NO_SUCH_ID = 987_654_321
NO_SUCH_SHA = "0123456789abcdef0123456789abcdef01234567"
