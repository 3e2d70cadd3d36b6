//! Clones and fetches in both protocols: complete, shallow and partial.

use super::host::{Host, OWNER};

const PROTOCOLS: [&str; 2] = ["protocol.version=0", "protocol.version=2"];

async fn filled() -> Host {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", 5).await;
    host.git("work", &["tag", "light"]).await.ok();
    host.git("work", &["tag", "-a", "-m", "a tag", "v1", "HEAD~1"]).await.ok();
    host.git("work", &["branch", "feature", "HEAD~2"]).await.ok();
    host.git("work", &["push", "--quiet", "origin", "--all"]).await.ok();
    host.git("work", &["push", "--quiet", "origin", "--tags"]).await.ok();
    host
}

#[tokio::test]
async fn clone_has_all_refs_and_checks_out_default_branch() {
    let host = filled().await;
    let tip = host.git("work", &["rev-parse", "main"]).await.ok();
    for (index, protocol) in PROTOCOLS.iter().enumerate() {
        let directory = format!("clone{index}");
        host.git("", &["-c", protocol, "clone", "--quiet", &host.open_url("octo-org/hello"), &directory]).await.ok();
        assert_eq!(host.git(&directory, &["rev-parse", "HEAD"]).await.ok(), tip);
        assert_eq!(host.git(&directory, &["symbolic-ref", "HEAD"]).await.ok(), "refs/heads/main");
        assert_eq!(host.git(&directory, &["tag"]).await.ok(), "light\nv1");
        assert_eq!(host.git(&directory, &["rev-list", "--count", "--all"]).await.ok(), "5");
        host.git(&directory, &["rev-parse", "--verify", "origin/feature"]).await.ok();
        host.git(&directory, &["fsck", "--strict"]).await.ok();
    }
}

#[tokio::test]
async fn both_protocols_advertise_same_refs() {
    let host = filled().await;
    let mut responses = Vec::new();
    for protocol in PROTOCOLS {
        let url = host.open_url("octo-org/hello");
        responses.push(host.git("", &["-c", protocol, "ls-remote", "--symref", &url]).await.ok());
    }
    assert_eq!(responses[0], responses[1]);
    let names: Vec<&str> = responses[0].lines().filter_map(|line| Some(line.split_once('\t')?.1)).collect();
    let expected =
        ["HEAD", "HEAD", "refs/heads/feature", "refs/heads/main", "refs/tags/light", "refs/tags/v1", "refs/tags/v1^{}"];
    assert_eq!(names, expected);
    assert!(responses[0].starts_with("ref: refs/heads/main\tHEAD\n"));
    let peeled = host.git("work", &["rev-parse", "v1^{}"]).await.ok();
    assert!(responses[0].contains(&format!("{peeled}\trefs/tags/v1^{{}}")));
}

#[tokio::test]
async fn ref_prefixes_limit_advertisement() {
    let host = filled().await;
    let url = host.open_url("octo-org/hello");
    let listed = host.git("", &["-c", "protocol.version=2", "ls-remote", "--heads", &url, "main"]).await.ok();
    assert!(listed.ends_with("refs/heads/main") && listed.lines().count() == 1, "{listed}");
}

#[tokio::test]
async fn fetch_transfers_only_new_objects() {
    let host = filled().await;
    for (index, protocol) in PROTOCOLS.iter().enumerate() {
        let directory = format!("clone{index}");
        host.git("", &["-c", protocol, "clone", "--quiet", &host.open_url("octo-org/hello"), &directory]).await.ok();
        let tip = host.commit("work", "new.txt", &format!("{index}\n")).await;
        host.git("work", &["tag", "-a", "-m", "later", &format!("later{index}")]).await.ok();
        host.git("work", &["push", "--quiet", "--follow-tags", "origin", "main"]).await.ok();
        host.git(&directory, &["-c", protocol, "fetch", "--quiet"]).await.ok();
        assert_eq!(host.git(&directory, &["rev-parse", "origin/main"]).await.ok(), tip);
        host.git(&directory, &["rev-parse", "--verify", &format!("refs/tags/later{index}")]).await.ok();
        host.git(&directory, &["fsck", "--strict"]).await.ok();
    }
}

