//! The table: every operation of the service with its path and its rule, in the specification's order.

use http::Method;
use plinth_core::access::Role;
use plinth_core::access::policy::*;
use plinth_core::access::{Action, Anonymous, CachedAccess, Kinds, Rule, TargetKind};
use plinth_core::tokens::{Level, Scope};

use super::declaration::endpoints;
use super::{Caching, Endpoint, Row, Wire};

endpoints! {
    // Project fields
    ListOrgProjectFields = "projects/list-fields-for-org", GET ["/orgs/{org}/projectsV2/{project_number}/fields"], ORG_PROJECT_READ => caches resource and response;
    AddOrgProjectField = "projects/add-field-for-org", POST ["/orgs/{org}/projectsV2/{project_number}/fields"], ORG_PROJECT_WRITE;
    GetOrgProjectField = "projects/get-field-for-org", GET ["/orgs/{org}/projectsV2/{project_number}/fields/{field_id}"], ORG_PROJECT_READ => caches resource and response;
    ListUserProjectFields = "projects/list-fields-for-user", GET ["/users/{username}/projectsV2/{project_number}/fields"], USER_PROJECT_READ => caches resource and response;
    AddUserProjectField = "projects/add-field-for-user", POST ["/users/{username}/projectsV2/{project_number}/fields"], USER_PROJECT_WRITE;
    GetUserProjectField = "projects/get-field-for-user", GET ["/users/{username}/projectsV2/{project_number}/fields/{field_id}"], USER_PROJECT_READ => caches resource and response;

    // Issue fields
    ListIssueFields = "orgs/list-issue-fields", GET ["/orgs/{org}/issue-fields"], ISSUE_FIELDS_READ => caches response;
    CreateIssueField = "orgs/create-issue-field", POST ["/orgs/{org}/issue-fields"], ISSUE_FIELDS_WRITE;
    UpdateIssueField = "orgs/update-issue-field", PATCH ["/orgs/{org}/issue-fields/{issue_field_id}"], ISSUE_FIELDS_WRITE;
    DeleteIssueField = "orgs/delete-issue-field", DELETE ["/orgs/{org}/issue-fields/{issue_field_id}"], ISSUE_FIELDS_WRITE;

    // Pull request review comments
    ListRepoReviewComments = "pulls/list-review-comments-for-repo", GET ["/repos/{owner}/{repo}/pulls/comments"], PULLS_READ => caches access and response;
    GetReviewComment = "pulls/get-review-comment", GET ["/repos/{owner}/{repo}/pulls/comments/{comment_id}"], PULLS_READ => caches access and response;
    UpdateReviewComment = "pulls/update-review-comment", PATCH ["/repos/{owner}/{repo}/pulls/comments/{comment_id}"], PULLS_WRITE => caches access;
    DeleteReviewComment = "pulls/delete-review-comment", DELETE ["/repos/{owner}/{repo}/pulls/comments/{comment_id}"], PULLS_WRITE => caches access;
    ListReviewComments = "pulls/list-review-comments", GET ["/repos/{owner}/{repo}/pulls/{pull_number}/comments"], PULLS_READ => caches access and response;
    CreateReviewComment = "pulls/create-review-comment", POST ["/repos/{owner}/{repo}/pulls/{pull_number}/comments"], PULLS_WRITE => caches access;
    CreateReplyForReviewComment = "pulls/create-reply-for-review-comment", POST ["/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies"], PULLS_WRITE => caches access;

    // Git references
    ListMatchingRefs = "git/list-matching-refs", GET ["/repos/{owner}/{repo}/git/matching-refs/{*ref}", "/repos/{owner}/{repo}/git/matching-refs", "/repos/{owner}/{repo}/git/matching-refs/"], CONTENTS_READ => caches resource;
    GetRef = "git/get-ref", GET ["/repos/{owner}/{repo}/git/ref/{*ref}"], CONTENTS_READ => caches resource and response;
    CreateRef = "git/create-ref", POST ["/repos/{owner}/{repo}/git/refs"], REF_WRITE => caches access;
    UpdateRef = "git/update-ref", PATCH ["/repos/{owner}/{repo}/git/refs/{*ref}"], REF_WRITE => caches access;
    DeleteRef = "git/delete-ref", DELETE ["/repos/{owner}/{repo}/git/refs/{*ref}"], CONTENTS_WRITE;

    // App installations
    ListInstallationRepositories = "apps/list-repos-accessible-to-installation", GET ["/installation/repositories"], Rule { kinds: Kinds::INSTALLATION, anonymous: Anonymous::Rejected, rejection: Some("You must authenticate with an installation access token in order to list repositories for an installation."), ..OPEN } => caches response;
    RevokeInstallationToken = "apps/revoke-installation-access-token", DELETE ["/installation/token"], Rule { action: Action::Write, kinds: Kinds::INSTALLATION, anonymous: Anonymous::Rejected, ..OPEN };
    ListUserInstallations = "apps/list-installations-for-authenticated-user", GET ["/user/installations"], Rule { kinds: Kinds::APP_USER, anonymous: Anonymous::Rejected, rejection: Some("You must authenticate with an access token authorized to a GitHub App in order to list installations"), ..OPEN } => caches response;
    ListUserInstallationRepositories = "apps/list-installation-repos-for-authenticated-user", GET ["/user/installations/{installation_id}/repositories"], Rule { target: TargetKind::Installation, kinds: Kinds::APP_USER.and(Kinds::CLASSIC), anonymous: Anonymous::Rejected, permission: Some(("metadata", Level::Read)), ..OPEN } => caches response;
    AddInstallationRepository = "apps/add-repo-to-installation-for-authenticated-user", PUT ["/user/installations/{installation_id}/repositories/{repository_id}"], SELECTION_WRITE;
    RemoveInstallationRepository = "apps/remove-repo-from-installation-for-authenticated-user", DELETE ["/user/installations/{installation_id}/repositories/{repository_id}"], SELECTION_WRITE;

    // The service itself
    GetRoot = "meta/root", GET ["/"], OPEN;
    GetMeta = "meta/get", GET ["/meta"], OPEN;
    ListVersions = "meta/get-all-versions", GET ["/versions"], OPEN;
    GetRateLimit = "rate-limit/get", GET ["/rate_limit"], FREE;
    Query = "graphql/query", POST ["/graphql", "/api/graphql"], Rule { anonymous: Anonymous::Rejected, ..OPEN };

    // Accounts and repositories
    GetAuthenticatedUser = "users/get-authenticated", GET ["/user"], OWN;
    GetUser = "users/get-by-username", GET ["/users/{username}"], Rule { target: TargetKind::User, ..OPEN };
    GetOrg = "orgs/get", GET ["/orgs/{org}"], Rule { target: TargetKind::Org, ..OPEN };
    GetRepo = "repos/get", GET ["/repos/{owner}/{repo}"], REPO_READ;
    CreateOwnRepo = "repos/create-for-authenticated-user", POST ["/user/repos"], Rule { action: Action::Write, act_scope: Some(Scope::PublicRepo), permission: Some(("administration", Level::Write)), ..OWN };
    CreateOrgRepo = "repos/create-in-org", POST ["/orgs/{org}/repos"], Rule { target: TargetKind::Org, action: Action::Write, anonymous: Anonymous::Rejected, members_only: true, act_scope: Some(Scope::PublicRepo), permission: Some(("administration", Level::Write)), ..OPEN };
    DeleteRepo = "repos/delete", DELETE ["/repos/{owner}/{repo}"], Rule { act_scope: Some(Scope::DeleteRepo), act_role: Role::Admin, permission: Some(("administration", Level::Write)), ..REPO_WRITE };
    UpdateRepo = "repos/update", PATCH ["/repos/{owner}/{repo}"], REPO_ADMIN;
    GetTopics = "repos/get-all-topics", GET ["/repos/{owner}/{repo}/topics"], REPO_READ;
    ListLanguages = "repos/list-languages", GET ["/repos/{owner}/{repo}/languages"], REPO_READ;
    ReplaceTopics = "repos/replace-all-topics", PUT ["/repos/{owner}/{repo}/topics"], REPO_ADMIN;
    ListOwnRepos = "repos/list-for-authenticated-user", GET ["/user/repos"], OWN;
    ListOrgRepos = "repos/list-for-org", GET ["/orgs/{org}/repos"], Rule { target: TargetKind::Org, permission: Some(("metadata", Level::Read)), ..OPEN };
    ListUserRepos = "repos/list-for-user", GET ["/users/{username}/repos"], Rule { target: TargetKind::User, permission: Some(("metadata", Level::Read)), ..OPEN };
    ListOwnOrgs = "orgs/list-for-authenticated-user", GET ["/user/orgs"], Rule { act_scope: Some(Scope::ReadOrg), ..OWN };
    ListUserOrgs = "orgs/list-for-user", GET ["/users/{username}/orgs"], Rule { target: TargetKind::User, ..OPEN };
    ListOrgMembers = "orgs/list-members", GET ["/orgs/{org}/members"], MEMBERS_READ;
    CheckOrgMember = "orgs/check-membership-for-user", GET ["/orgs/{org}/members/{username}"], MEMBERS_READ;
    ListCollaborators = "repos/list-collaborators", GET ["/repos/{owner}/{repo}/collaborators"], COLLABORATORS_READ;
    CheckCollaborator = "repos/check-collaborator", GET ["/repos/{owner}/{repo}/collaborators/{username}"], COLLABORATORS_READ;
    AddCollaborator = "repos/add-collaborator", PUT ["/repos/{owner}/{repo}/collaborators/{username}"], REPO_ADMIN;
    RemoveCollaborator = "repos/remove-collaborator", DELETE ["/repos/{owner}/{repo}/collaborators/{username}"], COLLABORATOR_REMOVE;
    GetCollaboratorPermission = "repos/get-collaborator-permission-level", GET ["/repos/{owner}/{repo}/collaborators/{username}/permission"], COLLABORATORS_READ;

    // Projects, as far as clients need them to find fields
    ListOrgProjects = "projects/list-for-org", GET ["/orgs/{org}/projectsV2"], Rule { target: TargetKind::Org, permission: Some(("organization_projects", Level::Read)), ..OPEN };
    GetOrgProject = "projects/get-for-org", GET ["/orgs/{org}/projectsV2/{project_number}"], ORG_PROJECT_READ;
    ListUserProjects = "projects/list-for-user", GET ["/users/{username}/projectsV2"], Rule { target: TargetKind::User, kinds: Kinds::SCOPED, anonymous: Anonymous::Rejected, ..OPEN };
    /// Where `project_url` leads to.
    GetProject = "projects/get", GET ["/projects/{project_id}"], Rule { target: TargetKind::AnyProject, ..ORG_PROJECT_READ };
    GetUserProject = "projects/get-for-user", GET ["/users/{username}/projectsV2/{project_number}"], USER_PROJECT_READ;

    // Pull requests, reviews and notifications
    ListPulls = "pulls/list", GET ["/repos/{owner}/{repo}/pulls"], PULLS_READ;
    CreatePull = "pulls/create", POST ["/repos/{owner}/{repo}/pulls"], PULLS_WRITE;
    GetPull = "pulls/get", GET ["/repos/{owner}/{repo}/pulls/{pull_number}"], PULLS_READ;
    UpdatePull = "pulls/update", PATCH ["/repos/{owner}/{repo}/pulls/{pull_number}"], PULLS_WRITE;
    ListPullFiles = "pulls/list-files", GET ["/repos/{owner}/{repo}/pulls/{pull_number}/files"], PULLS_READ;
    ListPullCommits = "pulls/list-commits", GET ["/repos/{owner}/{repo}/pulls/{pull_number}/commits"], PULLS_READ;
    CheckPullMerged = "pulls/check-if-merged", GET ["/repos/{owner}/{repo}/pulls/{pull_number}/merge"], PULLS_READ;
    MergePull = "pulls/merge", PUT ["/repos/{owner}/{repo}/pulls/{pull_number}/merge"], REF_WRITE;
    UpdatePullBranch = "pulls/update-branch", PUT ["/repos/{owner}/{repo}/pulls/{pull_number}/update-branch"], PULL_BRANCH_WRITE;
    MergeBranch = "repos/merge", POST ["/repos/{owner}/{repo}/merges"], REF_WRITE;
    ListRequestedReviewers = "pulls/list-requested-reviewers", GET ["/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers"], PULLS_READ;
    RequestReviewers = "pulls/request-reviewers", POST ["/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers"], Rule { act_role: Role::Write, ..PULLS_WRITE };
    RemoveRequestedReviewers = "pulls/remove-requested-reviewers", DELETE ["/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers"], Rule { act_role: Role::Write, ..PULLS_WRITE };
    GetRepoCommit = "repos/get-commit", GET ["/repos/{owner}/{repo}/commits/{*ref}"], CONTENTS_READ;
    GetCombinedStatus = "repos/get-combined-status-for-ref", GET ["/repos/{owner}/{repo}/commits/{*ref}/status"], STATUSES_READ;
    /// The second path is where the URL of a status leads to.
    ListStatuses = "repos/list-commit-statuses-for-ref", GET ["/repos/{owner}/{repo}/commits/{*ref}/statuses", "/repos/{owner}/{repo}/statuses/{sha}"], STATUSES_READ;
    CreateStatus = "repos/create-commit-status", POST ["/repos/{owner}/{repo}/statuses/{sha}"], STATUSES_WRITE;
    ListCheckRuns = "checks/list-for-ref", GET ["/repos/{owner}/{repo}/commits/{*ref}/check-runs"], Rule { permission: Some(("checks", Level::Read)), ..CONTENTS_READ };
    ListPullsOfCommit = "repos/list-pull-requests-associated-with-commit", GET ["/repos/{owner}/{repo}/commits/{*commit_sha}/pulls"], PULLS_READ;
    ListReviews = "pulls/list-reviews", GET ["/repos/{owner}/{repo}/pulls/{pull_number}/reviews"], PULLS_READ;
    CreateReview = "pulls/create-review", POST ["/repos/{owner}/{repo}/pulls/{pull_number}/reviews"], PULLS_WRITE;
    GetReview = "pulls/get-review", GET ["/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}"], PULLS_READ;
    /// As `addPullRequestReviewThread` of GitHub's GraphQL, which its REST API lacks.
    AddReviewComment = "pulls/add-comment-to-pending-review", POST ["/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments"], PULLS_WRITE;
    SubmitReview = "pulls/submit-review", POST ["/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/events"], PULLS_WRITE;
    DeletePendingReview = "pulls/delete-pending-review", DELETE ["/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}"], PULLS_WRITE;
    ListReviewCommentsOfReview = "pulls/list-comments-for-review", GET ["/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments"], PULLS_READ;
    ListReviewThreads = "pulls/list-review-threads", GET ["/repos/{owner}/{repo}/pulls/{pull_number}/threads"], PULLS_READ;
    ResolveReviewThread = "pulls/resolve-review-thread", PUT ["/repos/{owner}/{repo}/pulls/comments/{comment_id}/resolution"], PULLS_WRITE;
    UnresolveReviewThread = "pulls/unresolve-review-thread", DELETE ["/repos/{owner}/{repo}/pulls/comments/{comment_id}/resolution"], PULLS_WRITE;
    ListNotifications = "activity/list-notifications-for-authenticated-user", GET ["/notifications"], Rule { kinds: Kinds::SCOPED, act_scope: Some(Scope::Notifications), ..OWN };
    GetNotificationThread = "activity/get-thread", GET ["/notifications/threads/{thread_id}"], Rule { kinds: Kinds::SCOPED, act_scope: Some(Scope::Notifications), ..OWN };
    MarkNotificationThreadRead = "activity/mark-thread-as-read", PATCH ["/notifications/threads/{thread_id}"], Rule { kinds: Kinds::SCOPED, action: Action::Write, act_scope: Some(Scope::Notifications), ..OWN };

    // Project items
    ListOrgProjectItems = "projects/list-items-for-org", GET ["/orgs/{org}/projectsV2/{project_number}/items"], ORG_PROJECT_READ;
    AddOrgProjectItem = "projects/add-item-for-org", POST ["/orgs/{org}/projectsV2/{project_number}/items"], ORG_PROJECT_WRITE;
    GetOrgProjectItem = "projects/get-org-item", GET ["/orgs/{org}/projectsV2/{project_number}/items/{item_id}"], ORG_PROJECT_READ;
    UpdateOrgProjectItem = "projects/update-item-for-org", PATCH ["/orgs/{org}/projectsV2/{project_number}/items/{item_id}"], ORG_PROJECT_WRITE;
    DeleteOrgProjectItem = "projects/delete-item-for-org", DELETE ["/orgs/{org}/projectsV2/{project_number}/items/{item_id}"], ORG_PROJECT_WRITE;
    ListUserProjectItems = "projects/list-items-for-user", GET ["/users/{username}/projectsV2/{project_number}/items"], USER_PROJECT_READ;
    AddUserProjectItem = "projects/add-item-for-user", POST ["/users/{username}/projectsV2/{project_number}/items"], USER_PROJECT_WRITE;
    GetUserProjectItem = "projects/get-user-item", GET ["/users/{username}/projectsV2/{project_number}/items/{item_id}"], USER_PROJECT_READ;
    UpdateUserProjectItem = "projects/update-item-for-user", PATCH ["/users/{username}/projectsV2/{project_number}/items/{item_id}"], USER_PROJECT_WRITE;
    DeleteUserProjectItem = "projects/delete-item-for-user", DELETE ["/users/{username}/projectsV2/{project_number}/items/{item_id}"], USER_PROJECT_WRITE;

    // Issues, and what pull requests have in common with them
    ListAllIssues = "issues/list", GET ["/issues"], OWN;
    ListOwnIssues = "issues/list-for-authenticated-user", GET ["/user/issues"], OWN;
    ListOrgIssues = "issues/list-for-org", GET ["/orgs/{org}/issues"], Rule { target: TargetKind::Org, anonymous: Anonymous::Rejected, permission: Some(("issues", Level::Read)), ..OPEN };
    ListIssues = "issues/list-for-repo", GET ["/repos/{owner}/{repo}/issues"], ISSUES_READ;
    CreateIssue = "issues/create", POST ["/repos/{owner}/{repo}/issues"], ISSUES_WRITE;
    GetIssue = "issues/get", GET ["/repos/{owner}/{repo}/issues/{issue_number}"], CONVERSATION_READ;
    UpdateIssue = "issues/update", PATCH ["/repos/{owner}/{repo}/issues/{issue_number}"], CONVERSATION_WRITE;
    ListRepoIssueComments = "issues/list-comments-for-repo", GET ["/repos/{owner}/{repo}/issues/comments"], ISSUES_READ;
    GetIssueComment = "issues/get-comment", GET ["/repos/{owner}/{repo}/issues/comments/{comment_id}"], CONVERSATION_READ;
    UpdateIssueComment = "issues/update-comment", PATCH ["/repos/{owner}/{repo}/issues/comments/{comment_id}"], CONVERSATION_WRITE;
    DeleteIssueComment = "issues/delete-comment", DELETE ["/repos/{owner}/{repo}/issues/comments/{comment_id}"], CONVERSATION_WRITE;
    ListIssueComments = "issues/list-comments", GET ["/repos/{owner}/{repo}/issues/{issue_number}/comments"], CONVERSATION_READ;
    CreateIssueComment = "issues/create-comment", POST ["/repos/{owner}/{repo}/issues/{issue_number}/comments"], CONVERSATION_WRITE;
    ListLabels = "issues/list-labels-for-repo", GET ["/repos/{owner}/{repo}/labels"], CONVERSATION_READ;
    CreateLabel = "issues/create-label", POST ["/repos/{owner}/{repo}/labels"], LABELS_WRITE;
    GetLabel = "issues/get-label", GET ["/repos/{owner}/{repo}/labels/{name}"], CONVERSATION_READ;
    UpdateLabel = "issues/update-label", PATCH ["/repos/{owner}/{repo}/labels/{name}"], LABELS_WRITE;
    DeleteLabel = "issues/delete-label", DELETE ["/repos/{owner}/{repo}/labels/{name}"], LABELS_WRITE;
    ListLabelsOfIssue = "issues/list-labels-on-issue", GET ["/repos/{owner}/{repo}/issues/{issue_number}/labels"], CONVERSATION_READ;
    AddLabels = "issues/add-labels", POST ["/repos/{owner}/{repo}/issues/{issue_number}/labels"], CONVERSATION_TRIAGE;
    SetLabels = "issues/set-labels", PUT ["/repos/{owner}/{repo}/issues/{issue_number}/labels"], CONVERSATION_TRIAGE;
    RemoveLabel = "issues/remove-label", DELETE ["/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}"], CONVERSATION_TRIAGE;
    RemoveAllLabels = "issues/remove-all-labels", DELETE ["/repos/{owner}/{repo}/issues/{issue_number}/labels"], CONVERSATION_TRIAGE;
    ListAssignees = "issues/list-assignees", GET ["/repos/{owner}/{repo}/assignees"], ASSIGNEES_READ;
    CheckAssignee = "issues/check-user-can-be-assigned", GET ["/repos/{owner}/{repo}/assignees/{assignee}"], ASSIGNEES_READ;
    CheckAssigneeOfIssue = "issues/check-user-can-be-assigned-to-issue", GET ["/repos/{owner}/{repo}/issues/{issue_number}/assignees/{assignee}"], ASSIGNEES_READ;
    AddAssignees = "issues/add-assignees", POST ["/repos/{owner}/{repo}/issues/{issue_number}/assignees"], CONVERSATION_TRIAGE;
    RemoveAssignees = "issues/remove-assignees", DELETE ["/repos/{owner}/{repo}/issues/{issue_number}/assignees"], CONVERSATION_TRIAGE;
    ListFieldValues = "issues/list-issue-field-values-for-issue", GET ["/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values"], ISSUES_READ;
    AddFieldValues = "issues/add-issue-field-values", POST ["/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values"], FIELD_VALUES_WRITE;
    SetFieldValues = "issues/set-issue-field-values", PUT ["/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values"], FIELD_VALUES_WRITE;
    DeleteFieldValue = "issues/delete-issue-field-value", DELETE ["/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values/{issue_field_id}"], FIELD_VALUES_WRITE;

    // Git objects and the older spellings of references
    ListRefs = "git/list-refs", GET ["/repos/{owner}/{repo}/git/refs", "/repos/{owner}/{repo}/git/refs/"], CONTENTS_READ => caches resource;
    GetRefOrPrefix = "git/get-ref-or-prefix", GET ["/repos/{owner}/{repo}/git/refs/{*ref}"], CONTENTS_READ => caches resource;
    GetCommit = "git/get-commit", GET ["/repos/{owner}/{repo}/git/commits/{commit_sha}"], CONTENTS_READ;
    CreateCommit = "git/create-commit", POST ["/repos/{owner}/{repo}/git/commits"], CONTENTS_WRITE;
    GetTag = "git/get-tag", GET ["/repos/{owner}/{repo}/git/tags/{tag_sha}"], CONTENTS_READ;
    CreateTag = "git/create-tag", POST ["/repos/{owner}/{repo}/git/tags"], CONTENTS_WRITE;
    GetTree = "git/get-tree", GET ["/repos/{owner}/{repo}/git/trees/{tree_sha}"], CONTENTS_READ;
    CreateTree = "git/create-tree", POST ["/repos/{owner}/{repo}/git/trees"], CONTENTS_WRITE;
    GetBlob = "git/get-blob", GET ["/repos/{owner}/{repo}/git/blobs/{file_sha}"], CONTENTS_READ;
    CreateBlob = "git/create-blob", POST ["/repos/{owner}/{repo}/git/blobs"], CONTENTS_WRITE;

    // Branches, tags, histories and files by their names
    ListBranches = "repos/list-branches", GET ["/repos/{owner}/{repo}/branches"], CONTENTS_READ;
    GetBranch = "repos/get-branch", GET ["/repos/{owner}/{repo}/branches/{*branch}"], CONTENTS_READ;
    ListCommits = "repos/list-commits", GET ["/repos/{owner}/{repo}/commits"], CONTENTS_READ;
    CompareCommits = "repos/compare-commits-with-basehead", GET ["/repos/{owner}/{repo}/compare/{*basehead}"], CONTENTS_READ;
    GetContents = "repos/get-content", GET ["/repos/{owner}/{repo}/contents/{*path}", "/repos/{owner}/{repo}/contents", "/repos/{owner}/{repo}/contents/"], CONTENTS_READ;
    WriteFile = "repos/create-or-update-file-contents", PUT ["/repos/{owner}/{repo}/contents/{*path}"], REF_WRITE;
    DeleteFile = "repos/delete-file", DELETE ["/repos/{owner}/{repo}/contents/{*path}"], REF_WRITE;
    GetReadme = "repos/get-readme", GET ["/repos/{owner}/{repo}/readme"], CONTENTS_READ;
    GetReadmeInDirectory = "repos/get-readme-in-directory", GET ["/repos/{owner}/{repo}/readme/{*dir}"], CONTENTS_READ;
    ListTags = "repos/list-tags", GET ["/repos/{owner}/{repo}/tags"], REPO_READ;

    // Releases and their files
    ListReleases = "repos/list-releases", GET ["/repos/{owner}/{repo}/releases"], CONTENTS_READ;
    CreateRelease = "repos/create-release", POST ["/repos/{owner}/{repo}/releases"], REF_WRITE;
    GenerateReleaseNotes = "repos/generate-release-notes", POST ["/repos/{owner}/{repo}/releases/generate-notes"], RELEASE_NOTES;
    GetLatestRelease = "repos/get-latest-release", GET ["/repos/{owner}/{repo}/releases/latest"], CONTENTS_READ;
    GetReleaseByTag = "repos/get-release-by-tag", GET ["/repos/{owner}/{repo}/releases/tags/{*tag}"], CONTENTS_READ;
    GetRelease = "repos/get-release", GET ["/repos/{owner}/{repo}/releases/{release_id}"], CONTENTS_READ;
    UpdateRelease = "repos/update-release", PATCH ["/repos/{owner}/{repo}/releases/{release_id}"], REF_WRITE;
    ListReleaseAssets = "repos/list-release-assets", GET ["/repos/{owner}/{repo}/releases/{release_id}/assets"], CONTENTS_READ;
    /// Clients that know only the host use the second path, as on GitHub Enterprise Server.
    UploadReleaseAsset = "repos/upload-release-asset", POST ["/repos/{owner}/{repo}/releases/{release_id}/assets", "/api/uploads/repos/{owner}/{repo}/releases/{release_id}/assets"], CONTENTS_WRITE, Wire::Upload;
    GetReleaseAsset = "repos/get-release-asset", GET ["/repos/{owner}/{repo}/releases/assets/{asset_id}"], CONTENTS_READ;
    UpdateReleaseAsset = "repos/update-release-asset", PATCH ["/repos/{owner}/{repo}/releases/assets/{asset_id}"], CONTENTS_WRITE;
    DeleteReleaseAsset = "repos/delete-release-asset", DELETE ["/repos/{owner}/{repo}/releases/assets/{asset_id}"], CONTENTS_WRITE;
    DeleteRelease = "repos/delete-release", DELETE ["/repos/{owner}/{repo}/releases/{release_id}"], CONTENTS_WRITE;
    /// Where `browser_download_url` leads to.
    DownloadReleaseAsset = "web/download-release-asset", GET ["/{owner}/{repo}/releases/download/{*file}"], CONTENTS_READ;

    // Clone and push; the first serves both, and asks for the right to the service that the query names
    GitAdvertise = "git/advertise", GET ["/{owner}/{repo}/info/refs"], GIT_READ, Wire::Git;
    GitUploadPack = "git/upload-pack", POST ["/{owner}/{repo}/git-upload-pack"], GIT_READ, Wire::Git;
    GitReceivePack = "git/receive-pack", POST ["/{owner}/{repo}/git-receive-pack"], GIT_WRITE, Wire::Git;

    // Apps
    GetApp = "apps/get-authenticated", GET ["/app"], APP;
    ListAppInstallations = "apps/list-installations", GET ["/app/installations"], APP;
    GetAppInstallation = "apps/get-installation", GET ["/app/installations/{installation_id}"], APP_INSTALLATION;
    DeleteAppInstallation = "apps/delete-installation", DELETE ["/app/installations/{installation_id}"], APP_INSTALLATION_WRITE;
    CreateInstallationToken = "apps/create-installation-access-token", POST ["/app/installations/{installation_id}/access_tokens"], APP_INSTALLATION_WRITE;
    SuspendInstallation = "apps/suspend-installation", PUT ["/app/installations/{installation_id}/suspended"], APP_INSTALLATION_WRITE;
    UnsuspendInstallation = "apps/unsuspend-installation", DELETE ["/app/installations/{installation_id}/suspended"], APP_INSTALLATION_WRITE;
    GetRepoInstallation = "apps/get-repo-installation", GET ["/repos/{owner}/{repo}/installation"], APP_INSTALLATION;
    GetOrgInstallation = "apps/get-org-installation", GET ["/orgs/{org}/installation"], APP_INSTALLATION;
    GetUserInstallation = "apps/get-user-installation", GET ["/users/{username}/installation"], APP_INSTALLATION;

    // Hooks of repositories
    ListRepoHooks = "repos/list-webhooks", GET ["/repos/{owner}/{repo}/hooks"], REPO_HOOKS_READ;
    CreateRepoHook = "repos/create-webhook", POST ["/repos/{owner}/{repo}/hooks"], REPO_HOOKS_WRITE;
    GetRepoHook = "repos/get-webhook", GET ["/repos/{owner}/{repo}/hooks/{hook_id}"], REPO_HOOKS_READ;
    UpdateRepoHook = "repos/update-webhook", PATCH ["/repos/{owner}/{repo}/hooks/{hook_id}"], REPO_HOOKS_WRITE;
    DeleteRepoHook = "repos/delete-webhook", DELETE ["/repos/{owner}/{repo}/hooks/{hook_id}"], REPO_HOOKS_DELETE;
    GetRepoHookConfig = "repos/get-webhook-config-for-repo", GET ["/repos/{owner}/{repo}/hooks/{hook_id}/config"], REPO_HOOKS_READ;
    UpdateRepoHookConfig = "repos/update-webhook-config-for-repo", PATCH ["/repos/{owner}/{repo}/hooks/{hook_id}/config"], REPO_HOOKS_WRITE;
    PingRepoHook = "repos/ping-webhook", POST ["/repos/{owner}/{repo}/hooks/{hook_id}/pings"], REPO_HOOKS_WRITE;
    /// `test_url` of a hook has the second path.
    TestRepoHook = "repos/test-push-webhook", POST ["/repos/{owner}/{repo}/hooks/{hook_id}/tests", "/repos/{owner}/{repo}/hooks/{hook_id}/test"], REPO_HOOKS_WRITE;
    ListRepoHookDeliveries = "repos/list-webhook-deliveries", GET ["/repos/{owner}/{repo}/hooks/{hook_id}/deliveries"], REPO_HOOKS_READ;
    GetRepoHookDelivery = "repos/get-webhook-delivery", GET ["/repos/{owner}/{repo}/hooks/{hook_id}/deliveries/{delivery_id}"], REPO_HOOKS_READ;
    RedeliverRepoHook = "repos/redeliver-webhook-delivery", POST ["/repos/{owner}/{repo}/hooks/{hook_id}/deliveries/{delivery_id}/attempts"], REPO_HOOKS_WRITE;

    // Hooks of organizations
    ListOrgHooks = "orgs/list-webhooks", GET ["/orgs/{org}/hooks"], ORG_HOOKS_READ;
    CreateOrgHook = "orgs/create-webhook", POST ["/orgs/{org}/hooks"], ORG_HOOKS_WRITE;
    GetOrgHook = "orgs/get-webhook", GET ["/orgs/{org}/hooks/{hook_id}"], ORG_HOOKS_READ;
    UpdateOrgHook = "orgs/update-webhook", PATCH ["/orgs/{org}/hooks/{hook_id}"], ORG_HOOKS_WRITE;
    DeleteOrgHook = "orgs/delete-webhook", DELETE ["/orgs/{org}/hooks/{hook_id}"], ORG_HOOKS_WRITE;
    GetOrgHookConfig = "orgs/get-webhook-config-for-org", GET ["/orgs/{org}/hooks/{hook_id}/config"], ORG_HOOKS_READ;
    UpdateOrgHookConfig = "orgs/update-webhook-config-for-org", PATCH ["/orgs/{org}/hooks/{hook_id}/config"], ORG_HOOKS_WRITE;
    PingOrgHook = "orgs/ping-webhook", POST ["/orgs/{org}/hooks/{hook_id}/pings"], ORG_HOOKS_WRITE;
    ListOrgHookDeliveries = "orgs/list-webhook-deliveries", GET ["/orgs/{org}/hooks/{hook_id}/deliveries"], ORG_HOOKS_READ;
    GetOrgHookDelivery = "orgs/get-webhook-delivery", GET ["/orgs/{org}/hooks/{hook_id}/deliveries/{delivery_id}"], ORG_HOOKS_READ;
    RedeliverOrgHook = "orgs/redeliver-webhook-delivery", POST ["/orgs/{org}/hooks/{hook_id}/deliveries/{delivery_id}/attempts"], ORG_HOOKS_WRITE;

    // The hook of an app
    GetAppHookConfig = "apps/get-webhook-config-for-app", GET ["/app/hook/config"], APP;
    UpdateAppHookConfig = "apps/update-webhook-config-for-app", PATCH ["/app/hook/config"], APP_WRITE;
    ListAppHookDeliveries = "apps/list-webhook-deliveries", GET ["/app/hook/deliveries"], APP;
    GetAppHookDelivery = "apps/get-webhook-delivery", GET ["/app/hook/deliveries/{delivery_id}"], APP;
    RedeliverAppHook = "apps/redeliver-webhook-delivery", POST ["/app/hook/deliveries/{delivery_id}/attempts"], APP_WRITE;

    // Signing in without a browser
    CreateDeviceCode = "oauth/create-device-code", POST ["/login/device/code"], SIGN_IN;
    CreateOAuthToken = "oauth/create-access-token", POST ["/login/oauth/access_token"], SIGN_IN;
    GetDevice = "oauth/get-device", GET ["/login/device/approve"], Rule { kinds: Kinds::CLASSIC, ..OWN };
    ApproveDevice = "oauth/approve-device", POST ["/login/device/approve"], Rule { kinds: Kinds::CLASSIC, action: Action::Write, ..OWN };

    // The description and the pages
    GetDescription = "web/get-description", GET ["/openapi.json"], FREE;
    ShowDocs = "web/show-docs", GET ["/docs"], FREE;
    GetStylesheet = "web/get-stylesheet", GET ["/docs/explorer.css"], FREE;
    GetScript = "web/get-script", GET ["/docs/explorer.js"], FREE;
    GetIcon = "web/get-icon", GET ["/favicon.svg", "/favicon.ico"], FREE;
    GetAvatar = "web/get-avatar", GET ["/avatars/{id}"], FREE;
}
