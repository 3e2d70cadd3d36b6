//! What every request shares: the domain, the settings and the counters of this process.

pub mod comment_fragments;
pub mod comment_pages;
mod cursor_key;
mod entity_tag_key;
pub mod metrics;
pub mod permits;
pub mod readiness;
pub mod shared_bodies;
pub mod shared_objects;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plinth_base::clock::Clock;
use plinth_base::error::Result;
use plinth_core::{Core, CoreSettings};
use plinth_git::Repositories;
use plinth_store::Store;

use comment_fragments::FragmentCache;
use comment_pages::CommentPages;
pub use cursor_key::CursorKey;
pub use entity_tag_key::{DIGEST_LENGTH, EntityTagKey};
use metrics::Metrics;
use permits::Permits;
use readiness::{Checks, Report};
use shared_bodies::SharedBodies;
use shared_objects::SharedObjects;

use crate::settings::Settings;

/// The running service; cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// The parts of the service.
pub struct Parts {
    pub core: Core,
    pub settings: Settings,
    pub metrics: Metrics,
    pub cursor_key: CursorKey,
    pub entity_tag_key: EntityTagKey,
    readiness: Checks,
    /// Permits for processes of git.
    pub git_permits: Permits,
    /// Permits for the memory of large responses, in units of a kibibyte.
    pub response_memory: Permits,
    pub shared_objects: SharedObjects,
    pub comment_fragments: FragmentCache,
    pub comment_pages: CommentPages,
    /// The part of the response cache that callers share.
    pub shared_bodies: SharedBodies,
    draining: AtomicBool,
}

impl std::ops::Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl std::ops::Deref for Parts {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}

impl App {
    /// Puts the parts together; the keys of cursors and entity tags come from the store.
    pub async fn new(store: Store, repositories: Repositories, clock: Clock, settings: Settings) -> Result<Self> {
        let core_settings = CoreSettings {
            rate_limits: settings.rate_limits.clone(),
            objects: settings.objects,
            disabled_caches: settings.disabled_caches.clone(),
            secrets_key_file: settings.secrets_key_file.clone(),
        };
        let core = Core::new(store, repositories, clock, core_settings);
        let secret = core.cursor_secret().await?;
        Ok(Self(Arc::new(Parts {
            cursor_key: CursorKey::new(&secret),
            entity_tag_key: EntityTagKey::new(&secret),
            metrics: Metrics::default(),
            readiness: Checks::default(),
            git_permits: Permits::new(settings.git.processes_max, settings.git.processes_per_caller_max),
            response_memory: permits::for_response_memory(settings.response_bytes_max),
            shared_objects: SharedObjects::default(),
            comment_fragments: FragmentCache::new(core.generation_table().clone(), &settings.disabled_caches),
            comment_pages: CommentPages::new(&core, &settings.disabled_caches),
            shared_bodies: SharedBodies::new(core.generation_table().clone(), settings.shared_body_bytes()),
            draining: AtomicBool::new(false),
            settings,
            core,
        })))
    }

    /// Whether the service is ready for requests, and why not.
    pub async fn readiness(&self) -> Report {
        self.readiness.report(&self.core, self.is_draining()).await
    }

    /// From now on the service is not ready for new work.
    pub fn start_draining(&self) {
        self.draining.store(true, Ordering::SeqCst);
    }

    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::SeqCst)
    }
}
