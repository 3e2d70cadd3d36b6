//! A full disk: writes are rejected, reads continue, and nothing acknowledged is lost.

use std::path::Path;
use std::process::Command;

use crate::support::Tester;
use plinth_base::error::{Error, Result};
use plinth_store::{Durability, Location, Store, Value};

/// A small file system, which only root can mount.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount(size: &str) -> Option<Self> {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let mounted = run(&["mount", "-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"], directory.path());
        mounted.then_some(Self(directory))
    }

    fn grow(&self, size: &str) {
        assert!(run(&["mount", "-o", &format!("remount,size={size}")], self.0.path()), "the disk grows");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        run(&["umount", "-l"], self.0.path());
    }
}

fn run(words: &[&str], directory: &Path) -> bool {
    Command::new(words[0]).args(&words[1..]).arg(directory).output().is_ok_and(|output| output.status.success())
}

async fn put(store: &Store, number: i64) -> Result<()> {
    let write = store.write(Tester, number, |tx, number| {
        Box::pin(async move {
            let (name, value) = (format!("row-{number}"), vec![7u8; 8_000]);
            tx.execute(
                "insert into setting (name, value) values ($1, $2)",
                &[Value::Text(&name), Value::Bytes(&value)],
            )
            .await?;
            Ok(())
        })
    });
    write.await
}

async fn rows(store: &Store) -> i64 {
    let mut db = store.read().await.expect("reading goes on");
    let (count,) =
        db.one::<(i64,)>("select count(*) from setting where name like 'row-%'", &[]).await.expect("reading goes on");
    count
}

#[tokio::test]
async fn full_disk_rejects_writes_and_recovers() {
    let Some(disk) = SmallDisk::mount("3m") else {
        println!("skipped: mounting a small file system requires root");
        return;
    };
    let file = disk.0.path().join("plinth.db");
    let store = Store::open(&Location::Sqlite { file, durability: Durability::PowerCut }).await.expect("it fits");
    let mut acknowledged = 0;
    let mut rejections = 0;
    for number in 0..2_000 {
        match put(&store, number).await {
            Ok(()) => acknowledged += 1,
            Err(Error::Unavailable(_)) => rejections += 1,
            Err(other) => panic!("a full disk is no fault of ours: {other:?}"),
        }
        assert_eq!(rows(&store).await, acknowledged, "after {number}");
        if rejections == 10 {
            break;
        }
    }
    assert!(rejections == 10 && acknowledged > 20, "{acknowledged} rows, {rejections} rejections");
    disk.grow("30m");
    for number in 10_000..10_050 {
        put(&store, number).await.expect("there is room again");
        acknowledged += 1;
    }
    assert_eq!(rows(&store).await, acknowledged);
    let mut db = store.read().await.expect("the store can be read");
    let (result,) = db
        .one::<(String,)>("select integrity_check from pragma_integrity_check", &[])
        .await
        .expect("the store can be read");
    assert_eq!(result, "ok");
}
