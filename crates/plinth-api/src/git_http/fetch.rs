//! Packs for whoever fetches, built by a process of git and passed on as they come.

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

/// How long a client may take nothing while others wait for a permit.
const CONTENDED_IDLE_TIMEOUT: Duration = Duration::from_secs(2);

type Piece = std::io::Result<Bytes>;

/// Hands the client's wants to git and gives its answer as a stream.
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
    // Git knows objects in packs alone.
    app.objects.flush(repo).await?;
    let objects = app.objects.clone();
    app.objects.run(move || objects.repository(repo)?.upload_pack(protocol, limits, &names)).await
}

/// A git that has heard enough stops listening, which is no fault.
async fn feed(mut stdin: ChildStdin, spool: Spool) {
    let _ = spool.copy_to(&mut stdin).await;
}

/// A process at work for one client. When the client goes, it goes as well, and its permit is free again.
struct Serving {
    child: Option<UploadPackChild>,
    permit: Permit,
}

impl Drop for Serving {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            // Waiting for the end of a process takes a moment.
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
        // Git has told the client what was wrong with its request.
        Ok(Err(Error::BadRequest(_))) => tracing::debug!("a fetch was refused by git"),
        Ok(Err(error)) => {
            tracing::warn!(%error, "a fetch failed");
            let _ = pieces.try_send(Err(std::io::ErrorKind::TimedOut.into()));
        }
        Err(_) => tracing::error!("waiting for git panicked"),
    }
}

/// Whether the client took the piece in time, of which there is less where somebody waits for the permit.
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
