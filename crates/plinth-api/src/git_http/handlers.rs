//! Steps of clone and push.

use axum::body::Body;
use axum::response::Response;
use http::HeaderMap;

use super::ls_refs::{self, Question};
use super::model::{Encoding, Service, protocol_of};
use super::negotiation::Negotiation;
use super::{advertise, cut_names, fetch, incoming, permits, push, upload_request};
use crate::app::App;
use crate::policy::table::{GitAdvertise, GitReceivePack, GitUploadPack};
use crate::request::Allowed;
use crate::request::request_body::RequestBody;
use crate::response::api_response;
use plinth_base::error::{Error, Result};
use plinth_core::repos::GitRepo;
use plinth_git::{Protocol, pkt_line};

pub async fn advertise(access: Allowed<GitAdvertise, GitRepo>, app: App, headers: HeaderMap) -> Result<Response> {
    match (Service::of(access.context())?, protocol_of(&headers)) {
        (Service::UploadPack, Protocol::V2) => Ok(advertise::capabilities()),
        (Service::UploadPack, Protocol::V0) => advertise::for_fetch(&app, &access.repo).await,
        (Service::ReceivePack, _) => {
            let access = access.to_do::<GitReceivePack>()?;
            Ok(advertise::for_push(&app, &access.repo))
        }
    }
}

pub async fn upload_pack(
    access: Allowed<GitUploadPack, GitRepo>,
    app: App,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    Service::UploadPack.check_type(&headers)?;
    let (encoding, protocol) = (Encoding::of(&headers)?, protocol_of(&headers));
    let context = access.context();
    let body = RequestBody::wrap(body, context.permit.clone(), app.settings.request_timeout);
    let answered = match Negotiation::read(&app, context, body, encoding).await {
        Ok(negotiation) => answer(&app, &access, protocol, negotiation).await,
        Err(error) => Err(error),
    };
    let body = match answered {
        // Git shows its users what stands in a packet, but not the body of a error_response.
        Err(Error::Unprocessable(text)) => {
            tracing::warn!(repo = access.repo.id.0, why = text, "a fetch was refused");
            error_response(&text)
        }
        other => other?,
    };
    Ok(api_response::git_stream(Service::UploadPack.result_type(), body))
}

pub async fn receive_pack(
    access: Allowed<GitReceivePack, GitRepo>,
    app: App,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    Service::ReceivePack.check_type(&headers)?;
    let encoding = Encoding::of(&headers)?;
    let permit = permits::acquire(&app, access.context()).await?;
    let idle_timeout = app.settings.git.idle_timeout;
    let body = RequestBody::wrap(body, access.context().permit.clone(), idle_timeout);
    let (outlet, incoming) = incoming::split(body, idle_timeout);
    let pushing = push::receive(app, access.for_writing(), (incoming, encoding), permit);
    // A task of its own finishes what it has begun, even if the client goes away; its input then ends with an error.
    let mut pushing = tokio::spawn(pushing);
    let pushed = tokio::select! {
        pushed = &mut pushing => pushed,
        () = outlet.pass_on() => pushing.await,
    };
    let report = pushed.map_err(|_| Error::internal("a push panicked"))??;
    Ok(api_response::git_stream(Service::ReceivePack.result_type(), report))
}

/// Names are ours to tell, packs are git's to build.
async fn answer(
    app: &App,
    access: &Allowed<GitUploadPack, GitRepo>,
    protocol: Protocol,
    request: Negotiation,
) -> Result<Body> {
    let repo = &access.repo;
    match upload_request::parse(protocol, &request.packets())? {
        upload_request::Asked::Nothing => Ok(Body::empty()),
        upload_request::Asked::Refs(arguments) => {
            let question = Question::parse(&arguments)?;
            ls_refs::answer(app, repo, question).await
        }
        upload_request::Asked::Pack(cut) if request.is_abridged() && !cut.relative_to.is_empty() => {
            Err(Error::unprocessable("a relative depth is not offered for so many references at once"))
        }
        upload_request::Asked::Pack(cut) => {
            let names = cut_names::find(app, repo.id, &cut).await?;
            let (spool, permit) = request.into_parts(app, access.context()).await?;
            fetch::serve(app, repo.id, (protocol, names), spool, permit).await
        }
    }
}

fn error_response(text: &str) -> Body {
    let mut out = Vec::new();
    pkt_line::put_line(&mut out, &format!("ERR {text}"));
    out.into()
}
