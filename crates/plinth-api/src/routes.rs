//! Registration of handlers, each tied by its types to its row of the access table.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::Method;
use percent_encoding::percent_decode_str;

use crate::app::App;
use crate::policy::{Endpoint, Row};
use crate::request::Allowed;
use crate::request::handler::{ApiRequest, Handler, HandlerResponse};
use plinth_base::error::Result;
use plinth_core::access::{PathParams, Target};

type Call = Arc<dyn Fn(ApiRequest, App) -> BoxFuture<'static, Result<HandlerResponse>> + Send + Sync>;

/// One operation that can be called.
#[derive(Clone)]
pub struct Route {
    pub row: &'static Row,
    call: Call,
}

impl Route {
    pub fn call(&self, request: ApiRequest, app: App) -> BoxFuture<'static, Result<HandlerResponse>> {
        (self.call)(request, app)
    }
}

/// All operations, found by method and path.
#[derive(Default, Clone)]
pub struct Routes {
    registered: Vec<Route>,
}

impl Routes {
    /// Adds the handler of the operation `E`, whose first argument is the proof of the right to it.
    pub fn on<E, H, A>(mut self, handler: H) -> Self
    where
        E: Endpoint,
        H: Handler<A>,
        A: ProvesRightTo<E> + 'static,
    {
        let call: Call = Arc::new(move |request, app| handler.clone().call(request, app));
        self.registered.push(Route { row: E::ROW, call });
        self
    }

    pub fn merge(mut self, other: Routes) -> Self {
        self.registered.extend(other.registered);
        self
    }

    /// The rows that have a handler.
    pub fn rows(&self) -> impl Iterator<Item = &'static Row> {
        self.registered.iter().map(|route| route.row)
    }

    /// Builds the tree that requests are matched with. Two handlers for one operation are a mistake of ours.
    pub fn into_matcher(self) -> Matcher {
        let mut by_path: HashMap<&'static str, Vec<Route>> = HashMap::new();
        for route in self.registered {
            for path in route.row.paths {
                let methods = by_path.entry(path).or_default();
                let taken = methods.iter().any(|other| other.row.method == route.row.method);
                assert!(!taken, "{} {path} has two handlers", route.row.method);
                methods.push(route.clone());
            }
        }
        let mut matcher = Matcher::default();
        for (path, methods) in by_path {
            let (pattern, suffix) = split_suffix(path);
            let tree = if suffix.is_empty() { &mut matcher.tree } else { matcher.suffixes.entry(suffix).or_default() };
            tree.insert(pattern, Node { names: names_in(path), methods })
                .expect("the paths of the access table do not contradict each other");
        }
        matcher
    }
}

/// What comes after a part that may contain slashes, which the tree cannot match.
fn split_suffix(path: &'static str) -> (&'static str, &'static str) {
    let end = path.find("{*").and_then(|start| Some(start + path[start..].find('}')? + 1));
    path.split_at(end.unwrap_or(path.len()))
}

/// The names of the parts that vary, in their order.
fn names_in(path: &'static str) -> Vec<&'static str> {
    let parts = path.split(['{', '}']).skip(1).step_by(2);
    parts.map(|name| name.trim_start_matches('*')).collect()
}

/// Finds the operation for a request.
#[derive(Default)]
pub struct Matcher {
    tree: matchit::Router<Node>,
    /// Paths that end in a fixed text after a part that may contain slashes, by that text. They take precedence.
    suffixes: HashMap<&'static str, matchit::Router<Node>>,
}

/// What is at one path.
struct Node {
    names: Vec<&'static str>,
    methods: Vec<Route>,
}

impl Matcher {
    /// A path that exists but not with this method is not found either.
    pub fn find(&self, method: &Method, path: &str) -> Option<(&Route, PathParams)> {
        let with_suffix =
            self.suffixes.iter().find_map(|(suffix, tree)| find_in(tree, method, path.strip_suffix(*suffix)?));
        with_suffix.or_else(|| find_in(&self.tree, method, path))
    }
}

fn find_in<'t>(tree: &'t matchit::Router<Node>, method: &Method, path: &str) -> Option<(&'t Route, PathParams)> {
    let matched = tree.at(path).ok()?;
    let Node { names, methods } = matched.value;
    let route = methods.iter().find(|route| route.row.method == *method)?;
    let values = matched.params.iter().map(|(_, value)| value);
    Some((route, decode(names.iter().copied().zip(values))?))
}

/// Decodes the parts of a path; one that is not UTF-8 names nothing.
fn decode<'p>(raw: impl Iterator<Item = (&'static str, &'p str)>) -> Option<PathParams> {
    let parts = raw.map(|(name, value)| Some((name, percent_decode_str(value).decode_utf8().ok()?.into_owned())));
    parts.collect::<Option<_>>().map(PathParams::new)
}

/// Argument lists of handlers that begin with `Allowed<E, _>`.
pub trait ProvesRightTo<E> {}

macro_rules! proves_right {
    ($($more:ident),*) => {
        impl<E: Endpoint, T: Target, $($more),*> ProvesRightTo<E> for (Allowed<E, T>, $($more,)*) {}
    };
}
proves_right!();
proves_right!(A);
proves_right!(A, B);
proves_right!(A, B, C);
proves_right!(A, B, C, D);
