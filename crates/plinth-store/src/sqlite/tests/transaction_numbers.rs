//! Transactions know their generations before the commit.

use super::*;
use crate::{ContentKind, RowKey, params};

const OTHER_REF: &str = "insert into git_ref (repo_id, name, target, kind) values (1, 'refs/heads/b', x'00', 'commit')";
/// SQLite writes nothing if the value is what it was.
const MOVE: &str =
    "update git_ref set kind = case kind when 'tag' then 'commit' else 'tag' end where repo_id = 1 and name = $1";

/// Moves a ref in a transaction for repository A, and returns the generations that the transaction knows. A second move fails.
fn moving(engine: &Engine, name: &'static str, moves: usize) -> impl Future<Output = Result<Generations>> + use<> {
    let label = WriteLabel { operation: "test", scope: A };
    engine.write_unchecked(label, (), move |tx, ()| {
        Box::pin(async move {
            tx.content_only().changes_row(RowKey::of_name(name)).execute(MOVE, params![name]).await?;
            if moves > 1 {
                Err(Error::Conflict("no".into()))
            } else {
                Ok(tx.generations().get().expect("SQLite knows them"))
            }
        })
    })
}

#[tokio::test]
async fn transaction_knows_its_generations_before_the_commit() {
    let (_directory, engine) = opened();
    for sql in [USER, REPO, REF, OTHER_REF] {
        write(&engine, sql, Effect::Rights).await.expect("it is right");
    }
    let row = |name| Dependency::Row(RepoId(1), ContentKind::Refs, RowKey::of_name(name));
    let all = Dependency::Kind(RepoId(1), ContentKind::Refs);
    let (a, b) = ("refs/heads/a", "refs/heads/b");
    for fails in [false, true] {
        let before = now(&engine);
        let (release, released) = std::sync::mpsc::channel::<()>();
        let released = parking_lot::Mutex::new(released);
        let waiting = engine.write_unchecked(label(), released, |_, released| {
            let _ = released.lock().recv();
            Box::pin(async { Ok(()) })
        });
        let release = async move { release.send(()).expect("the writer waits for it") };
        // All in one commit: the third changes what the first has written.
        let last = moving(&engine, a, if fails { 2 } else { 1 });
        let (held, first, second, third, ()) =
            tokio::join!(waiting, moving(&engine, a, 1), moving(&engine, b, 1), last, release);
        held.expect("it does nothing");
        let (first, second) = (first.expect("it is right"), second.expect("it is right"));
        assert!(before < first && first < second && second <= now(&engine));
        let is_unchanged = |since, dependency| engine.shared.changes.is_unchanged_in_group(since, dependency);
        assert!(!is_unchanged(before, row(a)) && !is_unchanged(before, row(b)));
        assert!(is_unchanged(second, row(b)));
        assert!(!is_unchanged(first, row(a)), "a later transaction has changed it, or has tried to");
        assert!(!is_unchanged(first, all), "others of the group have changed more");
        if let Ok(third) = third {
            assert!(!fails && is_unchanged(third, row(a)) && is_unchanged(third, all));
        }
        let next = moving(&engine, a, 1).await.expect("it is right");
        assert!(is_unchanged(next, row(a)) && is_unchanged(next, all) && next == now(&engine));
        assert!(is_unchanged(second, row(b)));
    }
}

#[tokio::test]
async fn generations_of_transactions_that_change_nothing_are_not_used_again() {
    let (_directory, engine) = opened();
    for sql in [USER, REPO, REF] {
        write(&engine, sql, Effect::Rights).await.expect("it is right");
    }
    let known = moving(&engine, "refs/heads/absent", 1).await.expect("it changes nothing");
    let row = Dependency::Row(RepoId(1), ContentKind::Refs, RowKey::of_name("refs/heads/a"));
    assert!(engine.shared.changes.is_unchanged_in_group(known, row));
    moving(&engine, "refs/heads/a", 1).await.expect("it is right");
    assert!(!engine.shared.changes.is_unchanged_in_group(known, row));
}