#[tokio::test]
async fn shallow_clone_has_one_commit_and_deepens() {
    let host = filled().await;
    for (index, protocol) in PROTOCOLS.iter().enumerate() {
        let directory = format!("clone{index}");
        let url = host.open_url("octo-org/hello");
        host.git("", &["-c", protocol, "clone", "--quiet", "--depth", "1", &url, &directory]).await.ok();
        assert_eq!(host.git(&directory, &["rev-list", "--count", "HEAD"]).await.ok(), "1");
        host.git(&directory, &["-c", protocol, "fetch", "--quiet", "--deepen", "2"]).await.ok();
        assert_eq!(host.git(&directory, &["rev-list", "--count", "HEAD"]).await.ok(), "3");
        host.git(&directory, &["-c", protocol, "fetch", "--quiet", "--unshallow"]).await.ok();
        assert_eq!(host.git(&directory, &["rev-list", "--count", "HEAD"]).await.ok(), "5");
    }
}

#[tokio::test]
async fn partial_clone_fetches_blobs_on_demand() {
    let host = filled().await;
    for (index, protocol) in PROTOCOLS.iter().enumerate() {
        let directory = format!("clone{index}");
        let url = host.open_url("octo-org/hello");
        let clone = ["-c", protocol, "clone", "--quiet", "--no-checkout", "--filter=blob:none", &url, &directory];
        host.git("", &clone).await.ok();
        let missing = ["rev-list", "--objects", "--all", "--missing=print"];
        assert_eq!(host.git(&directory, &missing).await.ok().matches('?').count(), 5);
        host.git(&directory, &["-c", protocol, "checkout", "--quiet", "main"]).await.ok();
        assert_eq!(host.git(&directory, &missing).await.ok().matches('?').count(), 4);
        assert_eq!(std::fs::read_to_string(host.path(&directory).join("file.txt")).unwrap(), "5\n");
    }
}

#[tokio::test]
async fn empty_clone_names_unborn_branch() {
    let host = Host::start().await;
    for (index, protocol) in PROTOCOLS.iter().enumerate() {
        let directory = format!("clone{index}");
        host.git("", &["-c", protocol, "clone", "--quiet", &host.open_url("octo-org/hello"), &directory]).await.ok();
        assert_eq!(host.git(&directory, &["symbolic-ref", "HEAD"]).await.ok(), "refs/heads/main");
    }
}

#[tokio::test]
async fn fetch_advertisement_of_empty_repository_has_no_line_for_capabilities() {
    let host = Host::start().await;
    let advertised = |service: &'static str| {
        let client = host.service.with_token(OWNER);
        async move { client.get(&format!("/octo-org/hello.git/info/refs?service={service}")).await.expect(200).body }
    };
    assert_eq!(advertised("git-upload-pack").await, "001e# service=git-upload-pack\n00000000");
    let push = String::from_utf8(advertised("git-receive-pack").await.to_vec()).expect("text");
    assert!(push.contains(" capabilities^{}\0") && push.contains(" push-options "), "{push}");
}

#[tokio::test]
async fn fetch_in_protocol_0_includes_annotated_tags() {
    let host = filled().await;
    let url = host.open_url("octo-org/hello");
    host.git("", &["init", "--quiet", "clone"]).await.ok();
    host.git("clone", &["remote", "add", "origin", &url]).await.ok();
    let tag = host.git("work", &["rev-parse", "v1"]).await.ok();
    let mut fetch = host.command("clone", &["-c", "protocol.version=0", "fetch", "--quiet", "origin"]);
    let output = fetch.env("GIT_TRACE_PACKET", "1").output().await.expect("git runs");
    let trace = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{trace}");
    let wants: Vec<&str> = trace.lines().filter(|line| line.contains("> want ")).collect();
    assert!(wants.iter().any(|line| line.contains(" include-tag")), "{trace}");
    assert!(!wants.iter().any(|line| line.contains(&tag)), "{trace}");
    assert_eq!(host.git("clone", &["rev-parse", "v1"]).await.ok(), tag);
}

