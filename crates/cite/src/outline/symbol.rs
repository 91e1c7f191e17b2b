//! The item that a caller names instead of lines: `Server::bind`.

use std::fmt;

use apostille_text::{secrets::mask_secrets, typo::count_spelling_errors};

use super::{CodeItem, FileOutline, normalise_item_path};
use crate::citation::{LineSpan, last_path_part};

/// How many items a refusal names.
const MAX_LISTED: usize = 6;
/// How much of an item's name is repeated, in characters: a heading may be long.
const MAX_NAME: usize = 100;

/// Why a name does not tell which item is meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SymbolError {
    /// Several items have it.
    #[error("{n_items} items are called that: {listed}; write more of the name, or cite the lines")]
    Several {
        /// How many.
        n_items: usize,
        /// The first of them.
        listed: ItemList,
    },
    /// None has it, but these are called much the same.
    #[error("nothing of that name is defined there; there is {0}")]
    Near(ItemList),
    /// None has it.
    #[error("nothing of that name is defined there; cite the lines")]
    Missing,
}

/// Items with their lines, as a refusal names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemList(Vec<(String, LineSpan)>);

impl ItemList {
    fn new<'i>(items: impl IntoIterator<Item = &'i CodeItem>) -> Self {
        let name = |it: &CodeItem| mask_secrets(&it.path).chars().take(MAX_NAME).collect();
        let items = items.into_iter().take(MAX_LISTED);
        Self(items.map(|it| (name(it), it.lines())).collect())
    }
}

impl fmt::Display for ItemList {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (at, (path, lines)) in self.0.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            let word = if lines.line_count() > 1 {
                "lines"
            } else {
                "line"
            };
            write!(f, "{comma}{path} ({word} {lines})")?;
        }
        Ok(())
    }
}

impl FileOutline {
    /// The item that a caller names. A whole path goes before the end of one, and a type before the blocks of its methods.
    pub fn find_symbol(&self, symbol: &str) -> Result<&CodeItem, SymbolError> {
        let symbol = symbol.trim();
        let normal = normalise_item_path(symbol);
        // Headings and keys may hold dots, so the name is tried as it was written first.
        let found = [symbol, &normal].map(|it| self.list_called(it));
        let found = found.into_iter().find(|it| !it.is_empty());
        match found.as_deref().unwrap_or_default() {
            [only] => Ok(only),
            [] => Err(self.list_near(&normal)),
            several => Err(SymbolError::Several {
                n_items: several.len(),
                listed: ItemList::new(several.iter().copied()),
            }),
        }
    }

    fn list_called(&self, path: &str) -> Vec<&CodeItem> {
        let mut found: Vec<&CodeItem> = self.find_by_path(path).collect();
        if found.iter().any(|it| it.path == path) {
            found.retain(|it| it.path == path);
        }
        if found.iter().any(|it| !it.is_block) {
            found.retain(|it| !it.is_block);
        }
        found
    }

    /// What is called much the same as this, the likeliest first.
    fn list_near(&self, path: &str) -> SymbolError {
        let mut near: Vec<(u8, &CodeItem)> = self
            .items
            .iter()
            .filter_map(|it| Some((rank_likeness(path, &it.path)?, it)))
            .collect();
        near.sort_by_key(|it| it.0);
        let Some((nearest, _)) = near.first().copied() else {
            return SymbolError::Missing;
        };
        near.retain(|it| nearest == SIBLING || it.0 < SIBLING);
        SymbolError::Near(ItemList::new(near.into_iter().map(|it| it.1)))
    }
}

/// How near something is that stands in the same type and has quite another name: it is named where nothing else is near.
const SIBLING: u8 = u8::MAX;

/// How near a path is to the one that was asked for; less is nearer.
fn rank_likeness(wanted: &str, path: &str) -> Option<u8> {
    let plain = |it: &str| last_path_part(it).replace(['_', '-'], "").to_lowercase();
    let parent = |it: &str| it.rsplit_once("::").map(|it| plain(it.0));
    let is_sibling = parent(wanted).is_some() && parent(wanted) == parent(path);
    let (wanted, name) = (plain(wanted), plain(path));
    if wanted == name {
        return Some(0);
    }
    let is_part = |long: &str, short: &str| short.len() >= 3 && long.contains(short);
    let is_alike = is_part(&wanted, &name) || is_part(&name, &wanted);
    count_spelling_errors(&wanted, &name)
        .or(is_alike.then_some(SIBLING - 1))
        .or(is_sibling.then_some(SIBLING))
}
