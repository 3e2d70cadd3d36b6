//! The operations of the control interface.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use http::{Method, Request};

use super::faults::Rule;
use super::input::{
    ClockChange, NewNamespace, NewSnapshot, RequestFilter, WaitQuery, check_name, read_json, read_query, read_text,
};
use super::output::{AppliedState, ClockState, ExportedState, NoDeliveries, NothingInTime, SnapshotName};
use super::slot::{Current, SavedState, Slot};
use super::waiting::{self, Found};
use super::{Control, openapi};
use crate::state_file::State;
use plinth_api::response::api_response::ApiResponse;
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};

/// Runs the operation of a request on a slot.
pub async fn run(control: &Arc<Control>, slot: &Arc<Slot>, request: Request<Body>) -> Result<Response> {
    let (parts, body) = request.into_parts();
    let query = parts.uri.query();
    let current = slot.current();
    let path: Vec<&str> = parts.uri.path().split('/').skip(2).collect();
    let response = match (&parts.method, path.as_slice()) {
        (&Method::POST, ["reset"]) => reset(control, slot).await?,
        (&Method::GET, ["snapshots"]) => ApiResponse::ok(&slot.snapshot_names()),
        (&Method::POST, ["snapshots"]) => create_snapshot(control, slot, read_json(body).await?).await?,
        (&Method::DELETE, ["snapshots", name]) => {
            slot.delete_snapshot(name)?;
            ApiResponse::no_content()
        }
        (&Method::POST, ["snapshots", name, "restore"]) => {
            let state = slot.find_snapshot(name).ok_or(Error::NotFound)?;
            restore(control, slot, &state).await?
        }
        (&Method::GET, ["state"]) => export_state(control, slot).await?,
        (&Method::POST, ["state"]) => apply_state(control, slot, &read_text(body).await?).await?,
        (&Method::GET, ["clock"]) => ApiResponse::ok(&ClockState::of(current.clock())),
        (&Method::POST, ["clock"]) => {
            let shown = change_clock(current.clock(), &read_json(body).await?)?;
            // Attempts to deliver may have become due.
            current.instance.app.webhook_signal().notify_one();
            shown
        }
        (&Method::GET, ["faults"]) => ApiResponse::ok(&current.faults.list()),
        (&Method::POST, ["faults"]) => {
            ApiResponse::created_without_url(&current.faults.add(read_json::<Rule>(body).await?)?)
        }
        (&Method::DELETE, ["faults"]) => {
            current.faults.clear();
            ApiResponse::no_content()
        }
        (&Method::GET, ["requests"]) => {
            let filter: RequestFilter = read_query(query)?;
            ApiResponse::ok(&current.requests.list(filter.into_condition()))
        }
        (&Method::DELETE, ["requests"]) => {
            current.requests.clear();
            ApiResponse::no_content()
        }
        (&Method::GET, ["openapi.json"]) => ApiResponse::ok(&openapi::document()),
        (&Method::GET, ["wait"]) => wait(slot, &read_query(query)?).await?,
        (&Method::GET, ["namespaces"]) => ApiResponse::ok(&control.list_namespaces()),
        (&Method::POST, ["namespaces"]) => {
            let new: NewNamespace = read_json(body).await?;
            ApiResponse::created_without_url(&control.create_namespace(slot, new).await?)
        }
        (&Method::DELETE, ["namespaces", name]) => {
            control.delete_namespace(name).await?;
            ApiResponse::no_content()
        }
        _ => return Err(Error::NotFound),
    };
    Ok(response.into_response())
}

async fn reset(control: &Control, slot: &Slot) -> Result<ApiResponse> {
    let _turn = slot.turn.lock().await;
    slot.replace(control.launcher()?.start_initial(&slot.url).await?);
    Ok(ApiResponse::no_content())
}

/// Replaces the instance by one in this state.
async fn restore(control: &Control, slot: &Slot, state: &SavedState) -> Result<ApiResponse> {
    let _turn = slot.turn.lock().await;
    slot.replace(control.launcher()?.start(state, &slot.url).await?);
    Ok(ApiResponse::no_content())
}

async fn create_snapshot(control: &Control, slot: &Slot, new: NewSnapshot) -> Result<ApiResponse> {
    check_name(&new.name)?;
    let _turn = slot.turn.lock().await;
    let state = control.launcher()?.copy(&slot.current()).await?;
    slot.save(new.name.clone(), state)?;
    Ok(ApiResponse::created_without_url(&SnapshotName { name: new.name }))
}

async fn export_state(control: &Control, slot: &Slot) -> Result<ApiResponse> {
    let _turn = slot.turn.lock().await;
    let state = control.launcher()?.copy(&slot.current()).await?;
    let read = tokio::task::spawn_blocking(move || state.template.to_snapshot()).await;
    let snapshot = read.map_err(|error| Error::internal(error.to_string()))??;
    Ok(ApiResponse::ok(&ExportedState { snapshot }))
}

/// Applies a state file to the present state, or to the snapshot that it contains.
async fn apply_state(control: &Control, slot: &Slot, text: &str) -> Result<ApiResponse> {
    let _turn = slot.turn.lock().await;
    let mut state = State::parse(text, &control.state_directory)?;
    let Some(snapshot) = state.take_snapshot() else { return apply_to(&slot.current(), state).await };
    let clock = slot.current().clock().fork();
    let replacement = control.launcher()?.start_snapshot(&snapshot, clock, &slot.url).await?;
    let applied = apply_to(&replacement, state).await?;
    slot.replace(replacement);
    Ok(applied)
}

async fn apply_to(current: &Current, state: State) -> Result<ApiResponse> {
    let (app, store) = (&current.instance.app, &current.instance.store);
    let state = state.with_secrets_key_file(app.secrets_key.path().to_owned());
    let report = state.apply(store, &app.repositories, app.clock.now()).await?;
    let lines: Vec<String> = report.to_string().lines().map(str::to_owned).collect();
    Ok(ApiResponse::ok(&AppliedState { report: lines }))
}

fn change_clock(clock: &Clock, change: &ClockChange) -> Result<ApiResponse> {
    if change.now.is_some() && change.advance_seconds.is_some() {
        return Err(Error::unprocessable("send either now or advance_seconds"));
    }
    if clock.is_system() {
        return Err(Error::Conflict("the clock of this server cannot be set".into()));
    }
    if let Some(frozen) = change.frozen {
        clock.freeze(frozen);
    }
    if let Some(now) = change.now {
        clock.set(now);
    }
    if let Some(seconds) = change.advance_seconds {
        clock.advance(seconds);
    }
    Ok(ApiResponse::ok(&ClockState::of(clock)))
}

async fn wait(slot: &Slot, query: &WaitQuery) -> Result<ApiResponse> {
    let pending = match waiting::wait(&slot.current(), query).await? {
        Found::Request(request) => return Ok(ApiResponse::ok(&request)),
        Found::Deliveries => return Ok(ApiResponse::ok(&NoDeliveries { pending_deliveries: 0 })),
        Found::Nothing { pending_deliveries } => pending_deliveries,
    };
    let nothing = NothingInTime { message: "this did not happen in time", pending_deliveries: pending };
    Ok(ApiResponse::request_timeout(&nothing))
}
