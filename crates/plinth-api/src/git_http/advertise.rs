//! The advertisement that begins every clone and push: the capabilities and, in protocol version 0, all references.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;

use super::model::{AGENT, Service};
use super::ref_pages::{Head, Listed, Peeling, Prefixes, RefPages};
use crate::app::App;
use crate::response::api_response;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_core::refs;
use plinth_core::repos::Repo;
use plinth_git::pkt_line;

/// The capabilities in protocol version 0.
const FETCH_CAPABILITIES: &str = "multi_ack thin-pack side-band side-band-64k ofs-delta shallow deepen-since \
                                  deepen-not deepen-relative no-progress include-tag multi_ack_detailed \
                                  allow-tip-sha1-in-want allow-reachable-sha1-in-want no-done filter \
                                  object-format=sha1";
const PUSH_CAPABILITIES: &str =
    "report-status report-status-v2 delete-refs side-band-64k quiet atomic ofs-delta push-options object-format=sha1";
const NO_OBJECT: Sha = Sha::from_bytes([0; 20]);

/// The capabilities in protocol version 2, in which the client requests references separately.
pub fn capabilities() -> Response {
    let mut out = beginning(Service::UploadPack);
    for line in ["version 2", AGENT, "ls-refs=unborn", "fetch=shallow wait-for-done filter", "object-format=sha1"] {
        pkt_line::put_line(&mut out, line);
    }
    pkt_line::put_flush(&mut out);
    api_response::git_stream(Service::UploadPack.advertisement_type(), out)
}

/// All references for a fetch in protocol version 0.
pub async fn for_fetch(app: &App, repo: &Repo) -> Result<Response> {
    let head = Head::find(app, repo.id, &repo.default_branch).await?;
    let mut capabilities = FETCH_CAPABILITIES.to_owned();
    let head = head.and_then(|head| head.target.map(|target| (head.branch, target)));
    if let Some((branch, _)) = &head {
        capabilities.push_str(&format!(" symref=HEAD:{branch}"));
    }
    let mut lines = Lines::new(Service::UploadPack, &capabilities);
    if let Some((_, target)) = head {
        lines.put(target, "HEAD");
    }
    let pages = RefPages::new(app, repo.id, Prefixes::all(), Peeling::Peel);
    Ok(lines.into_response(Service::UploadPack, pages))
}

/// All references that a push may change. With the others, `git push --mirror` would try to delete them.
pub fn for_push(app: &App, repo: &Repo) -> Response {
    let lines = Lines::new(Service::ReceivePack, PUSH_CAPABILITIES);
    let pages = RefPages::new(app, repo.id, Prefixes::all(), Peeling::Leave);
    lines.into_response(Service::ReceivePack, pages)
}

/// The lines of an advertisement, the first of which carries the capabilities.
struct Lines {
    out: Vec<u8>,
    capabilities: Option<String>,
}

impl Lines {
    fn new(service: Service, capabilities: &str) -> Self {
        Self { out: beginning(service), capabilities: Some(format!("{capabilities} {AGENT}")) }
    }

    fn put(&mut self, sha: Sha, name: &str) {
        let line = match self.capabilities.take() {
            Some(capabilities) => format!("{sha} {name}\0{capabilities}"),
            None => format!("{sha} {name}"),
        };
        pkt_line::put_line(&mut self.out, &line);
    }

    fn put_page(&mut self, service: Service, page: &[Listed]) {
        for Listed { reference, peeled } in page {
            if service == Service::ReceivePack && refs::rules::is_reserved(&reference.name) {
                continue;
            }
            self.put(reference.target, reference.name.as_str());
            if let Some(peeled) = peeled {
                self.put(*peeled, &format!("{}^{{}}", reference.name));
            }
        }
    }

    fn into_response(self, service: Service, pages: RefPages) -> Response {
        let body = Body::from_stream(stream::try_unfold(Some((self, pages)), move |state| async move {
            let Some((mut lines, mut pages)) = state else { return Ok::<_, Error>(None) };
            let Some(page) = pages.next().await? else {
                return Ok(Some((lines.end(service), None)));
            };
            lines.put_page(service, &page);
            let bytes = Bytes::from(std::mem::take(&mut lines.out));
            Ok(Some((bytes, Some((lines, pages)))))
        }));
        api_response::git_stream(service.advertisement_type(), body)
    }

    /// An empty repository has one line for its capabilities, but only for a push: in a fetch, go-git takes that line as
    /// the sign of a repository with refs, and GitHub does not send it either.
    fn end(mut self, service: Service) -> Bytes {
        if self.capabilities.is_some() && service == Service::ReceivePack {
            self.put(NO_OBJECT, "capabilities^{}");
        }
        pkt_line::put_flush(&mut self.out);
        self.out.into()
    }
}

/// Names the service, by which a client recognizes the smart protocol.
fn beginning(service: Service) -> Vec<u8> {
    let mut out = Vec::new();
    pkt_line::put_line(&mut out, &format!("# service={}", service.name()));
    pkt_line::put_flush(&mut out);
    out
}
