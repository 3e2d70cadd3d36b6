//! Syntax highlighting: bounded in size, line length and time, on its own threads. What is over a limit is shown plain.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};
use tokio::sync::Semaphore;

const BYTES_MAX: usize = 256 * 1024;
/// Longer lines are generated, and their patterns are the expensive ones.
const LINE_BYTES_MAX: usize = 1_000;
/// After this time the rest of a file is plain.
const TIME_MAX: Duration = Duration::from_millis(250);
/// Files that are highlighted at once. A page that would have to wait shows its file plain.
const AT_ONCE: usize = 2;

static PERMITS: Semaphore = Semaphore::const_new(AT_ONCE);
/// Loaded for the first file.
static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);
static CLASSES: LazyLock<Vec<(Scope, &'static str)>> = LazyLock::new(|| {
    const NAMES: [(&str, &str); 10] = [
        ("comment", "c"),
        ("string", "s"),
        ("constant.numeric", "n"),
        ("constant", "n"),
        ("keyword", "k"),
        ("storage", "k"),
        ("entity.name.function", "f"),
        ("entity.name.tag", "k"),
        ("entity.name", "t"),
        ("support.type", "t"),
    ];
    NAMES.iter().filter_map(|(name, class)| Some((Scope::new(name).ok()?, *class))).collect()
});

/// The lines of a file as HTML, without their line ends.
pub async fn lines(path: &str, text: String) -> Vec<String> {
    let plain = |text: &str| text.lines().map(escape).collect();
    let Ok(permit) = PERMITS.try_acquire() else { return plain(&text) };
    let path = path.to_owned();
    let work = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        highlight(&path, &text, TIME_MAX)
    });
    work.await.unwrap_or_default()
}

fn highlight(path: &str, text: &str, time_max: Duration) -> Vec<String> {
    let syntax = (text.len() <= BYTES_MAX).then(|| syntax_of(path, text)).flatten();
    let Some(syntax) = syntax else { return text.lines().map(escape).collect() };
    let (mut state, mut stack) = (ParseState::new(syntax), ScopeStack::new());
    let deadline = Instant::now() + time_max;
    let mut is_plain = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        is_plain |= line.len() > LINE_BYTES_MAX || Instant::now() > deadline;
        let colored = if is_plain { None } else { colored_line(line, &mut state, &mut stack) };
        // After an error the state is not known.
        is_plain |= colored.is_none();
        lines.push(colored.unwrap_or_else(|| escape(line)));
    }
    lines
}

fn syntax_of(path: &str, text: &str) -> Option<&'static SyntaxReference> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit('.').next().unwrap_or(name);
    // Languages that the set lacks and that look like one that it has.
    let alias = match extension {
        "ts" | "tsx" | "jsx" | "mjs" | "cjs" => "js",
        "toml" => "ini",
        "kt" | "kts" | "swift" => "scala",
        "Dockerfile" => "sh",
        other => other,
    };
    let found = SYNTAXES.find_syntax_by_token(name).or_else(|| SYNTAXES.find_syntax_by_token(alias));
    let found = found.or_else(|| SYNTAXES.find_syntax_by_first_line(text.lines().next()?));
    found.filter(|syntax| syntax.name != "Plain Text")
}

fn colored_line(line: &str, state: &mut ParseState, stack: &mut ScopeStack) -> Option<String> {
    let with_end = format!("{line}\n");
    let changes = state.parse_line(&with_end, &SYNTAXES).ok()?;
    let mut out = String::with_capacity(line.len() * 2);
    let mut done = 0;
    for (at, change) in &changes {
        push(&mut out, line.get(done..(*at).min(line.len()))?, class_of(stack));
        done = (*at).min(line.len());
        stack.apply(change).ok()?;
    }
    push(&mut out, line.get(done..)?, class_of(stack));
    Some(out)
}

/// The class of the innermost scope that has one.
fn class_of(stack: &ScopeStack) -> Option<&'static str> {
    let of = |scope: &Scope| CLASSES.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)).map(|(_, class)| *class);
    stack.as_slice().iter().rev().find_map(of)
}

fn push(out: &mut String, text: &str, class: Option<&str>) {
    match class.filter(|_| !text.trim().is_empty()) {
        Some(class) => out.push_str(&format!("<i class={class}>{}</i>", escape(text))),
        None => out.push_str(&escape(text)),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first line of a language compiles its patterns, which takes long without optimization.
    const ENOUGH_TIME: Duration = Duration::from_secs(600);

    #[test]
    fn code_has_classes_and_stays_text() {
        let lines = highlight("a.rs", "// <b>\nfn main() { let a = \"<x>\"; }\n", ENOUGH_TIME);
        assert_eq!(lines.len(), 2);
        assert!(lines[0].contains("<i class=c>") && lines[0].contains("&lt;b&gt;"), "{lines:?}");
        assert!(lines[1].contains("<i class=k>fn</i>") && lines[1].contains("&lt;x&gt;"), "{lines:?}");
        assert_eq!(highlight("a.unknown", "<a> & b", ENOUGH_TIME), ["&lt;a&gt; &amp; b"]);
    }

    #[test]
    fn long_lines_and_long_files_are_plain() {
        let long = "\"".repeat(LINE_BYTES_MAX + 1);
        assert_eq!(highlight("a.rs", &long, ENOUGH_TIME), [long.as_str()]);
        let large = "fn a() {}\n".repeat(BYTES_MAX / 10 + 1);
        assert_eq!(highlight("a.rs", &large, ENOUGH_TIME)[0], "fn a() {}");
    }

    #[test]
    fn lines_after_the_time_limit_are_plain() {
        assert_eq!(highlight("a.rs", "fn a() {}\nfn b() {}\n", Duration::ZERO), ["fn a() {}", "fn b() {}"]);
    }
}