#[tokio::test]
async fn protocol_2_advertises_wait_for_done() {
    let host = filled().await;
    let client = host.service.anonymous().header("git-protocol", "version=2");
    let response = client.get("/octo-org/hello.git/info/refs?service=git-upload-pack").await.expect(200);
    let text = String::from_utf8_lossy(&response.body).into_owned();
    assert!(text.contains("fetch=shallow wait-for-done filter\n"), "{text}");
    let tip = host.git("work", &["rev-parse", "HEAD"]).await.ok();
    let url = host.open_url("octo-org/hello");
    host.git("", &["clone", "--quiet", &url, "clone"]).await.ok();
    let tips = ["-c", "protocol.version=2", "fetch", "--negotiate-only", "--negotiation-tip=main", "origin"];
    assert_eq!(host.git("clone", &tips).await.ok(), tip);
}

#[tokio::test]
async fn clone_url_works_without_suffix_and_in_any_case() {
    let host = filled().await;
    for repo in ["octo-org/hello", "octo-org/hello.git", "Octo-Org/HELLO.git"] {
        let url = format!("http://{}/{repo}", host.address);
        assert!(host.git("", &["ls-remote", &url]).await.ok().contains("refs/heads/main"), "{repo}");
    }
}

#[tokio::test]
async fn negotiation_supports_gzip_and_several_rounds() {
    let host = filled().await;
    host.git("", &["clone", "--quiet", &host.open_url("octo-org/hello"), "clone"]).await.ok();
    let mut stream = String::new();
    for mark in 1..=600 {
        stream.push_str(&format!(
            "commit refs/heads/own\nmark :{mark}\ncommitter A <a@example.com> {} +0000\ndata 1\nx\n\n",
            1_800_000_000 + mark
        ));
    }
    host.git_with("clone", &["fast-import", "--quiet"], stream.as_bytes()).await.ok();
    let tip = host.commit("work", "new.txt", "new\n").await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    for protocol in PROTOCOLS {
        host.git("clone", &["-c", protocol, "fetch", "--quiet", "origin", "main"]).await.ok();
        assert_eq!(host.git("clone", &["rev-parse", "FETCH_HEAD"]).await.ok(), tip);
        host.git("clone", &["update-ref", "-d", "refs/remotes/origin/main"]).await.ok();
    }
}

#[tokio::test]
async fn clone_supports_shallow_exclude_and_shallow_since() {
    let host = filled().await;
    let url = host.open_url("octo-org/hello");
    for (index, protocol) in PROTOCOLS.iter().enumerate() {
        for (name, count) in [("feature", "2"), ("refs/heads/feature", "2"), ("v1", "1")] {
            let directory = format!("clone{index}{}", name.len());
            let exclude = format!("--shallow-exclude={name}");
            host.git("", &["-c", protocol, "clone", "--quiet", &exclude, &url, &directory]).await.ok();
            assert_eq!(host.git(&directory, &["rev-list", "--count", "HEAD"]).await.ok(), count, "{name}");
        }
        let directory = format!("since{index}");
        let since = "--shallow-since=2000-01-01";
        host.git("", &["-c", protocol, "clone", "--quiet", since, &url, &directory]).await.ok();
        assert_eq!(host.git(&directory, &["rev-list", "--count", "HEAD"]).await.ok(), "5");
    }
    let printed = host.git("", &["clone", "--shallow-exclude=nothing", &url, "clone"]).await.rejected();
    assert!(printed.contains("the reference of deepen-not does not exist"), "{printed}");
    host.assert_nothing_left();
}

#[tokio::test]
async fn advertisement_has_more_refs_than_one_page() {
    const COUNT: usize = 2_345;
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", 1).await;
    let tip = host.git("work", &["rev-parse", "HEAD"]).await.ok();
    let names: String = (0..COUNT).map(|number| format!("create refs/tags/t{number} {tip}\n")).collect();
    host.git_with("work", &["update-ref", "--stdin"], names.as_bytes()).await.ok();
    host.git("work", &["push", "--quiet", "--mirror", "origin"]).await.ok();
    for protocol in PROTOCOLS {
        let url = host.open_url("octo-org/hello");
        let listed = host.git("", &["-c", protocol, "ls-remote", "--tags", &url]).await.ok();
        assert_eq!(listed.lines().count(), COUNT);
        let mut sorted: Vec<&str> = listed.lines().collect();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), COUNT);
    }
    host.git("work", &["push", "--quiet", "--mirror", "origin"]).await.ok();
}
