//! A store with a newer schema is not changed.

use plinth_store::Store;

use crate::support::{TestDatabase, Tester};

#[tokio::test]
async fn newer_schema_is_rejected_with_message() {
    let database = TestDatabase::create().await;
    let store = database.open().await;
    let changed = store.write(Tester, (), |tx, ()| {
        Box::pin(async move { Ok(tx.execute("update schema_version set version = 999", &[]).await?) })
    });
    assert_eq!(changed.await.expect("the store accepts the change"), 1);
    drop(store);
    let Err(rejected) = Store::open(&database.location()).await else { panic!("a newer schema was taken") };
    let text = rejected.to_string();
    assert!(text.contains("schema version 999") && text.contains("use a newer plinth"), "{text}");
}

#[tokio::test]
async fn opening_twice_changes_nothing() {
    let database = TestDatabase::create().await;
    let version = |store: Store| async move {
        let mut db = store.read().await.expect("the store can be read");
        db.all::<(i64,)>("select version from schema_version", &[]).await.expect("the store can be read")
    };
    let first = version(database.open().await).await;
    assert_eq!(version(database.open().await).await, first);
    let location = database.location();
    let (one, two) = tokio::join!(Store::open(&location), Store::open(&location));
    one.and(two).expect("two nodes may start at once").check().await.expect("the store can be read");
}
