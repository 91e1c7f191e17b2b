//! Many words looked for in one pass over a text.

/// Bits of the filter: nearly every place of a text is passed over by looking at one of them.
const BITS: usize = 1 << 15;
/// Buckets of the words by their first two bytes: a power of two, so that a mask picks one.
const BUCKETS: usize = 1 << 10;

/// Words of two bytes or more, each with a number.
pub(crate) struct WordIndex {
    /// Whether a word may begin with these three bytes.
    filter: Vec<u64>,
    /// Where the words of each bucket begin.
    starts: Vec<usize>,
    words: Vec<(Box<[u8]>, usize)>,
}

impl WordIndex {
    /// The index of these words. The same word may come with several numbers.
    pub(crate) fn new<W: Into<Vec<u8>>>(words: impl Iterator<Item = (W, usize)>) -> Self {
        let mut words: Vec<(Box<[u8]>, usize)> = words
            .map(|(word, number)| (word.into().into_boxed_slice(), number))
            .collect();
        words.sort_by_key(|(word, _)| hash_word_bucket(word));
        let starts = (0..=BUCKETS)
            .map(|it| words.partition_point(|(word, _)| hash_word_bucket(word) < it))
            .collect();
        let mut filter = vec![0; BITS / 64];
        for (word, _) in &words {
            let thirds = word.get(2).map_or(0..=u8::MAX, |it| *it..=*it);
            thirds
                .map(|third| hash_filter_bit(word, third))
                .for_each(|it| filter[it / 64] |= 1 << (it % 64));
        }
        Self {
            filter,
            starts,
            words,
        }
    }

    /// Tells of every word in the text: its number, and where it begins and ends.
    pub(crate) fn for_each_match(
        &self,
        text: &[u8],
        mut found: impl FnMut(usize, std::ops::Range<usize>),
    ) {
        for at in 0..text.len().saturating_sub(1) {
            let bit = hash_filter_bit(&text[at..], text.get(at + 2).copied().unwrap_or(0));
            if self.filter[bit / 64] & 1 << (bit % 64) != 0 {
                let bucket = hash_word_bucket(&text[at..]);
                for (word, number) in &self.words[self.starts[bucket]..self.starts[bucket + 1]] {
                    if text[at..].starts_with(word) {
                        found(*number, at..at + word.len());
                    }
                }
            }
        }
    }

    /// Whether one of the words stands in the text.
    pub(crate) fn has_any_in(&self, text: &[u8]) -> bool {
        let mut is_any = false;
        self.for_each_match(text, |_, _| is_any = true);
        is_any
    }
}

fn hash_word_bucket(start: &[u8]) -> usize {
    match start {
        [first, second, ..] => (usize::from(*first) * 37 + usize::from(*second)) & (BUCKETS - 1),
        _ => 0,
    }
}

fn hash_filter_bit(start: &[u8], third: u8) -> usize {
    match start {
        [first, second, ..] => {
            (usize::from(*first) ^ usize::from(*second) << 5 ^ usize::from(third) << 10)
                & (BITS - 1)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_where_it_stands() {
        let words = WordIndex::new([("ab", 0), ("abc", 1), ("bc", 2), ("абв", 3)].into_iter());
        let check = |text: &str, expected: &[(usize, usize)]| {
            let mut found = Vec::new();
            words.for_each_match(text.as_bytes(), |number, at| found.push((number, at.start)));
            assert_eq!(found, expected, "{text}");
            assert_eq!(
                words.has_any_in(text.as_bytes()),
                !expected.is_empty(),
                "{text}"
            );
        };
        check("", &[]);
        check("a", &[]);
        check("ab", &[(0, 0)]);
        check("xabcab", &[(0, 1), (1, 1), (2, 2), (0, 4)]);
        check("xабвb", &[(3, 1)]);
    }
}
