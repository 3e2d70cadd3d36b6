//! `git http-backend`, git's own server program, behind a minimal web server.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use anyhow::Result;
use axum::body::Body;
use axum::response::Response;
use futures_util::StreamExt;
use http::Request;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::listener;

const CHUNK_SIZE: usize = 1 << 16;

pub async fn serve(repositories: PathBuf) -> Result<ExitCode> {
    listener::serve(move |request| {
        let repositories = repositories.clone();
        async move { respond(&repositories, request).await.unwrap_or_else(|error| error_response(&error)) }
    })
    .await
}

fn error_response(error: &io::Error) -> Response {
    Response::builder().status(500).body(Body::from(error.to_string())).unwrap_or_default()
}

async fn respond(repositories: &Path, request: Request<Body>) -> io::Result<Response> {
    let mut child = spawn(repositories, &request)?;
    let stdin = child.stdin.take().ok_or_else(|| io::Error::other("the input is a pipe"))?;
    let stdout = child.stdout.take().ok_or_else(|| io::Error::other("the output is a pipe"))?;
    // The program may write before it has read everything, so do both concurrently.
    tokio::spawn(copy_body(request.into_body(), stdin));
    let mut output = BufReader::with_capacity(CHUNK_SIZE, stdout);
    let response = read_head(&mut output).await?;
    let chunks = futures_util::stream::unfold((output, child), |(mut output, mut child)| async move {
        let mut chunk = bytes::BytesMut::with_capacity(CHUNK_SIZE);
        match output.read_buf(&mut chunk).await {
            Ok(0) => child.wait().await.err().map(|error| (Err(error), (output, child))),
            Ok(_) => Some((Ok(chunk.freeze()), (output, child))),
            Err(error) => Some((Err(error), (output, child))),
        }
    });
    Ok(response.map(|()| Body::from_stream(chunks)))
}

fn spawn(repositories: &Path, request: &Request<Body>) -> io::Result<Child> {
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

async fn copy_body(body: Body, mut stdin: ChildStdin) {
    let mut chunks = body.into_data_stream();
    while let Some(Ok(chunk)) = chunks.next().await {
        if stdin.write_all(&chunk).await.is_err() {
            break;
        }
    }
}

/// Reads the headers that a CGI program writes before the body.
async fn read_head(output: &mut BufReader<ChildStdout>) -> io::Result<Response<()>> {
    let mut response = Response::builder();
    loop {
        let mut line = String::new();
        output.read_line(&mut line).await?;
        match line.trim_end().split_once(": ") {
            Some(("Status", value)) => response = response.status(value.split(' ').next().unwrap_or("500")),
            Some((name, value)) => response = response.header(name, value),
            None => return response.body(()).map_err(io::Error::other),
        }
    }
}
