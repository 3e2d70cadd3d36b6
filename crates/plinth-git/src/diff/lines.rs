//! Two texts as lists of lines, with equal lines numbered equally.

use std::collections::HashMap;

/// The lines of one text, each with its line end, and the number of each line's content.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    pub text: Vec<&'a [u8]>,
    pub ids: Vec<u32>,
}

/// Two texts whose lines are numbered by the same table.
#[derive(Debug)]
pub(super) struct LinePair<'a> {
    pub old: Lines<'a>,
    pub new: Lines<'a>,
    pub distinct: usize,
}

impl<'a> LinePair<'a> {
    pub fn new(old: &'a [u8], new: &'a [u8]) -> Self {
        let (old, new) = (split(old), split(new));
        let mut numbers = HashMap::with_capacity(old.len().max(new.len()));
        let old = Lines::number(old, &mut numbers);
        let new = Lines::number(new, &mut numbers);
        Self { old, new, distinct: numbers.len() }
    }
}

impl<'a> Lines<'a> {
    fn number(text: Vec<&'a [u8]>, numbers: &mut HashMap<&'a [u8], u32>) -> Self {
        let ids = text
            .iter()
            .map(|line| {
                let next = numbers.len() as u32;
                *numbers.entry(line).or_insert(next)
            })
            .collect();
        Self { text, ids }
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }
}

fn split(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n').collect()
}
