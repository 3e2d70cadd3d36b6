//! The part of a list that a cursor asks for, the same for every list that pages both ways.

use crate::paging::{CursorPage, Edge};

/// Some items of a list, and where the list goes on.
#[derive(Debug, PartialEq, Eq)]
pub struct Window<T> {
    pub items: Vec<T>,
    /// The cursor before which earlier items lie.
    pub before_first: Option<i64>,
    /// The cursor after which later items lie.
    pub after_last: Option<i64>,
}

impl<T> Window<T> {
    /// Takes what was found from the edge on, one item more than the page has where there are so many, in the
    /// direction of reading; `behind` tells whether there is anything on the other side of the edge.
    pub fn new(page: CursorPage, mut found: Vec<T>, behind: bool, id: impl Fn(&T) -> i64) -> Self {
        let size = usize::try_from(page.per_page).unwrap_or(usize::MAX);
        let more = found.len() > size;
        found.truncate(size);
        if let Edge::Before(_) = page.edge {
            found.reverse();
        }
        let (first, last) = (found.first().map(&id), found.last().map(&id));
        let (earlier, later) = match page.edge {
            Edge::Start => (None, last.filter(|_| more)),
            // An empty page still leads back to where it came from.
            Edge::After(edge) => (behind.then(|| first.unwrap_or(edge.saturating_add(1))), last.filter(|_| more)),
            Edge::Before(edge) => (first.filter(|_| more), behind.then(|| last.unwrap_or(edge.saturating_sub(1)))),
        };
        Self { items: found, before_first: earlier, after_last: later }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(edge: Edge, found: &[i64], behind: bool) -> Window<i64> {
        Window::new(CursorPage { edge, per_page: 2 }, found.to_vec(), behind, |id| *id)
    }

    fn expected(items: &[i64], before_first: Option<i64>, after_last: Option<i64>) -> Window<i64> {
        Window { items: items.to_vec(), before_first, after_last }
    }

    #[test]
    fn links_lead_to_whatever_is_on_either_side() {
        assert_eq!(window(Edge::Start, &[], false), expected(&[], None, None));
        assert_eq!(window(Edge::Start, &[1, 2], false), expected(&[1, 2], None, None));
        assert_eq!(window(Edge::Start, &[1, 2, 3], false), expected(&[1, 2], None, Some(2)));
        assert_eq!(window(Edge::After(2), &[3, 4, 5], true), expected(&[3, 4], Some(3), Some(4)));
        assert_eq!(window(Edge::After(4), &[5], true), expected(&[5], Some(5), None));
        assert_eq!(window(Edge::After(5), &[], true), expected(&[], Some(6), None));
        assert_eq!(window(Edge::After(5), &[6], false), expected(&[6], None, None));
        assert_eq!(window(Edge::Before(5), &[4, 3, 2], true), expected(&[3, 4], Some(3), Some(4)));
        assert_eq!(window(Edge::Before(3), &[2, 1], true), expected(&[1, 2], None, Some(2)));
        assert_eq!(window(Edge::Before(1), &[], true), expected(&[], None, Some(0)));
    }
}
