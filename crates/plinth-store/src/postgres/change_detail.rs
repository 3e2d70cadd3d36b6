//! What of a scope's content has changed, as one number that other nodes read.
//!
//! For each kind of content it has 17 bits: two say whether rows have changed, and fifteen which one. The bit above them says that
//! the number has this format. Any other number means that everything of the scope may have changed.

use crate::content_kinds::{ContentKind, ContentKinds};
use crate::effect::ChangedRows;
use crate::invalidation::{ChangedSlots, InvalidationScope, ROW_SLOTS};

const KIND_BITS: usize = 17;
const FORMAT: i64 = 1 << (KIND_BITS * ContentKind::COUNT);
const EVERYTHING: i64 = 0;
const NO_ROW: i64 = 1;
const ONE_ROW: i64 = 2;
const ANY_ROW: i64 = 3;
const _: () = assert!(ROW_SLOTS <= 1 << (KIND_BITS - 2) && KIND_BITS * ContentKind::COUNT < 63);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    Everything,
    /// Of each kind that has changed, which rows.
    Kinds([Option<ChangedSlots>; ContentKind::COUNT]),
}

impl Detail {
    /// Of a statement that changes these kinds and declares these rows.
    pub fn of(scope: InvalidationScope, kinds: ContentKinds, rows: ChangedRows) -> Self {
        Self::Kinds(ChangedSlots::of_kinds(scope, kinds, rows))
    }

    /// Both, if one number can say so.
    pub fn with(self, other: Self) -> Option<Self> {
        let (Self::Kinds(kinds), Self::Kinds(others)) = (self, other) else { return Some(Self::Everything) };
        let mut both = kinds;
        for (slots, other) in both.iter_mut().zip(others) {
            *slots = match (*slots, other) {
                (Some(slots), Some(other)) => Some(slots.with(other)?),
                (slots, other) => slots.or(other),
            };
        }
        Some(Self::Kinds(both))
    }

    pub fn number(self) -> i64 {
        let Self::Kinds(kinds) = self else { return EVERYTHING };
        let bits = |slots| match slots {
            None => 0,
            Some(ChangedSlots::None) => NO_ROW,
            Some(ChangedSlots::One(slot)) => ONE_ROW | (i64::try_from(slot).expect("there are few counters") << 2),
            Some(ChangedSlots::Any) => ANY_ROW,
        };
        kinds.into_iter().rev().fold(1, |number, slots| (number << KIND_BITS) | bits(slots))
    }

    pub fn from_number(number: i64) -> Self {
        if number & !(FORMAT - 1) != FORMAT {
            return Self::Everything;
        }
        let slots = |kind| {
            let bits = (number >> (KIND_BITS * kind as usize)) & ((1 << KIND_BITS) - 1);
            match bits & 3 {
                NO_ROW => Some(ChangedSlots::None),
                ONE_ROW => Some(usize::try_from(bits >> 2).map_or(ChangedSlots::Any, ChangedSlots::One)),
                ANY_ROW => Some(ChangedSlots::Any),
                _ => None,
            }
        };
        Self::Kinds(ContentKind::ALL.map(slots))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOTS: [Option<ChangedSlots>; 6] = [
        None,
        Some(ChangedSlots::None),
        Some(ChangedSlots::One(0)),
        Some(ChangedSlots::One(1)),
        Some(ChangedSlots::One(ROW_SLOTS - 1)),
        Some(ChangedSlots::Any),
    ];

    fn details() -> Vec<Detail> {
        let kinds = SLOTS.into_iter().flat_map(|a| SLOTS.map(move |b| (a, b)));
        let kinds = kinds.flat_map(|(a, b)| SLOTS.map(move |c| Detail::Kinds([a, b, c])));
        kinds.chain([Detail::Everything]).collect()
    }

    #[test]
    fn numbers_say_what_has_changed() {
        for detail in details() {
            assert_eq!(Detail::from_number(detail.number()), detail, "{:x}", detail.number());
        }
        // Of an older node, of a newer one, and nonsense.
        for number in [EVERYTHING, FORMAT << 1, FORMAT << 1 | FORMAT, FORMAT - 1, -1, i64::MIN, i64::MAX] {
            assert_eq!(Detail::from_number(number), Detail::Everything, "{number:x}");
        }
    }

    #[test]
    fn both_have_what_each_has() {
        let covers = |both: Option<ChangedSlots>, one: Option<ChangedSlots>| {
            both == one
                || both == Some(ChangedSlots::Any)
                || one.is_none()
                || one == Some(ChangedSlots::None) && both.is_some()
        };
        let of = |slots| Detail::Kinds([slots, None, Some(ChangedSlots::None)]);
        for (one, other) in SLOTS.into_iter().flat_map(|one| SLOTS.map(move |other| (one, other))) {
            assert_eq!(of(one).with(Detail::Everything), Some(Detail::Everything));
            let different = |slots| matches!(slots, Some(ChangedSlots::One(_)));
            match of(one).with(of(other)) {
                Some(Detail::Kinds([both, None, Some(ChangedSlots::None)])) => {
                    assert!(covers(both, one) && covers(both, other), "{one:?} with {other:?}: {both:?}");
                    assert!(both == one || both == other, "{one:?} with {other:?}: {both:?}");
                }
                both => assert!(both.is_none() && one != other && different(one) && different(other), "{both:?}"),
            }
        }
    }
}
