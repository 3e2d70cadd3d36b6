//! Many transactions at once, some of which fail.

use futures_util::future::join_all;
use plinth_base::error::{Error, Result};
use plinth_store::{Store, Transaction, Value};

use crate::support::{TestDatabase, Tester};

const INSERT: &str = "insert into setting (name, value) values ($1, $2)";

async fn put(tx: &mut Transaction, name: &str) -> Result<()> {
    tx.execute(INSERT, &[Value::Text(name), Value::Bytes(b"x")]).await?;
    Ok(())
}

async fn count(store: &Store, like: &str) -> i64 {
    let mut db = store.read().await.expect("the store can be read");
    let (count,) = db
        .one::<(i64,)>("select count(*) from setting where name like $1", &[Value::Text(like)])
        .await
        .expect("the store can be read");
    count
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_writes_all_commit() {
    let database = TestDatabase::create().await;
    let store = database.open().await;
    let writes = (0..500).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            store.write(Tester, format!("many-{number}"), |tx, name| Box::pin(async move { put(tx, name).await })).await
        })
    });
    for outcome in join_all(writes).await {
        outcome.expect("no task panics").expect("every write lands");
    }
    assert_eq!(count(&store, "many-%").await, 500);
}

/// Each reads what the others wrote, or is retried until it does.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_increments_all_commit() {
    const INCREMENTS: i64 = 100;
    let database = TestDatabase::create().await;
    let store = database.open().await;
    store.write(Tester, (), |tx, ()| Box::pin(put(tx, "counter"))).await.expect("the row is there");
    let increments = (0..INCREMENTS).map(|_| {
        let store = store.clone();
        tokio::spawn(async move {
            store
                .write(Tester, (), |tx, ()| {
                    Box::pin(async move {
                        let (value,) =
                            tx.one::<(Vec<u8>,)>("select value from setting where name = 'counter'", &[]).await?;
                        let more = [&value[..], b"+"].concat();
                        tx.execute("update setting set value = $1 where name = 'counter'", &[Value::Bytes(&more)])
                            .await?;
                        Ok(())
                    })
                })
                .await
        })
    });
    for outcome in join_all(increments).await {
        outcome.expect("no task panics").expect("every increment lands");
    }
    let mut db = store.read().await.expect("the store can be read");
    let (value,) =
        db.one::<(Vec<u8>,)>("select value from setting where name = 'counter'", &[]).await.expect("the counter");
    assert_eq!(value.len(), 1 + usize::try_from(INCREMENTS).expect("a small number"));
}

/// An error, a broken key or a panic rolls back its own transaction only, even in a shared commit.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn failed_transaction_does_not_affect_others() {
    let database = TestDatabase::create().await;
    let store = database.open().await;
    store.write(Tester, (), |tx, ()| Box::pin(put(tx, "taken"))).await.expect("the first one");
    let writes = (0..200).map(|number: usize| {
        let store = store.clone();
        tokio::spawn(async move {
            let outcome = store
                .write(Tester, number, |tx, number| {
                    Box::pin(async move {
                        put(tx, &format!("before-{number}")).await?;
                        match number % 4 {
                            0 => Err(Error::NotFound),
                            1 => put(tx, "taken").await,
                            2 => panic!("as a test of what follows"),
                            _ => put(tx, &format!("after-{number}")).await,
                        }
                    })
                })
                .await;
            (number, outcome)
        })
    });
    for joined in join_all(writes).await {
        // On PostgreSQL a panic propagates to the caller; on SQLite the writer thread converts it into an error.
        let Ok((number, outcome)) = joined else { continue };
        match number % 4 {
            0 => assert!(matches!(outcome, Err(Error::NotFound)), "{outcome:?}"),
            1 | 2 => assert!(matches!(outcome, Err(Error::Internal(_))), "{outcome:?}"),
            _ => outcome.expect("it has nothing to do with the others"),
        }
    }
    assert_eq!(count(&store, "before-%").await, 50);
    assert_eq!(count(&store, "after-%").await, 50);
    store.write(Tester, (), |tx, ()| Box::pin(put(tx, "still-there"))).await.expect("the store goes on");
}

/// A cancelled caller leaves no partial transaction and no unusable connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cancelled_write_commits_all_or_nothing() {
    let database = TestDatabase::create().await;
    let store = database.open().await;
    for number in 0..50 {
        let write = store.write(Tester, number, |tx, number| {
            Box::pin(async move {
                put(tx, &format!("first-{number}")).await?;
                put(tx, &format!("second-{number}")).await
            })
        });
        let patience = std::time::Duration::from_micros(100 * (number % 10));
        let _ = tokio::time::timeout(patience, write).await;
    }
    store.write(Tester, (), |tx, ()| Box::pin(put(tx, "last"))).await.expect("the store goes on");
    assert_eq!(count(&store, "first-%").await, count(&store, "second-%").await);
}

/// A value that one database cannot store is rejected on both.
#[tokio::test]
async fn text_with_nul_is_neither_stored_nor_found() {
    let database = TestDatabase::create().await;
    let store = database.open().await;
    let rejected = store.write(Tester, (), |tx, ()| Box::pin(put(tx, "a\0b"))).await;
    assert!(matches!(rejected, Err(Error::Unprocessable(_))), "{rejected:?}");
    let mut db = store.read().await.expect("the store can be read");
    let sql = "select name from setting where name = $1";
    let found = db.optional::<(String,)>(sql, &[Value::Text("a\0b")]).await.expect("the store can be read");
    assert_eq!(found, None);
    assert!(db.all::<(String,)>(sql, &[Value::Text("\0")]).await.expect("the store can be read").is_empty());
}
