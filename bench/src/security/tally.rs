//! Counting rows by group: so many of so many.

use std::collections::BTreeMap;

use crate::{bars::Bar, table::Table};

/// So many of so many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Share {
    /// How many did.
    pub(crate) hits: usize,
    /// How many there were.
    pub(crate) all: usize,
}

impl Share {
    /// Counts one more.
    pub(crate) fn add(&mut self, is_hit: bool) {
        self.hits += usize::from(is_hit);
        self.all += 1;
    }

    /// The share in percent; `None` of none.
    pub(crate) fn percent(self) -> Option<f64> {
        (self.all > 0).then(|| self.hits as f64 * 100.0 / self.all as f64)
    }

    /// The share with what it is made of.
    pub(crate) fn text(self) -> String {
        self.percent().map_or("–".into(), |it| {
            format!("{it:.2} % ({} of {})", self.hits, self.all)
        })
    }

    /// The share beside its bar.
    pub(crate) fn bar(
        self,
        what: &'static str,
        bar: &'static str,
        holds: impl Fn(f64) -> bool,
    ) -> Bar {
        let percent = self.percent();
        Bar {
            what,
            bar,
            figure: percent.map(|_| self.text()),
            holds: percent.map(holds),
        }
    }
}

/// Shares by group, in the order of the groups' names.
#[derive(Debug, Default)]
pub(crate) struct Tally(BTreeMap<String, Share>);

impl Tally {
    /// Counts one more in a group.
    pub(crate) fn add(&mut self, group: &str, is_hit: bool) {
        self.0.entry(group.to_owned()).or_default().add(is_hit);
    }

    /// The share of one group.
    pub(crate) fn of(&self, group: &str) -> Share {
        self.0.get(group).copied().unwrap_or_default()
    }

    /// All groups of which this holds, as one.
    pub(crate) fn sum(&self, picks: impl Fn(&str) -> bool) -> Share {
        let picked = self
            .0
            .iter()
            .filter(|(group, _)| picks(group))
            .map(|(_, share)| share);
        picked.fold(Share::default(), |sum, it| Share {
            hits: sum.hits + it.hits,
            all: sum.all + it.all,
        })
    }

    /// The groups as a table; `did` heads the column of hits.
    pub(crate) fn table(&self, by: &'static str, did: &'static str) -> Table {
        let row = |(group, share): (&String, &Share)| {
            let percent = share.percent().map_or("–".into(), |it| format!("{it:.2}"));
            vec![
                group.clone(),
                share.all.to_string(),
                share.hits.to_string(),
                percent,
            ]
        };
        Table {
            head: vec![by, "rows", did, "%"],
            rows: self.0.iter().map(row).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_counted_and_summed() {
        let mut tally = Tally::default();
        [("a", true), ("a", false), ("b", true)]
            .into_iter()
            .for_each(|(group, hit)| tally.add(group, hit));
        assert_eq!(tally.of("a").text(), "50.00 % (1 of 2)");
        assert_eq!(tally.sum(|_| true), Share { hits: 2, all: 3 });
        assert_eq!(tally.of("c").percent(), None);
        assert_eq!(
            tally.table("group", "hits").rows[0],
            ["a", "2", "1", "50.00"]
        );
        assert_eq!(
            tally.of("b").bar("all", "≥ 95 %", |it| it >= 95.0).holds,
            Some(true)
        );
        assert_eq!(
            tally.of("c").bar("none", "≥ 95 %", |it| it >= 95.0).holds,
            None
        );
    }
}
