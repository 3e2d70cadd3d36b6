//! The packs of one repository, opened once and shared by all readers.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;
use gix_odb::{HandleArc, Header as _, Store, store};
use parking_lot::Mutex;

use super::damage;
use crate::objects::RawObject;
use crate::shared_packs::Completion;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

/// The largest allocation for a single object.
const OBJECT_SIZE_MAX: usize = 256 * 1024 * 1024;
/// Bytes of delta bases that one handle caches.
const DELTA_CACHE_SIZE: usize = 1024 * 1024;
/// Handles that are reused; more exist only while more threads read.
const IDLE_HANDLES_MAX: usize = 2;
/// Slots for packs that appear while the store is open; when they are used up, the store is opened again.
const SPARE_PACKS: store::init::Slots = store::init::Slots::AsNeededByDiskState { multiplier: 2.0, minimum: 32 };

/// How often a lookup is repeated while packs are added and removed.
const ATTEMPTS_MAX: usize = 20;

/// Which packs are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lookup {
    KnownPacks,
    /// Lists the directory again: another thread or node may have added a pack.
    NewPacksToo,
}

/// An abbreviated id names several objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ambiguous;

/// The open packs, with handles that are reused because each has its own delta cache.
pub(crate) struct ObjectStore {
    directory: PathBuf,
    store: ArcSwap<Store>,
    idle: Mutex<Vec<HandleArc>>,
    /// The packs that the open store is known to have read completely.
    complete_over: Mutex<Option<BTreeSet<OsString>>>,
    /// If nodes share packs, an object is absent only if it is in none of theirs.
    completion: Option<Completion>,
}

impl ObjectStore {
    pub(crate) fn open(directory: PathBuf) -> Result<Self> {
        let store = ArcSwap::from(open(&directory)?);
        Ok(Self { directory, store, idle: Mutex::default(), complete_over: Mutex::default(), completion: None })
    }

    pub(crate) fn with_completion(self, completion: Option<Completion>) -> Self {
        Self { completion, ..self }
    }

    /// Kind and size, without reading the content.
    pub(crate) fn header(&self, sha: &Sha, lookup: Lookup) -> Result<Option<(ObjectKind, u64)>> {
        let header = self.with_handle(sha, lookup, |handle| handle.try_header(&crate::to_oid(sha)))?;
        Ok(header.map(|header| (crate::objects::from_gix(header.kind()), header.size())))
    }

    pub(crate) fn find(&self, sha: &Sha, lookup: Lookup) -> Result<Option<RawObject>> {
        let found = self.with_handle(sha, lookup, |handle| read_object(handle, sha))?;
        match found {
            Some(object) if !object.has_own_name() => self.find_intact(sha),
            found => Ok(found),
        }
    }

    /// After a damaged copy was found: another one, if nodes share packs.
    fn find_intact(&self, sha: &Sha) -> Result<Option<RawObject>> {
        if let Some(completion) = &self.completion {
            completion.distrust();
            self.complete(completion)?;
            self.reopen()?;
            let found = self.with_handle(sha, Lookup::NewPacksToo, |handle| read_object(handle, sha))?;
            if found.as_ref().is_none_or(RawObject::has_own_name) {
                return Ok(found);
            }
        }
        Err(self.damaged(sha, "its content has another hash"))
    }

    /// An error that names the pack whose index lists the object.
    fn damaged(&self, sha: &Sha, cause: impl std::fmt::Display) -> Error {
        let directory = self.directory.join("pack");
        let names = self.pack_names().unwrap_or_default();
        let indexes =
            names.iter().map(|name| directory.join(name)).filter(|path| path.extension() == Some("idx".as_ref()));
        let has_it = |path: &PathBuf| {
            let index = gix_pack::index::File::at(path, gix_hash::Kind::Sha1);
            index.is_ok_and(|index| index.lookup(crate::to_oid(sha)).is_some())
        };
        let file = indexes.into_iter().find(has_it).map_or(directory, |index| index.with_extension("pack"));
        damage::report(&file, sha, cause)
    }

    /// The shortest unambiguous prefix among all packed objects, as `git` prints it.
    pub(crate) fn abbreviate(&self, sha: &Sha) -> Result<String> {
        const SMALL_REPOSITORY: usize = 7;
        let handle = self.new_handle();
        let packed = handle.packed_object_count().map_err(crate::broken)?;
        let bits = (u64::BITS - packed.leading_zeros()) as usize;
        let length = bits.div_ceil(2).max(SMALL_REPOSITORY);
        let wanted =
            gix_odb::store::prefix::disambiguate::Candidate::new(crate::to_oid(sha), length).map_err(crate::broken)?;
        // An object that is not here, such as the commit of a submodule, cannot be ambiguous.
        let found = handle.disambiguate_prefix(wanted).map_err(crate::broken)?;
        Ok(found.map_or_else(|| sha.to_string()[..length].to_owned(), |prefix| prefix.to_string()))
    }

