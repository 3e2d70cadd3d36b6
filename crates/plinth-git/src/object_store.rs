//! The packs of one repository, opened once and shared by all readers.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;
use gix::odb::{HandleArc, Header as _, Store, pack, store};
use parking_lot::Mutex;

use super::damage;
use super::object::RawObject;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

/// No single object may make us allocate more than this.
const OBJECT_SIZE_MAX: usize = 256 * 1024 * 1024;
/// Delta bases that one handle keeps.
const DELTA_CACHE_SIZE: usize = 1024 * 1024;
/// Handles that wait for the next reader; more exist only while more readers are at work.
const IDLE_HANDLES_MAX: usize = 2;
/// Room for packs that appear while the store is open; when it is used up, the store is opened anew.
const SPARE_PACKS: store::init::Slots = store::init::Slots::AsNeededByDiskState { multiplier: 2.0, minimum: 64 };

/// How often a look is repeated while packs come and go under it.
const LOOKS_MAX: usize = 20;

/// How hard to look for an object that is not in the packs known so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookup {
    KnownPacks,
    /// Look at the directory again: another thread or node may have added a pack.
    NewPacksToo,
}

/// The open packs, with handles that are reused because each has its own delta cache.
pub(super) struct ObjectStore {
    directory: PathBuf,
    store: ArcSwap<Store>,
    idle: Mutex<Vec<HandleArc>>,
    /// The packs over which the open store is known to be complete.
    complete_over: Mutex<Option<BTreeSet<OsString>>>,
}

impl ObjectStore {
    pub(super) fn open(directory: PathBuf) -> Result<Self> {
        let store = ArcSwap::from(open(&directory)?);
        Ok(Self { directory, store, idle: Mutex::default(), complete_over: Mutex::default() })
    }

    /// Kind and size, without reading the content.
    pub(super) fn header(&self, sha: &Sha, lookup: Lookup) -> Result<Option<(ObjectKind, u64)>> {
        let header = self.with_handle(sha, lookup, |handle| handle.try_header(&super::to_oid(sha)))?;
        Ok(header.map(|header| (crate::object::from_gix(header.kind()), header.size())))
    }

    pub(super) fn find(&self, sha: &Sha, lookup: Lookup) -> Result<Option<RawObject>> {
        let found = self.with_handle(sha, lookup, |handle| {
            let mut data = Vec::new();
            let found = gix::objs::Find::try_find(handle, &super::to_oid(sha), &mut data)?;
            let kind = found.map(|object| crate::object::from_gix(object.kind));
            // Decoding a delta takes more room than its result.
            data.shrink_to_fit();
            Ok(kind.map(|kind| RawObject::read_as(*sha, kind, data)))
        })?;
        match found {
            Some(object) if !object.has_own_name() => Err(self.damaged(sha, "its content has another hash")),
            found => Ok(found),
        }
    }

    /// An error that names the pack which should have the object.
    fn damaged(&self, sha: &Sha, cause: impl std::fmt::Display) -> Error {
        let directory = self.directory.join("pack");
        let names = self.pack_names().unwrap_or_default();
        let indexes =
            names.iter().map(|name| directory.join(name)).filter(|path| path.extension() == Some("idx".as_ref()));
        let has_it = |path: &PathBuf| {
            let index = pack::index::File::at(path, gix::hash::Kind::Sha1);
            index.is_ok_and(|index| index.lookup(super::to_oid(sha)).is_some())
        };
        let file = indexes.into_iter().find(has_it).map_or(directory, |index| index.with_extension("pack"));
        damage::report(&file, sha, cause)
    }

    /// The shortest name that no other packed object begins with, as `git` prints it.
    pub(super) fn abbreviate(&self, sha: &Sha) -> Result<String> {
        const SMALL_REPOSITORY: usize = 7;
        let handle = self.new_handle();
        let packed = handle.packed_object_count().map_err(super::broken)?;
        let bits = (u64::BITS - packed.leading_zeros()) as usize;
        let length = bits.div_ceil(2).max(SMALL_REPOSITORY);
        let wanted =
            gix::odb::store::prefix::disambiguate::Candidate::new(super::to_oid(sha), length).map_err(super::broken)?;
        // An object that is not here, such as the commit of a submodule, has nobody to be told apart from.
        let found = handle.disambiguate_prefix(wanted).map_err(super::broken)?;
        Ok(found.map_or_else(|| sha.to_string()[..length].to_owned(), |prefix| prefix.to_string()))
    }

