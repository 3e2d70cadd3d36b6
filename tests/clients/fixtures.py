"""The URL of the service, and the names of the data in state.yaml."""

import os

URL = os.environ["PLINTH_URL"]

ORG = "octo-org"
SIDE_ORG = "side-org"
OWNER = ORG
# The pull requests: the first has 64 comments, the second none, the third is closed.
HELLO = "hello"
COMMENTS = 64
MANY, WRITABLE, CLOSED = 1, 2, 3
# Many refs: 120 tags below release/.
REFS = "refs"
RELEASES = 120
SECRET = "secret"
EMPTY = "empty"
# All repositories of the organization, including part-01 to part-36.
REPOSITORIES = 40

# The organization's first project has 41 fields, its second is private and nearly empty.
ROADMAP, BEHIND_DOORS = 1, 2
ROADMAP_FIELDS = 41
# The same of a user.
USER = "mona"
MINE, MONA_ALONE = 1, 2

# mona is admin of everything, hubot is a member of octo-org with write access to hello and refs, stranger has no rights.
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
