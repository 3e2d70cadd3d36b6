//! F11: a thousand clients that send and read slowly. All others are served as before.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::client::Client;
use crate::settings::{best_of_three, figure, percentile, progress, sized};
use crate::subject::{REPO, SLOW_TOKEN, Subject, TOKEN};

const SLOW: usize = 1000;
/// Below this, a factor means nothing.
const NOISE: Duration = Duration::from_millis(50);
const PAUSE: Duration = Duration::from_millis(5);

/// The harm to a normal client, if any.
fn harm(before: &mut [Duration], during: &mut [Duration], failed: usize) -> Option<String> {
    if failed > 0 {
        return Some(format!("{failed} requests failed"));
    }
    // On a shared machine, the tail means little within a few seconds.
    let share = sized(0.9, 0.99);
    let (before, during) = (percentile(before, share), percentile(during, share));
    (during > (before * 2).max(before + NOISE)).then(|| format!("p{share} went from {before:?} to {during:?}"))
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F11"]
fn f11_slow_clients_do_not_affect_others() {
    let subject = Subject::start(None, &[]);
    let time = Duration::from_secs(sized(4, 60));
    let memory = subject.memory();
    let measured = best_of_three(|| {
        let (mut before, failed) = serve(&subject, time / 3);
        assert_eq!(failed, 0, "before anything is slow");
        let (mut during, failed, open) = with_slow_clients(&subject, time);
        harm(&mut before, &mut during, failed).map_or(Ok((before, during, open)), Err)
    });
    let (mut before, mut during, open) = measured.expect("slow clients harm nobody");
    figure(&format!(
        "F11: p99 {:.2?} alone, {:.2?} with {open} slow clients; {} MiB more memory",
        percentile(&mut before, 0.99),
        percentile(&mut during, 0.99),
        subject.memory().saturating_sub(memory) >> 20
    ));
    // The control: a server that stalls now and then must be detected.
    let (mut stalled, failed) = std::thread::scope(|scope| {
        let serving = scope.spawn(|| serve(&subject, Duration::from_secs(2)));
        for _ in 0..6 {
            subject.server().signal(Signal::STOP);
            std::thread::sleep(Duration::from_millis(300));
            subject.server().signal(Signal::CONT);
            std::thread::sleep(Duration::from_millis(20));
        }
        serving.join().expect("a client does not panic")
    });
    assert!(harm(&mut before, &mut stalled, failed).is_some(), "nobody would notice harm");
}

/// The times of a normal client's requests, and how many failed.
fn serve(subject: &Subject, time: Duration) -> (Vec<Duration>, usize) {
    let (mut times, mut failed) = (Vec::new(), 0);
    let started = Instant::now();
    while started.elapsed() < time {
        // A new connection each time, because slow clients exhaust connections.
        let mut client = Client::new(subject.server().address, TOKEN).with_timeout(Duration::from_secs(5));
        let begun = Instant::now();
        let is_good = client.get(&format!("{REPO}/git/ref/heads/main")).is_ok_and(|response| response.status == 200);
        failed += usize::from(!is_good);
        times.push(begun.elapsed());
        std::thread::sleep(PAUSE);
    }
    (times, failed)
}

fn with_slow_clients(subject: &Subject, time: Duration) -> (Vec<Duration>, usize, usize) {
    let (stop, open) = (AtomicBool::new(false), AtomicUsize::new(0));
    let address = subject.server().address;
    std::thread::scope(|scope| {
        scope.spawn(|| be_slow(address, &stop, &open));
        let started = Instant::now();
        while open.load(Ordering::SeqCst) < SLOW {
            assert!(started.elapsed() < Duration::from_secs(30), "{open:?} slow clients are connected");
            std::thread::sleep(Duration::from_millis(10));
        }
        progress(&format!("F11: {SLOW} slow clients are connected"));
        let (times, failed) = serve(subject, time);
        let at_end = open.load(Ordering::SeqCst);
        stop.store(true, Ordering::SeqCst);
        (times, failed, at_end)
    })
}

/// Keeps connections open that send a byte every few seconds; closed ones are replaced.
fn be_slow(address: SocketAddr, stop: &AtomicBool, open: &AtomicUsize) {
    let mut clients: Vec<Option<TcpStream>> = (0..SLOW).map(|_| None).collect();
    while !stop.load(Ordering::SeqCst) {
        for (index, slot) in clients.iter_mut().enumerate() {
            let is_open = slot.as_mut().is_some_and(|stream| stream.write_all(b"x").is_ok());
            if !is_open {
                *slot = connect(address, index);
            }
            // One by one, as independent clients do: a burst of a thousand is another case.
            std::thread::sleep(Duration::from_millis(2));
            if stop.load(Ordering::SeqCst) {
                break;
            }
        }
        open.store(clients.iter().flatten().count(), Ordering::SeqCst);
    }
}

/// A third each: headers that do not end, a body that does not end, a push that does not begin.
fn connect(address: SocketAddr, index: usize) -> Option<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, Duration::from_secs(5)).ok()?;
    stream.set_write_timeout(Some(Duration::from_millis(200))).ok()?;
    let token = format!("authorization: Bearer {SLOW_TOKEN}");
    let begin = match index % 3 {
        0 => "GET /meta HTTP/1.1\r\nhost: x\r\nx-slow: ".to_owned(),
        1 => format!("POST /user/repos HTTP/1.1\r\nhost: x\r\n{token}\r\ncontent-length: 1000\r\n\r\n"),
        _ => format!(
            "POST /slow/slow.git/git-receive-pack HTTP/1.1\r\nhost: x\r\n{token}\r\n\
             content-type: application/x-git-receive-pack-request\r\ncontent-length: 100000\r\n\r\n"
        ),
    };
    (&stream).write_all(begin.as_bytes()).ok()?;
    Some(stream)
}
