//! Pages of lists.

/// A requested page, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    pub number: i64,
    pub per_page: i64,
}

impl Page {
    pub fn limit(self) -> i64 {
        self.per_page
    }

    /// The number of items before this page.
    pub fn offset(self) -> i64 {
        self.number.saturating_sub(1).saturating_mul(self.per_page)
    }
}

/// A requested page, by cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CursorPage {
    pub edge: Edge,
    pub per_page: i64,
}

/// Where a page starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Edge {
    Start,
    After(i64),
    Before(i64),
}

/// The items of a page by cursor, and the cursors of its neighbours.
#[derive(Debug, PartialEq, Eq)]
pub struct Window<T> {
    pub items: Vec<T>,
    /// The cursor of the previous page, if there are earlier items.
    pub before_first: Option<i64>,
    /// The cursor of the next page, if there are later items.
    pub after_last: Option<i64>,
}

impl<T> Window<T> {
    /// `found` starts at the edge, in reading direction, with one item more than the page if there are so many; `behind`
    /// says whether there are items on the other side of the edge.
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
            // An empty page still links back.
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
    fn window_has_a_cursor_for_each_side_with_items() {
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