    fn with_handle<T>(
        &self,
        sha: &Sha,
        lookup: Lookup,
        read: impl Fn(&HandleArc) -> gix::Result<Option<T>>,
    ) -> Result<Option<T>> {
        let mut handle = self.idle.lock().pop().unwrap_or_else(|| self.new_handle());
        handle.refresh = match lookup {
            Lookup::KnownPacks => store::RefreshMode::Never,
            Lookup::NewPacksToo => store::RefreshMode::AfterAllIndicesLoaded,
        };
        match (read(&handle), lookup) {
            (Ok(Some(found)), _) => {
                self.give_back(handle);
                Ok(Some(found))
            }
            (Ok(None), Lookup::KnownPacks) => {
                self.give_back(handle);
                Ok(None)
            }
            // A pack may have been replaced under us; the second look sees its successor.
            (Err(_), Lookup::KnownPacks) => Ok(None),
            (Ok(None) | Err(_), Lookup::NewPacksToo) => self.look_until_sure(sha, read),
        }
    }

    /// A listing is not one moment: it can lack both a pack that has gone and the one that came in its place. An object
    /// is absent only when the packs were the same before and after a look at all of them.
    fn look_until_sure<T>(&self, sha: &Sha, read: impl Fn(&HandleArc) -> gix::Result<Option<T>>) -> Result<Option<T>> {
        for _ in 0..LOOKS_MAX {
            let before = self.pack_names()?;
            if self.complete_over.lock().as_ref() != Some(&before) {
                self.reopen()?;
            }
            let found = read(&self.new_handle());
            if let Ok(Some(found)) = found {
                return Ok(Some(found));
            }
            if self.pack_names()? == before {
                let found = found.map_err(|error| self.damaged(sha, error))?;
                *self.complete_over.lock() = Some(before);
                return Ok(found);
            }
        }
        Err(Error::Unavailable("the packs of a repository change too fast to be read".into()))
    }

    fn pack_names(&self) -> Result<BTreeSet<OsString>> {
        let entries = match std::fs::read_dir(self.directory.join("pack")) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
            Err(error) => return Err(error.into()),
        };
        Ok(entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<std::io::Result<_>>()?)
    }

    fn new_handle(&self) -> HandleArc {
        let delta_cache = || -> Box<gix::odb::cache::PackCache> {
            Box::new(pack::cache::lru::StaticLinkedList::<64>::new(DELTA_CACHE_SIZE))
        };
        self.store.load_full().to_cache_arc().with_pack_cache(delta_cache)
    }

    fn give_back(&self, handle: HandleArc) {
        let mut idle = self.idle.lock();
        if idle.len() < IDLE_HANDLES_MAX && std::ptr::eq(handle.store_ref(), Arc::as_ptr(&self.store.load())) {
            idle.push(handle);
        }
    }

    /// Opens what is there now, and nothing else: packs that are gone are found no more.
    pub(super) fn reopen(&self) -> Result<()> {
        self.store.store(open(&self.directory)?);
        self.idle.lock().clear();
        Ok(())
    }
}

fn open(directory: &std::path::Path) -> Result<Arc<Store>> {
    let options = store::init::Options {
        slots: SPARE_PACKS,
        alloc_limit_bytes: Some(OBJECT_SIZE_MAX),
        // Alternates are ours alone and absolute, so no working directory is ever asked for.
        current_dir: Some("/".into()),
        ..Default::default()
    };
    let store = Store::at_opts(directory.to_owned(), gix::hash::Kind::Sha1, &mut std::iter::empty(), options)?;
    Ok(Arc::new(store))
}
