//! The graph of modules: which module names which, by paths that begin with `crate`, `super`, `self` or a child's name.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use super::sources::Source;

type Module = Vec<String>;
/// For each pair of siblings, one example of a module that uses another.
type Siblings = BTreeMap<String, BTreeMap<String, String>>;

/// Every cycle between siblings, where a directory counts as one. A module and those inside it may use each other.
pub fn cycles(sources: &[Source]) -> Vec<String> {
    let modules: BTreeSet<Module> = sources.iter().map(|source| source.module.clone()).collect();
    let mut levels: BTreeMap<Module, Siblings> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.module.iter().any(|part| part == "tests")) {
        for target in targets(source, &modules) {
            let common = source.module.iter().zip(&target).take_while(|(a, b)| a == b).count();
            let (Some(from), Some(to)) = (source.module.get(common), target.get(common)) else { continue };
            let example = format!("{} uses {}", source.module.join("::"), target.join("::"));
            let siblings = levels.entry(target[..common].to_vec()).or_default();
            siblings.entry(from.clone()).or_default().entry(to.clone()).or_insert(example);
        }
    }
    levels.values().flat_map(cycles_between).collect()
}

/// A pair of siblings that reach each other is in a cycle; each is reported with the arrow that begins it.
fn cycles_between(siblings: &Siblings) -> Vec<String> {
    let mut found = Vec::new();
    for (from, arrows) in siblings {
        for (to, example) in arrows {
            if reaches(siblings, to, from) {
                found.push(example.clone());
            }
        }
    }
    found
}

fn reaches(siblings: &Siblings, from: &str, to: &str) -> bool {
    let (mut waiting, mut seen) = (vec![from], BTreeSet::new());
    while let Some(module) = waiting.pop() {
        if module == to {
            return true;
        }
        if seen.insert(module) {
            waiting.extend(siblings.get(module).into_iter().flat_map(BTreeMap::keys).map(String::as_str));
        }
    }
    false
}

/// The modules that a file names.
fn targets(source: &Source, modules: &BTreeSet<Module>) -> BTreeSet<Module> {
    let file = syn::parse_file(&source.text).unwrap_or_else(|error| panic!("{}: {error}", source.path));
    let mut paths = Paths::default();
    paths.visit_file(&file);
    let resolve = |path: &Vec<String>| resolve(path, &source.module, modules);
    paths.found.iter().filter_map(resolve).filter(|target| *target != source.module).collect()
}

/// The deepest module that a path leads to.
fn resolve(path: &[String], here: &Module, modules: &BTreeSet<Module>) -> Option<Module> {
    let mut rest = path;
    let mut base = match path.first()?.as_str() {
        "crate" => {
            rest = &rest[1..];
            Vec::new()
        }
        "self" | "super" => here.clone(),
        first => {
            let child = [here.as_slice(), &[first.to_owned()]].concat();
            modules.contains(&child).then(|| here.clone())?
        }
    };
    while let Some(first) = rest.first().filter(|first| matches!(first.as_str(), "self" | "super")) {
        if first == "super" {
            base.pop();
        }
        rest = &rest[1..];
    }
    for part in rest {
        base.push(part.clone());
        if !modules.contains(&base) {
            base.pop();
            break;
        }
    }
    Some(base)
}

/// All paths of a file, outside of its own unit tests.
#[derive(Default)]
struct Paths {
    found: BTreeSet<Vec<String>>,
}

impl Paths {
    fn add_tree(&mut self, prefix: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            syn::UseTree::Name(name) => drop(self.found.insert(with(&name.ident))),
            syn::UseTree::Rename(rename) => drop(self.found.insert(with(&rename.ident))),
            syn::UseTree::Glob(_) => drop(self.found.insert(prefix.to_vec())),
            syn::UseTree::Group(group) => group.items.iter().for_each(|item| self.add_tree(prefix, item)),
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let is_test = module.attrs.iter().any(|attribute| attribute.path().is_ident("cfg"));
        if !is_test {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add_tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if parts.len() > 1 {
            self.found.insert(parts);
        }
        visit::visit_path(self, path);
    }
}
