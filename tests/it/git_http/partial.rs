//! Partial clones: supported filters, and filters that would cost too much.

use super::host::{Host, OWNER};

async fn clone(host: &Host, version: &str, filter: &str, directory: &str) -> super::host::CommandOutput {
    let (version, filter) = (format!("protocol.version={version}"), format!("--filter={filter}"));
    let url = host.url(OWNER, "octo-org/hello");
    host.git("", &["-c", &version, "clone", "--quiet", "--bare", &filter, &url, directory]).await
}

#[tokio::test]
async fn cheap_object_filters_are_supported() {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", 2).await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    for version in ["0", "2"] {
        for filter in ["blob:none", "blob:limit=1", "blob:limit=1k", "tree:0", "tree:1", "tree:16"] {
            let directory = format!("{version}-{}", filter.replace([':', '='], "-"));
            clone(&host, version, filter, &directory).await.ok();
            let objects = ["rev-list", "--objects", "--all", "--missing=print"];
            let missing = host.git(&directory, &objects).await.ok().matches('?').count();
            let expected = match filter {
                "blob:limit=1k" | "tree:16" => 0,
                "tree:1" => 2,
                _ => 2,
            };
            assert_eq!(missing, expected, "{filter} in version {version}");
        }
    }
}

#[tokio::test]
async fn unsupported_object_filters_fail_with_message_in_git() {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", 2).await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    for version in ["0", "2"] {
        for (number, filter) in [
            "sparse:oid=main:file.txt",
            "combine:blob:none+tree:1",
            "combine:combine:blob:none+tree:1+tree:2",
            "object:type=commit",
            "tree:17",
            "tree:4294967295",
        ]
        .iter()
        .enumerate()
        {
            let printed = clone(&host, version, filter, &format!("{version}-{number}")).await.rejected();
            assert!(
                printed.contains("remote error: the filter is not offered here; use blob:none"),
                "{filter}: {printed}"
            );
        }
    }
    let available = host.service.app.git_permits.available();
    assert_eq!(available, host.service.app.settings.git.processes_max);
}
