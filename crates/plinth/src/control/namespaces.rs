//! Namespaces: isolated instances in one process, each at an address of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::input::{NewNamespace, check_name};
use super::output::ShownNamespace;
use super::service::SlotService;
use super::slot::Slot;
use super::{Control, DEFAULT_NAMESPACE};
use plinth_api::server;
use plinth_base::error::{Error, Result};
use plinth_core::tokens::random_text;

/// Each has a thread that writes, and some connections to its database.
const NAMESPACES_MAX: usize = 256;
const NAME_LENGTH: usize = 12;

/// A slot with its listener.
pub struct Namespace {
    pub slot: Arc<Slot>,
    listener: JoinHandle<()>,
}

impl Namespace {
    /// Ends everything at once, and returns when its address is free.
    pub async fn stop(self) {
        self.slot.close();
        self.listener.abort();
        // It always says that it was cancelled.
        self.listener.await.ok();
        // As in a reset, nobody waits for its database and its directory.
        tokio::task::spawn_blocking(move || drop(self.slot));
    }
}

impl Control {
    /// Starts a namespace in the initial state, or in that of a snapshot of `asked`.
    pub async fn create_namespace(self: &Arc<Self>, asked: &Slot, new: NewNamespace) -> Result<ShownNamespace> {
        let launcher = self.launcher()?;
        let name = new.name.unwrap_or_else(|| random_text(NAME_LENGTH));
        check_name(&name)?;
        let snapshot = new.snapshot.map(|name| asked.find_snapshot(&name).ok_or(Error::NotFound)).transpose()?;
        check_free(&self.namespaces.lock(), &name)?;
        let address = asked.url.trim_start_matches("http://").rsplit_once(':').map_or("127.0.0.1", |(host, _)| host);
        let listener = TcpListener::bind(format!("{address}:0")).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let current = match &snapshot {
            None => launcher.start_initial(&url).await?,
            Some(state) => launcher.start(state, &url).await?,
        };
        let (app, service) = (current.instance.app.clone(), current.instance.service.clone());
        let slot = Arc::new(Slot::new(name.clone(), url, current));
        let service = service.intercepted(Arc::new(SlotService { control: self.clone(), slot: slot.clone() }));
        let shown = ShownNamespace::of(&slot);
        let listener = tokio::spawn(async move {
            if let Err(error) = server::serve(listener, app, service, std::future::pending()).await {
                tracing::warn!(%error, "a namespace stopped");
            }
        });
        let namespace = Namespace { slot, listener };
        if let Err((error, namespace)) = self.add_namespace(name, namespace) {
            namespace.stop().await;
            return Err(error);
        }
        Ok(shown)
    }

    /// Fails if another request has created one of this name meanwhile.
    fn add_namespace(&self, name: String, namespace: Namespace) -> Result<(), (Error, Namespace)> {
        let mut namespaces = self.namespaces.lock();
        if let Err(error) = check_free(&namespaces, &name) {
            return Err((error, namespace));
        }
        namespaces.insert(name, namespace);
        Ok(())
    }

    pub fn list_namespaces(&self) -> Vec<ShownNamespace> {
        let others = self.namespaces.lock();
        let slots = others.values().map(|namespace| &namespace.slot);
        std::iter::once(&self.default).chain(slots).map(|slot| ShownNamespace::of(slot)).collect()
    }

    pub async fn delete_namespace(&self, name: &str) -> Result<()> {
        if name == DEFAULT_NAMESPACE {
            return Err(Error::unprocessable("the default namespace cannot be deleted"));
        }
        let namespace = self.namespaces.lock().remove(name).ok_or(Error::NotFound)?;
        namespace.stop().await;
        Ok(())
    }
}

fn check_free(namespaces: &BTreeMap<String, Namespace>, name: &str) -> Result<()> {
    if name == DEFAULT_NAMESPACE || namespaces.contains_key(name) {
        return Err(Error::unprocessable(format!("there is a namespace {name} already")));
    }
    if namespaces.len() >= NAMESPACES_MAX {
        return Err(Error::unprocessable(format!("there are at most {NAMESPACES_MAX} namespaces")));
    }
    Ok(())
}
