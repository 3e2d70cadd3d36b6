//! Packs for fetches, built by a git process and forwarded while they are built.

use std::time::{Duration, Instant};

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use futures_util::stream;
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::mpsc;

use super::spool::Spool;
use crate::app::App;
use crate::app::permits::Permit;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{RepoId, Sha};
use plinth_git::{Limits, Protocol, RefName, UploadPack, UploadPackChild};

const PIECE_LENGTH: usize = 64 * 1024;
/// Pieces that may wait for a slow client; then git waits as well.
const PIECES_WAITING_MAX: usize = 4;

/// How long a client may read nothing while others wait for a permit.
const CONTENDED_IDLE_TIMEOUT: Duration = Duration::from_secs(2);

type Piece = std::io::Result<Bytes>;

/// Passes the request to git and returns its output as a stream.
pub async fn serve(
    app: &App,
    repo: RepoId,
    (protocol, names): (Protocol, Vec<(RefName, Sha)>),
    spool: Spool,
    permit: Permit,
) -> Result<Body> {
    let UploadPack { stdin, stdout, child } = start(app, repo, protocol, names).await?;
    let (stdin, stdout) = (ChildStdin::from_std(stdin)?, ChildStdout::from_std(stdout)?);
    tokio::spawn(feed(stdin, spool));
    let (pieces, waiting) = mpsc::channel(PIECES_WAITING_MAX);
    let serving = Serving { child: Some(child), permit };
    tokio::spawn(pass_on(stdout, pieces, serving, app.settings.git.idle_timeout));
    Ok(Body::from_stream(stream::unfold(waiting, |mut waiting| async move {
        let piece: Piece = waiting.recv().await?;
        Some((piece, waiting))
    })))
}

async fn start(app: &App, repo: RepoId, protocol: Protocol, names: Vec<(RefName, Sha)>) -> Result<UploadPack> {
    let limits = Limits { time: app.settings.git.timeout, ..Limits::default() };
    // Git reads only packs.
    app.objects.flush(repo).await?;
    let objects = app.objects.clone();
    app.objects.run(move || objects.repository(repo)?.upload_pack(protocol, limits, &names)).await
}

/// Git may stop reading its input early, which is not an error.
async fn feed(mut stdin: ChildStdin, spool: Spool) {
    let _ = spool.copy_to(&mut stdin).await;
}

/// A git process for one client. It is killed when the client disconnects, and its permit is released.
struct Serving {
    child: Option<UploadPackChild>,
    permit: Permit,
}

impl Drop for Serving {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            // Waiting for the process to exit blocks.
            tokio::task::spawn_blocking(move || drop(child));
        }
    }
}

async fn pass_on(mut stdout: ChildStdout, pieces: mpsc::Sender<Piece>, mut serving: Serving, idle_timeout: Duration) {
    loop {
        let mut buffer = BytesMut::with_capacity(PIECE_LENGTH);
        let read = tokio::select! {
            read = stdout.read_buf(&mut buffer) => read,
            () = pieces.closed() => return,
        };
        let piece = match read {
            Ok(0) => break,
            Ok(_) => Ok(buffer.freeze()),
            Err(error) => Err(error),
        };
        let failed = piece.is_err();
        if !send(&pieces, piece, &serving.permit, idle_timeout).await || failed {
            return;
        }
    }
    drop(stdout);
    let Some(child) = serving.child.take() else { return };
    let ended = tokio::task::spawn_blocking(move || child.wait()).await;
    match ended {
        Ok(Ok(())) => {}
        // Git has sent the reason to the client.
        Ok(Err(Error::BadRequest(_))) => tracing::debug!("git rejected a fetch"),
        Ok(Err(error)) => {
            tracing::warn!(%error, "a fetch failed");
            let _ = pieces.try_send(Err(std::io::ErrorKind::TimedOut.into()));
        }
        Err(_) => tracing::error!("waiting for git panicked"),
    }
}

/// Sends a piece, and returns whether the client took it in time. The time is shorter while others wait for the permit.
async fn send(pieces: &mpsc::Sender<Piece>, piece: Piece, permit: &Permit, idle_timeout: Duration) -> bool {
    let sending = pieces.send(piece);
    tokio::pin!(sending);
    let started = Instant::now();
    loop {
        let left = idle_timeout.saturating_sub(started.elapsed());
        match tokio::time::timeout(left.min(CONTENDED_IDLE_TIMEOUT), &mut sending).await {
            Ok(sent) => return sent.is_ok(),
            Err(_) if permit.is_contended() || started.elapsed() >= idle_timeout => return false,
            Err(_) => {}
        }
    }
}
