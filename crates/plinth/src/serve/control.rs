//! Starting the service with or without the control interface.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use tokio::net::TcpListener;

use super::Serve;
use crate::config::Options;
use crate::control::{
    Control, ControlService, ControlSettings, Current, DEFAULT_NAMESPACE, Exposure, Launcher, Slot, SlotService,
};
use crate::instance::{Instance, Opened};
use plinth_api::server::{self, HttpService};
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_core::tokens::{hash, random_text};

const TOKEN_LENGTH: usize = 40;

/// The service, with the control interface if there is one.
pub enum Running {
    Plain(Box<Instance>),
    Controlled { control: Arc<Control>, access: Option<ControlAccess> },
}

/// Where the control interface is, if it is not at the address of the API.
pub struct ControlAccess {
    pub url: String,
    pub token: String,
}

impl fmt::Display for ControlAccess {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Control interface: {}/_plinth/, token {}", self.url, self.token)
    }
}

impl Running {
    pub fn control_access(&self) -> Option<&ControlAccess> {
        match self {
            Running::Plain(_) => None,
            Running::Controlled { access, .. } => access.as_ref(),
        }
    }

    /// What responds at the address of the API.
    pub fn service(&self) -> HttpService {
        match self {
            Running::Plain(instance) => instance.service.clone(),
            Running::Controlled { control, .. } => {
                let slot = control.default_slot().clone();
                let service = slot.current().instance.service.clone();
                service.intercepted(Arc::new(SlotService { control: control.clone(), slot }))
            }
        }
    }

    pub async fn stop(&self) {
        match self {
            Running::Plain(instance) => instance.stop().await,
            Running::Controlled { control, .. } => control.stop().await,
        }
    }
}

impl Serve {
    /// Tests may set the clock of a server that they control.
    pub(super) fn clock(&self) -> Clock {
        if self.ephemeral || self.control.is_some() { Clock::adjustable() } else { Clock::System }
    }

    /// Starts everything but the listener of the API. `root` is the directory of an ephemeral server.
    pub(super) async fn start(
        &self,
        opened: Opened,
        options: &Options,
        root: Option<&Path>,
        url: &str,
    ) -> Result<Running> {
        let is_loopback = options.listen().ip().is_loopback();
        if self.control.is_none() && !(self.ephemeral && is_loopback) {
            return Ok(Running::Plain(Box::new(opened.start(options, url, None))));
        }
        let launcher = match root {
            Some(root) if options.database.is_none() => Some(Launcher::new(options, root, &opened).await?),
            _ => None,
        };
        let app = opened.app.clone();
        let default = Slot::new(DEFAULT_NAMESPACE.into(), url.to_owned(), Current::start(opened, options, url));
        let state_directory = self.state.as_deref().and_then(Path::parent).unwrap_or(options.data()).to_owned();
        let settings = |exposure| ControlSettings { exposure, state_directory, explains: self.explain };
        let Some(address) = self.control else {
            let control = Control::new(launcher, default, settings(Exposure::Loopback));
            return Ok(Running::Controlled { control, access: None });
        };
        let listener = TcpListener::bind(address)
            .await
            .map_err(|error| Error::BadRequest(format!("cannot listen on {address} for control: {error}")))?;
        let token = self.control_token.clone().unwrap_or_else(|| random_text(TOKEN_LENGTH));
        let access = ControlAccess { url: format!("http://{}", listener.local_addr()?), token };
        let control = Control::new(launcher, default, settings(Exposure::Token(hash(&access.token))));
        let service = HttpService::new(app.clone()).intercepted(Arc::new(ControlService(control.clone())));
        tokio::spawn(server::serve(listener, app, service, std::future::pending()));
        Ok(Running::Controlled { control, access: Some(access) })
    }
}
