//! The operation that a request without a route may have meant.

use http::Method;

use plinth_api::policy::Row;
use plinth_api::policy::table::TABLE;

/// The method and the path of the most similar operation, if it is similar at all.
pub fn find(method: &Method, path: &str) -> Option<String> {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let scored =
        TABLE.iter().flat_map(|row| row.paths.iter().map(|known| (score(row, known, method, &parts), *row, *known)));
    let (score, row, known) = scored.max_by_key(|(score, ..)| *score)?;
    (score > 0).then(|| format!("{} {known}", row.method))
}

/// Equal parts count most, then parts that vary; missing and additional ones count against it.
fn score(row: &Row, known: &str, method: &Method, parts: &[&str]) -> i64 {
    let known: Vec<&str> = known.trim_matches('/').split('/').collect();
    let shared: i64 = known
        .iter()
        .zip(parts)
        .map(|(known, part)| match known.starts_with('{') {
            _ if known == part => 4,
            true => 1,
            false => -4,
        })
        .sum();
    let difference = i64::try_from(known.len().abs_diff(parts.len())).unwrap_or(i64::MAX);
    shared - 2 * difference + i64::from(row.method == *method)
}
