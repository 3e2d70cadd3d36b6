//! Tests of which connection is closed for another one.

use super::*;

fn connections(all: usize, per_peer: usize) -> Arc<Connections> {
    Connections::new(Limits { all, per_peer, proxies: vec![address("10.0.0.9").into()] })
}

fn address(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

fn admit(open: &Arc<Connections>, peer: &str, now: Instant) -> Option<Ticket> {
    match open.admit(address(peer), now) {
        Decision::Admitted(ticket) => Some(ticket),
        Decision::Later(_) | Decision::Rejected => None,
    }
}

fn is_closed(ticket: &Ticket) -> bool {
    !ticket.connections.open.lock().by_id.contains_key(&ticket.tracked.id)
}

#[test]
fn the_longest_silent_connection_makes_room() {
    let (open, now) = (connections(2, 2), Instant::now());
    let later = |seconds: u64| now + Duration::from_secs(seconds);
    let idle = admit(&open, "10.0.0.1", now).expect("room");
    idle.tracked.activity().request_began(now);
    idle.tracked.activity().request_ended(now);
    let silent = admit(&open, "10.0.0.2", later(1)).expect("room");
    let third = admit(&open, "10.0.0.3", later(2)).expect("room is made");
    assert!(is_closed(&silent) && !is_closed(&idle), "one that was of use stays longer");
    let fourth = admit(&open, "10.0.0.4", later(3)).expect("room is made");
    assert!(is_closed(&third) && fourth.tracked.admission == Admission::Served);
}

#[test]
fn busy_connections_stay_and_newcomers_go_to_the_reserve() {
    let (open, now) = (connections(1, 1), Instant::now());
    let busy = admit(&open, "10.0.0.1", now).expect("room");
    busy.tracked.activity().request_began(now);
    let reserve: Vec<Ticket> = (0..RESERVE_MAX).filter_map(|_| admit(&open, "10.0.0.2", now)).collect();
    assert!(reserve.iter().all(|ticket| ticket.tracked.admission == Admission::Reserve));
    let now = now + FIRST_REQUEST_GRACE;
    let last = admit(&open, "10.0.0.3", now).expect("a silent one goes");
    assert_eq!(reserve.iter().filter(|ticket| is_closed(ticket)).count(), 1);
    reserve.iter().chain([&last]).for_each(|ticket| ticket.tracked.activity().request_began(now));
    assert!(admit(&open, "10.0.0.4", now).is_none());
    assert!(!is_closed(&busy));
    drop((busy, reserve, last));
    assert_eq!(open.len(), 0);
    assert!(open.open.lock().served_by_peer.is_empty() && open.open.lock().reserve == 0);
}

#[test]
fn a_crowd_of_newcomers_waits_for_a_moment() {
    let (open, now) = (connections(2, 2), Instant::now());
    let _first = [admit(&open, "10.0.0.1", now), admit(&open, "10.0.0.2", now)];
    assert!(matches!(open.admit(address("10.0.0.3"), now), Decision::Later(pause) if pause == FIRST_REQUEST_GRACE));
    let later = admit(&open, "10.0.0.3", now + FIRST_REQUEST_GRACE).expect("room is made");
    assert_eq!(later.tracked.admission, Admission::Served);
}

#[test]
fn newcomer_does_not_wait_while_another_connection_can_be_closed() {
    let (open, start) = (connections(2, 2), Instant::now());
    let stalled = admit(&open, "10.0.0.1", start).expect("room");
    stalled.tracked.activity().request_began(start);
    stalled.tracked.activity().body_awaited();
    let now = start + Duration::from_secs(2);
    let new = admit(&open, "10.0.0.2", now).expect("room");
    let newcomer = admit(&open, "10.0.0.3", now).expect("room is made at once");
    assert!(is_closed(&stalled) && !is_closed(&new));
    assert_eq!(newcomer.tracked.admission, Admission::Served);
}

#[test]
fn one_peer_has_only_its_part_and_a_proxy_more() {
    let (open, now) = (connections(10, 2), Instant::now());
    let mut from = |text: &str| {
        let ticket = admit(&open, text, now).expect("room");
        ticket.tracked.activity().request_began(now);
        ticket
    };
    let of_one: Vec<Ticket> = (0..3).map(|_| from("10.0.0.1")).collect();
    assert_eq!(of_one[1].tracked.admission, Admission::Served);
    assert_eq!(of_one[2].tracked.admission, Admission::Reserve);
    let of_network: Vec<Ticket> = ["2001:db8::1", "2001:db8::2", "2001:db8::3"].into_iter().map(&mut from).collect();
    assert_eq!(of_network[2].tracked.admission, Admission::Reserve);
    let of_proxy: Vec<Ticket> = (0..4).map(|_| from("10.0.0.9")).collect();
    assert!(of_proxy.iter().all(|ticket| ticket.tracked.admission == Admission::Served));
}
