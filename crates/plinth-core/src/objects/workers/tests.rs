//! Shares, turns and cancellation.

use std::sync::mpsc;

use super::turns::{LONG_WAITING_MAX, OWNER_LONG_WAITING_MAX, count};
use super::*;

const BUSY: Subject = Subject { repo: RepoId(1), owner: AccountId(1) };
const QUIET: Subject = Subject { repo: RepoId(2), owner: AccountId(2) };

/// Counts until its budget stops it.
fn endless(budget: &Budget) -> Result<()> {
    loop {
        budget.compare(1)?;
    }
}

#[tokio::test]
async fn a_busy_repository_leaves_workers_to_others() {
    let workers = Workers::new(BudgetLimits::default(), Arc::default());
    let (release, released) = mpsc::channel::<()>();
    let released = Arc::new(Mutex::new(released));
    let blocked: Vec<_> = (0..WORKERS_MAX)
        .map(|_| {
            let (workers, released) = (workers.clone(), released.clone());
            tokio::spawn(async move {
                let work = move |_: &Budget| released.lock().recv().map_err(|error| Error::internal(error.to_string()));
                workers.run_within(BUSY, work).await
            })
        })
        .collect();
    while workers.share(ShareKey::Repo(BUSY.repo)).permits.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
    let served = workers.run_within(QUIET, |_| Ok(7)).await;
    assert_eq!(served.expect("there are workers left"), 7);
    (0..WORKERS_MAX).for_each(|_| release.send(()).expect("they wait"));
    for work in blocked {
        work.await.expect("no panic").expect("released");
    }
    assert!(workers.0.shares.lock().is_empty(), "an unused share is removed");
}

#[tokio::test]
async fn dropping_the_request_cancels_its_work() {
    let limits = BudgetLimits { cpu_time: Duration::from_secs(600), compared: u64::MAX, ..Default::default() };
    let workers = Workers::with_turns(limits, Arc::default(), 2);
    let ended = Arc::new(AtomicBool::new(false));
    let request = tokio::spawn({
        let (workers, ended) = (workers.clone(), ended.clone());
        async move {
            let work = move |budget: &Budget| {
                let outcome = endless(budget);
                ended.store(matches!(outcome, Err(Error::Unavailable(_))), Ordering::SeqCst);
                outcome
            };
            workers.run_within(BUSY, work).await
        }
    });
    while workers.0.turns.lock().running.is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    request.abort();
    while !ended.load(Ordering::SeqCst) || !workers.0.turns.lock().running.is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn long_work_releases_its_worker_and_too_much_of_it_is_rejected() {
    let limits = BudgetLimits { cpu_time: Duration::from_secs(600), compared: u64::MAX, ..Default::default() };
    let workers = Workers::with_turns(limits, Arc::default(), 2);
    let long: Vec<_> = (0..LONG_WAITING_MAX + SHARE_MAX)
        .map(|_| {
            let workers = workers.clone();
            tokio::spawn(async move { workers.run_within(BUSY, endless).await })
        })
        .collect();
    let is_full = || count(&workers.0.turns.lock().waiting, BUSY) == LONG_WAITING_MAX;
    while !is_full() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(count(&workers.0.turns.lock().running, BUSY), 1, "half of the turns are for other repositories");
    let mut rejected = 0;
    while rejected == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
        rejected = long.iter().filter(|work| work.is_finished()).count();
    }
    assert_eq!(workers.run_within(BUSY, |_| Ok(7)).await.expect("short work goes on"), 7);
    long.iter().for_each(tokio::task::JoinHandle::abort);
}

#[test]
fn the_repository_with_the_earliest_turn_is_next() {
    let mut turns = Turns::default();
    for repo in [BUSY, QUIET] {
        change(&mut turns.waiting, repo, 2);
    }
    assert!(turns.is_next(BUSY, 2) && !turns.is_next(QUIET, 2));
    turns.begin(BUSY);
    assert!(turns.is_next(QUIET, 2) && !turns.is_next(BUSY, 2), "one has its share, and the other is next");
    turns.begin(QUIET);
    assert!(!turns.is_next(QUIET, 2) && !turns.is_next(BUSY, 2), "all turns are taken");
    change(&mut turns.running, QUIET, -1);
    change(&mut turns.running, BUSY, -1);
    assert!(turns.is_next(BUSY, 2) && !turns.is_next(QUIET, 2), "the turn of the first is longer ago");
}

#[test]
fn more_repositories_of_one_owner_bring_no_more_turns() {
    let of_attacker = |repo| Subject { repo: RepoId(repo), owner: BUSY.owner };
    let mut turns = Turns::default();
    let mut waiting = 0;
    for repo in 10..20 {
        while turns.has_room(of_attacker(repo)) {
            change(&mut turns.waiting, of_attacker(repo), 1);
            waiting += 1;
        }
    }
    assert_eq!(waiting, OWNER_LONG_WAITING_MAX, "an owner cannot fill the queue");
    assert!(turns.has_room(QUIET));
    change(&mut turns.waiting, QUIET, 1);
    turns.begin(of_attacker(10));
    assert!(turns.is_next(QUIET, 2), "the other owner is next, before the attacker's other repositories");
    turns.begin(QUIET);
    change(&mut turns.running, of_attacker(10), -1);
    change(&mut turns.running, QUIET, -1);
    assert!(turns.is_next(of_attacker(11), 2) && !turns.is_next(of_attacker(10), 2), "then the next repository");
}
