//! Rename detection as in `git diff -M`: equal content, then equal names, then the most alike.

use std::collections::{HashMap, HashSet};

use super::change::FileChange;
use super::entry::Entry;
use super::similarity::{Effort, Measured, SCORE_MAX, SCORE_MIN};
use super::source::Source;
use plinth_base::error::{Error, Result};

/// Two files with a unique common name are paired first if their score is at least this.
const SAME_NAME_SCORE_MIN: u32 = SCORE_MIN + (SCORE_MAX - SCORE_MIN) / 2;
/// The square of this is the largest number of pairs; beyond it, only equal content and names count.
const PAIRS_ROOT_MAX: usize = 1000;
/// Sources of equal content that are considered for one file.
const EQUAL_SOURCES_MAX: usize = 100;
/// Best sources of one file that are retained.
const CANDIDATES: usize = 4;

/// Merges each pair of deletion and addition that is a rename; keeps the order by path.
pub(super) fn detect(repo: &dyn Source, mut changes: Vec<FileChange>) -> Result<Vec<FileChange>> {
    let mut matcher = Matcher::new(repo, &changes);
    matcher.pair_equal();
    // Over budget, only files of equal content count as renamed, as with git's own limit.
    unless_over_budget(matcher.pair_same_names())?;
    unless_over_budget(matcher.pair_most_alike())?;

    let mut origins = matcher.origins();
    let renamed: HashSet<Vec<u8>> = origins.values().map(|(source, _)| source.path.clone()).collect();
    changes.retain(|change| match (&change.old, &change.new) {
        (Some(old), None) => !renamed.contains(&old.path),
        _ => true,
    });
    for change in &mut changes {
        let origin = change.new.as_ref().filter(|_| change.old.is_none()).and_then(|new| origins.remove(&new.path));
        if let Some((source, score)) = origin {
            (change.old, change.score) = (Some(source), score);
        }
    }
    Ok(changes)
}

/// The new files of some deleted ones, by their old paths. All files are paired, as in [`detect`], because another file
/// may be the origin of the most similar one. Where two new files are an equally good match, none is returned.
pub(super) fn find_renamed<'p>(
    repo: &dyn Source,
    changes: &[FileChange],
    wanted: &[&'p [u8]],
) -> Result<HashMap<&'p [u8], Entry>> {
    let mut matcher = Matcher::new(repo, changes);
    let wanted: Vec<(&[u8], usize)> =
        wanted.iter().filter_map(|path| Some((*path, matcher.source_at(path)?))).collect();
    let is_done = |matcher: &Matcher<'_>| wanted.iter().all(|(_, source)| matcher.used[*source]);
    matcher.pair_equal();
    if !is_done(&matcher) {
        unless_over_budget(matcher.pair_same_names())?;
    }
    if !is_done(&matcher) {
        unless_over_budget(matcher.pair_most_alike())?;
    }
    let found = wanted.iter().filter_map(|(path, source)| Some((*path, matcher.unique_target(*source)?.clone())));
    Ok(found.collect())
}

fn unless_over_budget(outcome: Result<()>) -> Result<()> {
    match outcome {
        Err(Error::OverBudget(_)) => Ok(()),
        outcome => outcome,
    }
}

struct Matcher<'a> {
    repo: &'a dyn Source,
    effort: Effort<'a>,
    sources: Vec<&'a Entry>,
    targets: Vec<&'a Entry>,
    used: Vec<bool>,
    /// For each target, its source and how alike they are.
    pairs: Vec<Option<(usize, u32)>>,
    /// The pairs among which the most alike were chosen.
    candidates: Vec<Candidate>,
}

