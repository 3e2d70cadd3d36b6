//! The bytes of one connection on their way to hyper and back, with an eye on what they are and how fast they move.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use super::connections::Tracked;
use super::framing::Framing;
use super::head::{self, Head};
use super::http_service::HttpService;
use super::rejection;

/// How much is read at once while a head is coming.
const READ_LENGTH: usize = 4096;
/// After a rejection, how long and how much is still read: a client that is still sending would not see the response.
const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES_MAX: usize = 1024 * 1024;

/// A connection as hyper sees it. A head that is no request never gets there: hyper sees the end of the input instead, and
/// the response to it is written when hyper has written everything else.
pub struct Stream {
    inner: TcpStream,
    tracked: Arc<Tracked>,
    service: HttpService,
    expected: Expected,
    /// What was read and not yet passed on; the first `checked` bytes of it may be.
    pending: BytesMut,
    checked: usize,
    is_blocked: bool,
    rejection: Option<Bytes>,
    lingering: Option<(Pin<Box<Sleep>>, usize)>,
}

/// What the next byte belongs to.
enum Expected {
    /// To HTTP/2, which has its own beginnings and ends.
    Http2,
    Head,
    Body(Framing),
}

impl Stream {
    /// A connection of which `read` has been read already.
    pub fn http1(inner: TcpStream, read: BytesMut, tracked: Arc<Tracked>, service: HttpService) -> Self {
        Self::new(inner, read, Expected::Head, tracked, service)
    }

    pub fn http2(inner: TcpStream, read: BytesMut, tracked: Arc<Tracked>, service: HttpService) -> Self {
        let checked = read.len();
        Self { checked, ..Self::new(inner, read, Expected::Http2, tracked, service) }
    }

    fn new(
        inner: TcpStream,
        pending: BytesMut,
        expected: Expected,
        tracked: Arc<Tracked>,
        service: HttpService,
    ) -> Self {
        let (checked, is_blocked, rejection, lingering) = (0, false, None, None);
        Self { inner, tracked, service, expected, pending, checked, is_blocked, rejection, lingering }
    }

    /// Whether the bytes at hand settle what comes next; if not, more have to be read.
    fn look(&mut self) -> bool {
        match &mut self.expected {
            Expected::Http2 => false,
            Expected::Body(framing) => {
                self.checked = framing.take(&self.pending);
                if framing.is_over() {
                    self.expected = Expected::Head;
                }
                self.checked > 0
            }
            Expected::Head if self.pending.is_empty() => false,
            Expected::Head => match head::check(&self.pending) {
                Head::Partial => {
                    self.tracked.activity().head_began(Instant::now());
                    false
                }
                Head::Complete(length, framing) => {
                    self.checked = length;
                    self.expected = if framing.is_over() { Expected::Head } else { Expected::Body(framing) };
                    self.tracked.activity().request_began(Instant::now());
                    true
                }
                Head::Malformed(error) => {
                    self.rejection = Some(rejection::render(self.service.respond_malformed(&error)));
                    true
                }
            },
        }
    }

    fn pass_on(&mut self, buffer: &mut ReadBuf<'_>) {
        let count = self.checked.min(buffer.remaining());
        buffer.put_slice(&self.pending[..count]);
        self.pending.advance(count);
        self.checked -= count;
    }

    /// Reads a part of a head. A head without the end of a line is looked at only when it begins and when it is too long.
    fn poll_more(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Read>> {
        // Not zeros, which would be written for every head.
        let mut space = [MaybeUninit::uninit(); READ_LENGTH];
        let mut buffer = ReadBuf::uninit(&mut space);
        ready!(Pin::new(&mut self.inner).poll_read(context, &mut buffer))?;
        let new = buffer.filled();
        if new.is_empty() {
            return Poll::Ready(Ok(Read::End));
        }
        let is_first = self.pending.is_empty();
        self.pending.extend_from_slice(new);
        let is_worth_a_look = is_first || new.contains(&b'\n') || self.pending.len() >= head::HEAD_BYTES_MAX;
        Poll::Ready(Ok(if is_worth_a_look { Read::Some } else { Read::SameLine }))
    }

    /// Reads a part of a body straight into hyper's buffer, and keeps what comes after its end.
    fn poll_body(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer)?;
        let Expected::Body(framing) = &mut self.expected else { return read.map(Ok) };
        if read.is_pending() {
            self.tracked.activity().body_awaited();
            return Poll::Pending;
        }
        self.tracked.activity().body_came(Instant::now());
        let new = &buffer.filled()[before..];
        let taken = framing.take(new);
        self.pending.extend_from_slice(&new[taken..]);
        if framing.is_over() {
            self.expected = Expected::Head;
        }
        buffer.set_filled(before + taken);
        Poll::Ready(Ok(()))
    }

    fn note_write(&mut self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Pending => {
                self.is_blocked = true;
                self.tracked.activity().write_blocked(Instant::now());
            }
            Poll::Ready(Ok(count)) if self.is_blocked => self.tracked.activity().wrote(*count, Instant::now()),
            Poll::Ready(_) => {}
        }
    }

    /// Reads and forgets until the client has closed, or has had enough time to read the response.
    fn poll_linger(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let (deadline, left) =
            self.lingering.get_or_insert_with(|| (Box::pin(tokio::time::sleep(LINGER)), LINGER_BYTES_MAX));
        loop {
            if deadline.as_mut().poll(context).is_ready() || *left == 0 {
                return Poll::Ready(());
            }
            let mut space = [MaybeUninit::uninit(); READ_LENGTH];
            let mut buffer = ReadBuf::uninit(&mut space);
            match ready!(Pin::new(&mut self.inner).poll_read(context, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => *left = left.saturating_sub(buffer.filled().len()),
                Ok(()) | Err(_) => return Poll::Ready(()),
            }
        }
    }
}

/// What reading for a head brought.
enum Read {
    Some,
    /// More of the same line, which settles nothing.
    SameLine,
    End,
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.checked > 0 {
            this.pass_on(buffer);
            return Poll::Ready(Ok(()));
        }
        match &this.expected {
            Expected::Http2 => return Pin::new(&mut this.inner).poll_read(context, buffer),
            Expected::Body(_) if this.pending.is_empty() => return this.poll_body(context, buffer),
            Expected::Body(_) | Expected::Head => {}
        }
        while this.rejection.is_none() {
            if this.look() {
                if this.checked > 0 {
                    this.pass_on(buffer);
                    return Poll::Ready(Ok(()));
                }
                break;
            }
            loop {
                match ready!(this.poll_more(context))? {
                    Read::Some => break,
                    Read::SameLine => {}
                    Read::End => return Poll::Ready(Ok(())),
                }
            }
        }
        // Hyper takes the end of the input for the end of the client, so the requests before this one come first.
        let mut activity = this.tracked.activity();
        if activity.is_in_flight() {
            activity.wake_when_finished(context.waker());
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.note_write(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(context, pieces);
        self.note_write(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    /// Called when everything has been written.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if std::mem::take(&mut self.is_blocked) {
            self.tracked.activity().flushed();
        }
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(response) = self.rejection.clone().filter(|response| !response.is_empty()) {
            let count = ready!(self.as_mut().poll_write(context, &response))?;
            self.rejection = Some(response.slice(count..));
        }
        ready!(Pin::new(&mut self.inner).poll_shutdown(context))?;
        if self.rejection.is_some() {
            ready!(self.poll_linger(context));
        }
        Poll::Ready(Ok(()))
    }
}
