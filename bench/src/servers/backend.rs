//! `git http-backend` behind as little of a web server as it needs: the program that git itself brings.

use std::path::PathBuf;
use std::process::{ExitCode, Stdio};

use axum::body::Body;
use axum::response::Response;
use futures_util::StreamExt;
use http::Request;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};

use super::accept;
use crate::Result;

const PIECE: usize = 1 << 16;

pub async fn serve(repositories: PathBuf) -> Result<ExitCode> {
    accept(move |request| {
        let repositories = repositories.clone();
        async move { answer(&repositories, request).await.unwrap_or_else(|error| failure(&error.to_string())) }
    })
    .await
}

fn failure(text: &str) -> Response {
    Response::builder().status(500).body(Body::from(text.to_owned())).unwrap_or_default()
}

async fn answer(repositories: &PathBuf, request: Request<Body>) -> std::io::Result<Response> {
    let mut child = spawn(repositories, &request)?;
    let stdin = child.stdin.take().ok_or_else(|| std::io::Error::other("the input is a pipe"))?;
    let stdout = child.stdout.take().ok_or_else(|| std::io::Error::other("the output is a pipe"))?;
    // The program may answer before it has read everything, so both go on at once.
    tokio::spawn(feed(request.into_body(), stdin));
    let mut output = BufReader::with_capacity(PIECE, stdout);
    let response = read_head(&mut output).await?;
    let pieces = futures_util::stream::unfold((output, child), |(mut output, mut child)| async move {
        let mut piece = bytes::BytesMut::with_capacity(PIECE);
        match output.read_buf(&mut piece).await {
            Ok(0) => child.wait().await.err().map(|error| (Err(error), (output, child))),
            Ok(_) => Some((Ok(piece.freeze()), (output, child))),
            Err(error) => Some((Err(error), (output, child))),
        }
    });
    Ok(response.map(|()| Body::from_stream(pieces)))
}

fn spawn(repositories: &PathBuf, request: &Request<Body>) -> std::io::Result<Child> {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    Command::new("git")
        .arg("http-backend")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_PROJECT_ROOT", repositories)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_PROTOCOL", header("git-protocol"))
        .env("REMOTE_USER", "bench")
        .env("REMOTE_ADDR", "127.0.0.1")
        .env("REQUEST_METHOD", request.method().as_str())
        .env("PATH_INFO", request.uri().path())
        .env("QUERY_STRING", request.uri().query().unwrap_or_default())
        .env("CONTENT_TYPE", header("content-type"))
        .env("CONTENT_LENGTH", header("content-length"))
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
}

async fn feed(body: Body, mut stdin: tokio::process::ChildStdin) {
    let mut pieces = body.into_data_stream();
    while let Some(Ok(piece)) = pieces.next().await {
        if stdin.write_all(&piece).await.is_err() {
            break;
        }
    }
}

/// The headers that a CGI program writes before its answer.
async fn read_head(output: &mut BufReader<tokio::process::ChildStdout>) -> std::io::Result<Response<()>> {
    let mut response = Response::builder();
    loop {
        let mut line = String::new();
        output.read_line(&mut line).await?;
        match line.trim_end().split_once(": ") {
            Some(("Status", value)) => response = response.status(value.split(' ').next().unwrap_or("500")),
            Some((name, value)) => response = response.header(name, value),
            None => return response.body(()).map_err(std::io::Error::other),
        }
    }
}