impl<'a> Matcher<'a> {
    /// Deleted files are the sources and added files the targets, both by path.
    fn new(repo: &'a dyn Source, changes: &'a [FileChange]) -> Self {
        let is_deletion = |change: &&FileChange| change.new.is_none();
        let is_addition = |change: &&FileChange| change.old.is_none();
        let sources: Vec<_> = changes.iter().filter(is_deletion).filter_map(|change| change.old.as_ref()).collect();
        let targets: Vec<_> = changes.iter().filter(is_addition).filter_map(|change| change.new.as_ref()).collect();
        let (used, pairs) = (vec![false; sources.len()], vec![None; targets.len()]);
        let effort = Effort::new(repo.budget());
        Self { repo, effort, sources, targets, used, pairs, candidates: Vec::new() }
    }

    fn source_at(&self, path: &[u8]) -> Option<usize> {
        self.sources.binary_search_by_key(&path, |entry| &entry.path[..]).ok()
    }

    /// The file that a paired source became, unless another one is an equally good match.
    fn unique_target(&self, source: usize) -> Option<&'a Entry> {
        let (target, score) = self.pairs.iter().enumerate().find_map(|(target, pair)| {
            let (paired, score) = (*pair)?;
            (paired == source).then_some((target, score))
        })?;
        if self.targets[target].id == self.sources[source].id {
            return self.unique_equal(source);
        }
        let rank = (score, self.is_same_name(source, target));
        let is_as_good = |other: &Candidate| {
            other.source == source && other.target != target && other.rank() == rank && self.claim(other.target) <= rank
        };
        (!self.candidates.iter().any(is_as_good)).then_some(self.targets[target])
    }

    /// The target of equal content; an equal name decides between several.
    fn unique_equal(&self, source: usize) -> Option<&'a Entry> {
        let entry = self.sources[source];
        let is_equal = |target: &Entry| target.id == entry.id && target.mode.is_same_type(entry.mode);
        let ranked = self.targets.iter().enumerate().filter(|(_, target)| is_equal(target));
        let ranked = ranked.map(|(index, target)| (self.is_same_name(source, index), index, *target));
        // A target whose name another source has is that one's.
        let free: Vec<_> = ranked
            .filter(|(same_name, index, _)| {
                let is_own = self.pairs[*index].is_none_or(|(paired, _)| paired == source);
                is_own || self.claim(*index) <= (SCORE_MAX, *same_name)
            })
            .collect();
        let best = free.iter().map(|(same_name, ..)| *same_name).max()?;
        let mut best = free.iter().filter(|(same_name, ..)| *same_name == best);
        match (best.next(), best.next()) {
            (Some((_, _, target)), None) => Some(target),
            _ => None,
        }
    }

    /// How well a target matches the source that it is paired with.
    fn claim(&self, target: usize) -> (u32, bool) {
        self.pairs[target].map_or((0, false), |(source, score)| (score, self.is_same_name(source, target)))
    }

    fn is_same_name(&self, source: usize, target: usize) -> bool {
        self.sources[source].basename() == self.targets[target].basename()
    }

    /// For each paired target path, where it came from and how alike the two are.
    fn origins(&self) -> HashMap<Vec<u8>, (Entry, u32)> {
        let paired = self.targets.iter().zip(&self.pairs);
        paired
            .filter_map(|(target, pair)| {
                pair.map(|(source, score)| (target.path.clone(), (self.sources[source].clone(), score)))
            })
            .collect()
    }

    fn pair(&mut self, source: usize, target: usize, score: u32) {
        self.used[source] = true;
        self.pairs[target] = Some((source, score));
    }

    fn pair_equal(&mut self) {
        let mut by_content: HashMap<_, Vec<usize>> = HashMap::new();
        for (index, source) in self.sources.iter().enumerate() {
            by_content.entry(source.id).or_default().push(index);
        }
        for target in 0..self.targets.len() {
            let wanted = self.targets[target];
            let Some(equal) = by_content.get(&wanted.id) else { continue };
            let mut free = equal
                .iter()
                .copied()
                .filter(|&source| !self.used[source] && self.sources[source].mode.is_same_type(wanted.mode))
                .take(EQUAL_SOURCES_MAX)
                .peekable();
            let first = free.peek().copied();
            let same_name = free.find(|&source| self.sources[source].basename() == wanted.basename());
            if let Some(source) = same_name.or(first) {
                self.pair(source, target, SCORE_MAX);
            }
        }
    }

    fn pair_same_names(&mut self) -> Result<()> {
        let sources = unique_names(&self.sources, |index| self.used[index]);
        let targets = unique_names(&self.targets, |index| self.pairs[index].is_some());
        // In the order of the files, so that a limit always stops at the same one.
        let mut unique: Vec<_> = sources.into_iter().filter_map(|(name, source)| Some((source?, name))).collect();
        unique.sort_unstable();
        for (source, name) in unique {
            let Some(&Some(target)) = targets.get(name) else { continue };
            let mut source_content = Measured::new(self.repo, self.sources[source]);
            let mut target_content = Measured::new(self.repo, self.targets[target]);
            let score = self.effort.score(&mut source_content, &mut target_content, SAME_NAME_SCORE_MIN)?;
            if score >= SAME_NAME_SCORE_MIN {
                self.pair(source, target, score);
            }
            self.effort.release(&source_content);
            self.effort.release(&target_content);
        }
        Ok(())
    }

    fn pair_most_alike(&mut self) -> Result<()> {
        let free: Vec<usize> = (0..self.sources.len()).filter(|&source| !self.used[source]).collect();
        let open: Vec<usize> = (0..self.targets.len()).filter(|&target| self.pairs[target].is_none()).collect();
        if free.len() * open.len() > PAIRS_ROOT_MAX * PAIRS_ROOT_MAX {
            return Ok(());
        }
        let mut sources: Vec<_> = free.iter().map(|&source| Measured::new(self.repo, self.sources[source])).collect();
        let mut candidates = Vec::new();
        for target in open {
            let mut target_content = Measured::new(self.repo, self.targets[target]);
            let mut best = Vec::with_capacity(CANDIDATES);
            for (source, source_content) in free.iter().zip(&mut sources) {
                let score = self.effort.score(source_content, &mut target_content, SCORE_MIN)?;
                let same_name = source_content.entry.basename() == target_content.entry.basename();
                retain_best(&mut best, Candidate { score, same_name, source: *source, target });
            }
            candidates.append(&mut best);
            self.effort.release(&target_content);
        }
        candidates.sort_by_key(|candidate: &Candidate| std::cmp::Reverse(candidate.rank()));
        for candidate in &candidates {
            let is_free = !self.used[candidate.source] && self.pairs[candidate.target].is_none();
            if candidate.score >= SCORE_MIN && is_free {
                self.pair(candidate.source, candidate.target, candidate.score);
            }
        }
        self.candidates = candidates;
        Ok(())
    }
}

/// The index of the only entry with a name, or `None` if several have it.
fn unique_names<'a>(entries: &[&'a Entry], skip: impl Fn(usize) -> bool) -> HashMap<&'a [u8], Option<usize>> {
    let mut names = HashMap::new();
    for (index, entry) in entries.iter().enumerate().filter(|(index, _)| !skip(*index)) {
        names.entry(entry.basename()).and_modify(|unique| *unique = None).or_insert(Some(index));
    }
    names
}

struct Candidate {
    score: u32,
    same_name: bool,
    source: usize,
    target: usize,
}

impl Candidate {
    fn rank(&self) -> (u32, bool) {
        (self.score, self.same_name)
    }
}

/// Replaces the worst candidate of a full list, at the same index: git breaks ties by the index.
fn retain_best(best: &mut Vec<Candidate>, candidate: Candidate) {
    if best.len() < CANDIDATES {
        best.push(candidate);
        return;
    }
    let worst = best.iter_mut().min_by_key(|candidate| candidate.rank()).expect("the list is full");
    if worst.rank() < candidate.rank() {
        *worst = candidate;
    }
}
