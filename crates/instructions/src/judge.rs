//! Mentions held against a tree: which are there, which are not, and which are left open.

mod drawings;
mod paths;
mod symbols;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use apostille_cite::source::Source;

use crate::{
    declared::DeclaredNames,
    doubt::{Doubt, find_doubt},
    finding::InstructionRule,
    mention::{Mention, MentionKind, read_bare_pair, split_call, split_symbol},
    symbols::SymbolIndex,
    tree_index::{TreeIndex, split_last},
};

/// What became of a mention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MentionJudgement {
    /// It is there.
    Found,
    /// It was not found, and that may be right.
    Doubted(Doubt),
    /// It does not agree with the tree.
    Wrong(Disagreement),
}

/// How a mention does not agree with the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Disagreement {
    pub(crate) rule: InstructionRule,
    pub(crate) looked_for: String,
    pub(crate) looked_in: String,
    pub(crate) now: Option<String>,
    pub(crate) message: String,
}

/// The file that a mention stands in.
struct MentionHome<'a> {
    folder: &'a str,
    knows_tree: bool,
}

/// A tree to hold mentions against.
pub(crate) struct MentionJudge<'a> {
    tree: &'a TreeIndex<'a>,
    declared: BTreeMap<MentionKind, OnceCell<DeclaredNames>>,
    symbols: SymbolIndex,
}

impl<'a> MentionJudge<'a> {
    /// Searches the code for the symbols of all mentions at once.
    pub(crate) fn new(
        tree: &'a TreeIndex<'a>,
        source: &dyn Source,
        mentions: &[Mention],
        is_late: &dyn Fn() -> bool,
    ) -> Self {
        let symbols = mentions.iter().filter(|it| it.kind == MentionKind::Symbol);
        let words = symbols.flat_map(|it| split_symbol(split_call(&it.name).0));
        let words: BTreeSet<String> = words
            .chain(mentions.iter().filter_map(read_bare_pair))
            .map(str::to_owned)
            .collect();
        Self {
            tree,
            declared: MentionKind::ALL
                .iter()
                .map(|it| (*it, OnceCell::new()))
                .collect(),
            symbols: SymbolIndex::search(source, words, is_late),
        }
    }

    /// Judges the mentions of one file, in order.
    pub(crate) fn judge_file(&self, file: &str, mentions: &[Mention]) -> Vec<MentionJudgement> {
        let home = split_last(file).0;
        let drawings = self.place_drawings(home, mentions);
        let home = MentionHome {
            folder: home,
            knows_tree: self.knows_tree(mentions),
        };
        mentions
            .iter()
            .map(|it| match it.drawing {
                Some(drawing) => {
                    self.judge_drawn(it, drawings.get(&drawing).and_then(Option::as_ref))
                }
                None => self.judge_mention(it, &home),
            })
            .collect()
    }

    fn judge_mention(&self, mention: &Mention, home: &MentionHome) -> MentionJudgement {
        match mention.kind {
            MentionKind::Path => self.judge_path(mention, home),
            MentionKind::PythonModule => self.judge_module(mention),
            MentionKind::Symbol => self.judge_symbol(mention),
            _ => self.judge_declared(mention),
        }
    }

    /// A module whose package is in the tree. Others are installed.
    fn judge_module(&self, mention: &Mention) -> MentionJudgement {
        let path = mention.name.replace('.', "/");
        let file = format!("{path}.py");
        let is_there = |it: &str| !self.tree.paths_ending_with(it).is_empty();
        let first = path.split('/').next().unwrap_or(&path);
        if is_there(&path) || is_there(&file) {
            return MentionJudgement::Found;
        }
        let is_ours = path.contains('/') && is_there(&format!("{first}/__init__.py"));
        if !is_ours {
            return MentionJudgement::Doubted(Doubt::Elsewhere);
        }
        find_doubt(mention).map_or_else(
            || {
                MentionJudgement::Wrong(Disagreement {
                    rule: InstructionRule::Gone,
                    looked_for: format!("{file} or a folder {path}"),
                    looked_in: format!("{} files", self.tree.n_files()),
                    now: None,
                    message: format!("the package `{first}` has no module `{}`", mention.name),
                })
            },
            MentionJudgement::Doubted,
        )
    }

    fn judge_declared(&self, mention: &Mention) -> MentionJudgement {
        let Some(cell) = self.declared.get(&mention.kind) else {
            return MentionJudgement::Found;
        };
        let declared = cell.get_or_init(|| DeclaredNames::read(self.tree, mention.kind));
        let name = mention.name.as_str();
        if declared.names.contains(name)
            || mention.kind == MentionKind::MakeTarget && self.is_elsewhere_in_tree(name)
        {
            return MentionJudgement::Found;
        }
        if declared.files.is_empty() {
            return MentionJudgement::Doubted(Doubt::Elsewhere);
        }
        if declared.is_open {
            return MentionJudgement::Doubted(Doubt::Open);
        }
        match find_doubt(mention) {
            Some(doubt) => MentionJudgement::Doubted(doubt),
            None => MentionJudgement::Wrong(describe_declared(mention, declared)),
        }
    }
}

fn describe_declared(mention: &Mention, declared: &DeclaredNames) -> Disagreement {
    let (kind, name) = (mention.kind, &mention.name);
    let nearest = declared.find_nearest(name);
    let first = declared.files.first().map_or("", String::as_str);
    let more = declared.files.len() - 1;
    let near = nearest
        .map(|it| format!("; `{it}` is there"))
        .unwrap_or_default();
    let thing = describe_kind(kind);
    Disagreement {
        rule: InstructionRule::Contradicted,
        looked_for: format!("{thing} {name}"),
        looked_in: if more > 0 {
            format!("{first} and {more} more")
        } else {
            first.to_owned()
        },
        now: nearest.map(str::to_owned),
        message: if more > 0 {
            format!("`{name}` is not a {thing} of {first} or {more} more{near}")
        } else {
            format!("`{name}` is not a {thing} of {first}{near}")
        },
    }
}

fn describe_kind(kind: MentionKind) -> &'static str {
    match kind {
        MentionKind::MakeTarget => "target",
        MentionKind::JustRecipe => "recipe",
        MentionKind::CargoPackage => "package",
        MentionKind::CargoBinary => "binary",
        MentionKind::CargoTest => "test",
        MentionKind::CargoExample => "example",
        MentionKind::CargoAlias => "alias",
        MentionKind::PoeTask | MentionKind::Task | MentionKind::MiseTask => "task",
        other => other.as_str(),
    }
}