    /// The only packed object whose id begins with these digits. The inner error means that there are several.
    pub(crate) fn find_by_prefix(&self, digits: &str) -> Result<Result<Option<Sha>, Ambiguous>> {
        let prefix = gix_hash::Prefix::from_hex(digits).map_err(crate::broken)?;
        let look_up = || self.new_handle().lookup_prefix(prefix, None);
        let found = match look_up() {
            Ok(found) => found,
            // A pack may have been replaced.
            Err(_) => {
                self.reopen()?;
                look_up().map_err(crate::broken)?
            }
        };
        Ok(match found {
            None => Ok(None),
            Some(Ok(id)) => Ok(Some(crate::to_sha(&id))),
            Some(Err(())) => Err(Ambiguous),
        })
    }

    fn with_handle<T>(
        &self,
        sha: &Sha,
        lookup: Lookup,
        read: impl Fn(&HandleArc) -> gix_error::Result<Option<T>>,
    ) -> Result<Option<T>> {
        let mut handle = self.idle.lock().pop().unwrap_or_else(|| self.new_handle());
        handle.refresh = match lookup {
            Lookup::KnownPacks => store::RefreshMode::Never,
            Lookup::NewPacksToo => store::RefreshMode::AfterAllIndicesLoaded,
        };
        match (read(&handle), lookup) {
            (Ok(Some(found)), _) => {
                self.return_handle(handle);
                Ok(Some(found))
            }
            (Ok(None), Lookup::KnownPacks) => {
                self.return_handle(handle);
                Ok(None)
            }
            // A pack may have been replaced; the second lookup finds its replacement.
            (Err(_), Lookup::KnownPacks) => Ok(None),
            (Ok(None) | Err(_), Lookup::NewPacksToo) => self.find_in_all_packs(sha, read),
        }
    }

    fn complete(&self, completion: &Completion) -> Result<bool> {
        completion.run(self.directory.parent().unwrap_or(&self.directory))
    }

    /// Fetches the packs of other nodes first, and damaged ones again. The copies on this disk may be lost at any time: an object
    /// is absent only if no pack had to be fetched after all of them were searched.
    fn find_in_all_packs<T>(
        &self,
        sha: &Sha,
        read: impl Fn(&HandleArc) -> gix_error::Result<Option<T>>,
    ) -> Result<Option<T>> {
        let Some(completion) = &self.completion else { return self.find_in_stable_listing(sha, &read) };
        let mut completed = self.complete(completion);
        for _ in 0..ATTEMPTS_MAX {
            let is_damaged = match self.find_in_stable_listing(sha, &read) {
                Ok(Some(found)) => return Ok(Some(found)),
                Ok(None) => false,
                Err(_) => {
                    completion.distrust();
                    true
                }
            };
            // It may be in one of the packs that could not be fetched.
            completed?;
            completed = self.complete(completion);
            if is_damaged || matches!(completed, Ok(true)) {
                self.reopen()?;
            }
            if let Ok(false) = completed {
                return if is_damaged { self.find_in_stable_listing(sha, &read) } else { Ok(None) };
            }
        }
        Err(Error::Unavailable("the packs of a repository are lost faster than they are fetched".into()))
    }

    /// A directory listing is not atomic: it can lack both a removed pack and its replacement. An object is absent only if
    /// the packs were the same before and after all of them were searched.
    fn find_in_stable_listing<T>(
        &self,
        sha: &Sha,
        read: impl Fn(&HandleArc) -> gix_error::Result<Option<T>>,
    ) -> Result<Option<T>> {
        for _ in 0..ATTEMPTS_MAX {
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
        let delta_cache = || -> Box<gix_odb::cache::PackCache> {
            Box::new(gix_pack::cache::lru::StaticLinkedList::<64>::new(DELTA_CACHE_SIZE))
        };
        self.store.load_full().to_cache_arc().with_pack_cache(delta_cache)
    }

    fn return_handle(&self, handle: HandleArc) {
        let mut idle = self.idle.lock();
        if idle.len() < IDLE_HANDLES_MAX && std::ptr::eq(handle.store_ref(), Arc::as_ptr(&self.store.load())) {
            idle.push(handle);
        }
    }

    /// Opens the packs that exist now, so that removed ones are not found any more.
    pub(crate) fn reopen(&self) -> Result<()> {
        self.store.store(open(&self.directory)?);
        self.idle.lock().clear();
        Ok(())
    }
}

fn read_object(handle: &HandleArc, sha: &Sha) -> gix_error::Result<Option<RawObject>> {
    let mut data = Vec::new();
    let found = gix_object::Find::try_find(handle, &crate::to_oid(sha), &mut data)?;
    let kind = found.map(|object| crate::objects::from_gix(object.kind));
    // Decoding a delta needs more room than its result.
    data.shrink_to_fit();
    Ok(kind.map(|kind| RawObject::read_as(*sha, kind, data)))
}

fn open(directory: &std::path::Path) -> Result<Arc<Store>> {
    let options = store::init::Options {
        slots: SPARE_PACKS,
        alloc_limit_bytes: Some(OBJECT_SIZE_MAX),
        // We write all alternates, with absolute paths, so the working directory does not matter.
        current_dir: Some("/".into()),
        ..Default::default()
    };
    let store = Store::at_opts(directory.to_owned(), gix_hash::Kind::Sha1, &mut std::iter::empty(), options)?;
    Ok(Arc::new(store))
}
