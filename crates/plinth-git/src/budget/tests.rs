//! Every limit stops a computation.

use std::time::Instant;

use super::*;
use plinth_base::ids::AccountId;

fn budget(limits: BudgetLimits) -> (Budget, Interest) {
    let cancellation = Arc::new(Cancellation::new(AccountId(1)));
    let interest = cancellation.first_interest();
    (Budget::new(limits, Arc::default(), cancellation, None), interest)
}

fn is_over<T>(outcome: Result<T>) -> bool {
    matches!(outcome, Err(Error::OverBudget(_)))
}

#[test]
fn counter_over_its_limit_is_an_error() {
    let limits =
        BudgetLimits { entries: 3, loaded_bytes: 30, compared: 300, retained_bytes: 3_000, ..Default::default() };
    let (budget, _interest) = budget(limits);
    assert!(budget.visit(3).is_ok() && is_over(budget.visit(1)));
    assert!(budget.load(30).is_ok() && is_over(budget.load(1)));
    assert!(budget.compare(300).is_ok() && is_over(budget.compare(1)));
    assert!(budget.retain(3_000).is_ok() && is_over(budget.retain(1)));
}

#[test]
fn cpu_time_limit_stops_computation() {
    let (budget, _interest) = budget(BudgetLimits { cpu_time: Duration::from_millis(20), ..Default::default() });
    let outcome = (0..1_000_000_000_u64).try_for_each(|_| budget.compare(1));
    assert!(is_over(outcome));
}

#[test]
fn computation_without_waiters_is_cancelled() {
    let (budget, first) = budget(BudgetLimits { cpu_time: Duration::from_secs(600), ..Default::default() });
    let second = budget.cancellation().join();
    drop(first);
    assert!(budget.check().is_ok(), "somebody else waits");
    drop(second);
    let outcome = (0..STEPS_PER_CHECK).try_for_each(|_| budget.visit(1));
    assert!(matches!(outcome, Err(Error::Unavailable(_))));
}

#[test]
fn section_starts_at_zero_and_adds_to_the_total() {
    let (budget, _interest) = budget(BudgetLimits { entries: 10, ..Default::default() });
    budget.visit(8).expect("within the budget");
    budget.section(|| budget.visit(8)).expect("a section begins at zero");
    assert!(is_over(budget.visit(1)), "both count together");
}

#[test]
fn repository_cannot_reserve_more_than_its_share() {
    let memory: Arc<Memory> = Arc::default();
    let budget_of = |repo| {
        let cancellation = Arc::new(Cancellation::new(AccountId(repo)));
        let interest = cancellation.first_interest();
        (Budget::new(BudgetLimits::default(), memory.clone(), cancellation, None), interest)
    };
    let ((greedy, _first), (other, _second)) = (budget_of(1), budget_of(2));
    let share = 96 << 20;
    let reserved = greedy.reserve(share).expect("its share");
    assert!(is_over(other.reserve(share + 1)), "more than a share never fits");
    assert!(other.reserve(64 << 20).is_ok(), "the rest is for others");
    assert!(is_over(greedy.reserve(1 << 20)), "nobody waits for their own reservation");
    let (waiting, interest) = budget_of(1);
    let waiter = std::thread::spawn(move || waiting.reserve(share).map(|_| Instant::now()));
    let released = Instant::now();
    drop(reserved);
    assert!(waiter.join().expect("no panic").expect("there is room again") >= released);
    drop(interest);
    assert_eq!(memory.reserved_bytes(), 0);
}

#[test]
fn large_result_is_reserved_until_dropped() {
    let (budget, _interest) = budget(BudgetLimits::default());
    budget.retain(10 << 20).expect("within the budget");
    let reserved = budget.take_retained().expect("it is large");
    assert!(reserved.bytes() >= 10 << 20 && budget.memory.reserved_bytes() == reserved.bytes());
    drop(reserved);
    assert_eq!(budget.memory.reserved_bytes(), 0);
}

#[test]
fn long_computation_waits_for_its_turn_once() {
    struct Turns(AtomicU64);
    impl LongWork for Turns {
        fn wait_for_turn(&self) -> Result<()> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Ok(())
        }
    }
    let turns = Arc::new(Turns(AtomicU64::new(0)));
    let limits = BudgetLimits { cpu_time: LONG_AFTER * 3, ..Default::default() };
    let budget = Budget::new(limits, Arc::default(), Arc::default(), Some(turns.clone()));
    assert!(is_over((0..).try_for_each(|_: u64| budget.compare(1))));
    assert_eq!(turns.0.load(Ordering::SeqCst), 1);
}

#[test]
fn unread_responses_leave_memory_for_computations() {
    let memory: Arc<Memory> = Arc::default();
    let reserved = |repo| memory.reservation(&Arc::new(Computation::new(AccountId(repo))));
    let first = reserved(1).send(40 << 20).expect("there is room").expect("it is large");
    assert!(matches!(reserved(1).send(40 << 20), Err(Error::Unavailable(_))), "one repository has its share");
    let _second = reserved(2).send(40 << 20).expect("others have theirs");
    assert!(reserved(3).send(1_000).expect("small ones are always sent").is_none());
    assert_eq!(memory.reserved_bytes(), 0);
    drop(first);
    assert!(reserved(1).send(40 << 20).is_ok());
}
