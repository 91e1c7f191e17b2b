//! Drawn trees: each is put into the folder that most of its lines are in, and then its other lines are judged.

use std::collections::BTreeMap;

use super::{MentionJudge, MentionJudgement};
use crate::{
    doubt::{Doubt, find_doubt},
    mention::Mention,
    tree_index::{join_paths, split_last},
};

/// The folder that a drawing is of, and whether the name at its root is left out.
type DrawingPlace = (String, bool);

impl MentionJudge<'_> {
    /// For each drawing the folder that most of its lines are in, and whether the name at its root is left out.
    pub(super) fn place_drawings(
        &self,
        home: &str,
        mentions: &[Mention],
    ) -> BTreeMap<usize, Option<DrawingPlace>> {
        let mut groups: BTreeMap<usize, Vec<&Mention>> = BTreeMap::new();
        for it in mentions {
            if let Some(drawing) = it.drawing {
                groups.entry(drawing).or_default().push(it);
            }
        }
        groups
            .into_iter()
            .map(|(key, lines)| (key, self.place_drawing(home, &lines)))
            .collect()
    }

    fn place_drawing(&self, home: &str, lines: &[&Mention]) -> Option<DrawingPlace> {
        let mut bases = self.list_bases(lines.first()?, home);
        bases.sort();
        bases.dedup();
        let options = bases
            .into_iter()
            .flat_map(|it| [(it.clone(), false), (it, true)]);
        let count = |option: &DrawingPlace| {
            let is_there =
                |it: &&&Mention| place_drawn(it, option).is_some_and(|it| self.tree.has_path(&it));
            lines.iter().filter(is_there).count()
        };
        let best = options.map(|it| (count(&it), it)).max_by_key(|it| it.0)?;
        let depth = lines
            .iter()
            .map(|it| it.name.trim_end_matches('/').matches('/').count())
            .min()?;
        let is_outer = |it: &&&Mention| it.name.trim_end_matches('/').matches('/').count() == depth;
        let is_whole =
            |it: &&Mention| place_drawn(it, &best.1).is_some_and(|it| self.tree.has_path(&it));
        let is_outer_whole = lines.iter().filter(is_outer).all(is_whole);
        (best.0 >= 2 && (is_outer_whole || best.0 * 5 >= lines.len() * 3)).then_some(best.1)
    }

    pub(super) fn judge_drawn(
        &self,
        mention: &Mention,
        place: Option<&DrawingPlace>,
    ) -> MentionJudgement {
        let Some(path) = place.and_then(|it| place_drawn(mention, it)) else {
            return MentionJudgement::Doubted(Doubt::NoFolder);
        };
        if self.tree.has_path(&path) {
            return MentionJudgement::Found;
        }
        if self.tree.is_ignored(&path) {
            return MentionJudgement::Doubted(Doubt::Ignored);
        }
        // Below a folder that is gone nothing more is said.
        if !self.tree.is_folder(split_last(&path).0) {
            return MentionJudgement::Doubted(Doubt::NoFolder);
        }
        if let Some(doubt) = find_doubt(mention) {
            return MentionJudgement::Doubted(doubt);
        }
        MentionJudgement::Wrong(self.describe_path(
            mention,
            &path,
            self.find_moved(&path, &[String::new()]),
        ))
    }
}

fn place_drawn(mention: &Mention, (base, skips_root): &DrawingPlace) -> Option<String> {
    let path = mention.name.as_str();
    let path = if *skips_root {
        path.split_once('/')?.1
    } else {
        path
    };
    join_paths(base, path)
}
