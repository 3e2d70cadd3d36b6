//! What a service finds in memory, by its metrics.

use plinth_api::app::App;

/// Bodies that were made for another caller, and refs, comments and pages that were read before.
pub fn count_hits(app: &App) -> u64 {
    let page = app.metrics.render(app);
    let hits_of = |kind: &str| -> u64 {
        let name = format!("plinth_{kind}_hits_total");
        let line = page.lines().find_map(|line| line.strip_prefix(&name)?.strip_prefix(' '));
        line.and_then(|hits| hits.parse().ok()).expect("the figure is on the page")
    };
    ["shared_body", "ref", "comment", "comment_page"].map(hits_of).iter().sum()
}
