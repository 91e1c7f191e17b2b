//! Many citations followed at once: files are shared out among a few threads.

use std::collections::HashMap;
use std::sync::Arc;

use super::trace::{Road, Tracer};
use super::{LATE, Reader, Search, Sight};
use crate::citation::Citation;

/// How many threads follow at once. Most of their time they wait for git.
const HANDS: usize = 4;
/// How many citations are shared out at a time; whether it is late is asked before each.
const LOT: usize = 256;

impl Reader<'_> {
    /// Follows these citations, in any order, and returns what was found in the order given.
    pub(super) fn follow_all(&mut self, citations: &[&Citation], road: &Road<'_>) -> Vec<Search> {
        let mut order: Vec<usize> = (0..citations.len()).collect();
        // One thread takes all citations of a file, so that its versions are read once.
        order.sort_by_key(|at| &citations[*at].path);
        let mut found: Vec<Option<Search>> = citations.iter().map(|_| None).collect();
        for lot in order.chunks(LOT) {
            let (late, due): (Vec<usize>, Vec<usize>) = lot.iter().partition(|_| (self.late)());
            late.into_iter().for_each(|at| found[at] = Some(Search::Over(Sight::unknown(LATE))));
            let lot: Vec<&Citation> = due.iter().map(|at| citations[*at]).collect();
            for (at, search) in due.into_iter().zip(self.shared_out(&lot, road)) {
                found[at] = Some(search);
            }
        }
        let late = || Search::Over(Sight::unknown(LATE));
        found.into_iter().map(|it| it.unwrap_or_else(late)).collect()
    }

    fn shared_out(&mut self, lot: &[&Citation], road: &Road<'_>) -> Vec<Search> {
        let (files, tree) = (std::mem::take(&mut self.files), self.tree.clone());
        let (source, policy, most, edits) = (self.source, self.policy, self.most, &self.edits);
        let follow = |share: &[&Citation]| {
            let mut hand = Reader {
                source,
                policy,
                late: &|| false,
                most,
                files: HashMap::new(),
                known: Some(&files),
                tracer: Tracer::new(source),
                tree: tree.clone(),
                edits: Arc::clone(edits),
            };
            share.iter().map(|it| hand.follow(it, road)).collect::<Vec<Search>>()
        };
        let found = std::thread::scope(|scope| {
            let shares = lot.chunks(lot.len().div_ceil(HANDS).max(1));
            let hands: Vec<_> = shares.map(|share| (share, scope.spawn(move || follow(share)))).collect();
            // A thread that broke down has found nothing; its share is followed again, here.
            hands
                .into_iter()
                .flat_map(|(share, hand)| hand.join().unwrap_or_else(|_| follow(share)))
                .collect()
        });
        self.files = files;
        found
    }
}
