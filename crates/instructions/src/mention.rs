//! A mention: something that an instruction file names, and how names are written.

use apostille_text::words;

use crate::{markdown::Surroundings, word_list::is_listed};

words! {
    /// What kind of thing is named.
    MentionKind as "kind" {
        /// A file or folder.
        Path = "path",
        /// A script of a `package.json`.
        Script = "script",
        /// A target of a Makefile.
        MakeTarget = "make target",
        /// A recipe of a justfile.
        JustRecipe = "just recipe",
        /// A package of a Cargo workspace.
        CargoPackage = "cargo package",
        /// A program that Cargo builds.
        CargoBinary = "cargo binary",
        /// A test file that Cargo builds.
        CargoTest = "cargo test",
        /// An example that Cargo builds.
        CargoExample = "cargo example",
        /// A command of Cargo's that the repository makes.
        CargoAlias = "cargo alias",
        /// A Python module.
        PythonModule = "python module",
        /// A task of `poe`.
        PoeTask = "poe task",
        /// A task of a Taskfile.
        Task = "task",
        /// A task of `mise`.
        MiseTask = "mise task",
        /// A function, type or constant.
        Symbol = "symbol",
    }
}

/// How sure one can be that a mention is meant as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MentionForm {
    /// Between backticks.
    Code,
    /// Where a link leads, from the folder of its file.
    Link,
    /// A word of a command.
    Command,
    /// A line of a drawn tree.
    Diagram,
    /// In plain words.
    Prose,
}

/// One thing that is named at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    /// What kind of thing.
    pub(crate) kind: MentionKind,
    /// Its name, as it is looked for.
    pub(crate) name: String,
    /// How it is written.
    pub(crate) form: MentionForm,
    /// Its first byte in the file.
    pub(crate) start: usize,
    /// How many bytes it has there.
    pub(crate) len: usize,
    /// The folder that a command runs in.
    pub(crate) folder: CommandFolder,
    /// What is written around it.
    pub(crate) near: Surroundings,
    /// The headings above it.
    pub(crate) headings: Vec<String>,
    /// In a drawn tree, the number of the drawing: its lines are judged together.
    pub(crate) drawing: Option<usize>,
}

/// The folder that a command runs in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum CommandFolder {
    /// Where the reader stands.
    #[default]
    Start,
    /// Below it, after `cd`.
    Below(String),
    /// Nobody can tell: another repository, or a variable.
    Elsewhere,
}

/// A mention of which nothing is known yet but its name and its place.
pub(crate) fn new_mention(
    kind: MentionKind,
    name: &str,
    form: MentionForm,
    start: usize,
) -> Mention {
    Mention {
        kind,
        name: name.to_owned(),
        form,
        start,
        len: name.len(),
        folder: CommandFolder::default(),
        near: Surroundings::default(),
        headings: Vec::new(),
        drawing: None,
    }
}

/// Endings of files that instructions speak of.
const ENDINGS: &str = "rs py pyi ts tsx js jsx mjs cjs mts cts go java kt rb php c h cc cpp hpp cs swift scala lua ex exs \
    zig vue svelte css scss html md mdx mdc rst txt json jsonc json5 yaml yml toml ini cfg lock sh bash \
    zsh ps1 bat sql proto graphql tf mk just ipynb xml gradle snap env j2 tmpl cue bzl nix";

/// Whether a path ends as a file does.
pub(crate) fn has_file_ending(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').filter(|it| !it.0.is_empty());
    ending.is_some_and(|it| is_listed(ENDINGS, it.1))
}

/// A word as a path, without what points into the file; `None` where it is not written as one.
pub(crate) fn read_path_word(word: &str) -> Option<&str> {
    let word = word.split("::").next().unwrap_or(word);
    let word = word.split('#').next().unwrap_or(word);
    let word = match word.split_once(':') {
        Some((path, place)) if place.starts_with(|it: char| it.is_ascii_digit()) => path,
        _ => word,
    };
    let is_plain = |c: char| c.is_alphanumeric() || "_-./+@".contains(c);
    let is_path = !word.is_empty()
        && word.chars().all(is_plain)
        && !word.starts_with(['/', '@', '-', '+'])
        && !word.contains("//")
        && !word.contains("...")
        && word.contains(char::is_alphabetic)
        && (word.contains('/') || has_file_ending(word));
    is_path.then_some(word)
}

/// The last of two words with a slash between them that may be a path or two names: `sources/page_sources`.
pub(crate) fn read_bare_pair(mention: &Mention) -> Option<&str> {
    let (first, last) = mention.name.split_once('/')?;
    let is_name = |it: &str| {
        let mut chars = it.chars();
        chars.all(|c| c.is_ascii_alphanumeric() || c == '_') && it.contains(char::is_alphabetic)
    };
    let is_pair = mention.kind == MentionKind::Path && mention.form == MentionForm::Code;
    (is_pair && is_name(first) && is_name(last)).then_some(last)
}

/// Whether a word is written as a name of code that is rarely anything else: a call, a qualified name, a type.
pub(crate) fn is_symbol(word: &str) -> bool {
    let (name, is_call) = split_call(word);
    let parts: Vec<&str> = split_symbol(name);
    let is_name = |it: &&str| {
        it.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && it.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if !parts.iter().all(is_name) {
        return false;
    }
    let last = parts.last().copied().unwrap_or_default();
    let is_long = last.len() >= 4;
    match parts.len() {
        1 => is_long && (is_call || count_humps(last) >= 2 || has_three_words(last)),
        _ => is_long && (is_call || name.contains("::") || count_humps(parts[0]) >= 1),
    }
}

/// Whether a name is written as `three_word_name` or `threeWordName`.
fn has_three_words(name: &str) -> bool {
    let n_snake = name.split('_').filter(|it| !it.is_empty()).count();
    let is_lower = name.chars().all(|c| !c.is_ascii_uppercase());
    let n_camel = 1 + name.chars().filter(char::is_ascii_uppercase).count();
    let is_camel = name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.contains('_');
    is_lower && n_snake >= 3 || is_camel && n_camel >= 3
}

/// A name without the brackets behind it, and whether there were some.
pub(crate) fn split_call(word: &str) -> (&str, bool) {
    match word.split_once('(') {
        Some((name, rest)) if rest.ends_with(')') => (name.trim_end_matches('!'), true),
        _ => (word, false),
    }
}

/// The parts of a qualified name.
pub(crate) fn split_symbol(name: &str) -> Vec<&str> {
    name.split("::").flat_map(|it| it.split('.')).collect()
}

/// How many words a name in camel case has; 0 where it is written otherwise.
fn count_humps(name: &str) -> usize {
    let is_camel = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.contains(|c: char| c.is_ascii_lowercase())
        && !name.contains('_');
    if is_camel {
        name.chars().filter(char::is_ascii_uppercase).count()
    } else {
        0
    }
}
