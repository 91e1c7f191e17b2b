//! When a name that is not in the tree is no mistake: examples, placeholders, what is to be made, what is said to be gone.

use apostille_text::words;

use crate::{
    markdown::has_date,
    mention::{CommandFolder, Mention, MentionForm, MentionKind, has_file_ending},
    word_list::{has_any, is_listed},
};

words! {
    /// Why a name that was not found is not held against the text.
    Doubt as "doubt" {
        /// It has a word that stands for any name.
        Placeholder = "placeholder",
        /// It stands in an example.
        Example = "example",
        /// It is made by something, or is to be made by the reader.
        Made = "made",
        /// The text says itself that it is not there, or not to be used.
        Denied = "denied",
        /// It stands in a record of what was done before.
        History = "history",
        /// It is the name of a branch, an address, a package or something else that is not in a tree.
        Elsewhere = "elsewhere",
        /// The folder that it is in is not known.
        NoFolder = "no folder",
        /// Git ignores it.
        Ignored = "ignored",
        /// It is too short or too common to be sure.
        Vague = "vague",
        /// Nobody can tell without running something.
        Open = "open",
        /// The tree was not searched to its end.
        Unsearched = "unsearched",
    }
}

/// Words that stand for any name, wherever they are in one.
const PLACEHOLDERS: &str = "foo bar xx baz qux example my your xyz xxx yyy abc placeholder hello myfile myapp filename dirname \
    sample specific something whatever yyyy";

/// Folders that stand for any folder.
const ANY_FOLDERS: &str = "path to some any name new new-feature feature-name package-name todo";

/// Names of files that stand for any file.
const STAND_INS: &str = "namespace entity domain file test_file testfile test-file file_test test_module test_name module \
    component script test_x a b c x y thing page test_feature feature file.test file.spec spec \
    test_something service some_test one two test_script";

/// Folders that programs make.
const MADE: &str = "node_modules dist build target out .venv venv coverage .next __pycache__ tmp temp .cache .turbo \
    site-packages vendor logs output generated .git htmlcov artifacts bin obj";

/// Words of a heading, under which names are examples.
const EXAMPLE_HEADINGS: &str = "example|template|sample|hypothetical|anti-pattern|antipattern";

/// Words of a heading, under which is written what was done before.
const HISTORY_HEADINGS: &str = "changelog|change log|release notes|release history|version history|revision history|what's new|\
    recent changes|recently changed|completed work|变更记录|更新日志|变更日志|更新记录|版本历史|変更履歴|änderungen|historial de cambios|journal des modifications";

/// Words of a sentence that says a thing is an example.
const EXAMPLE_WORDS: &str = "例如|比如|示例|par exemple|por ejemplo|z. b.|e.g.|e.g |eg.|for example|for instance|example:|examples:|\
    such as|something like|looks like|suppose|say,|imagine|the pattern|pattern:|pattern is|convention:";

/// Words at a command that shows how to run any one of many.
const ANY_ONE_WORDS: &str = "specific|single|individual|particular|one file|one test|a file|a test|test file|by name|by file";

/// Words of a sentence about something that is to be made.
const MADE_WORDS: &str = "创建|新建|create|creating|created|add a|add the|adding|add new|new file|generate|generating|produce|\
    copies|copied|syncs|synced to|generated|compiles|write to|writes|written to|written|save|store|stored|emit|output|scaffold|install|download|copy|\
    cloned|clone|rename|named|naming|will be|would be|should be placed|put |place |built|build artifact|\
    cached|log file|optional|if present|if it exists|if exists|if any|when present|may |might|exists?|\
    gitignore|once |lands|planned|upcoming|future|will |symlink|at runtime|temporary|in the user|user's|\
    users'|your project|their ";

/// Words of a sentence that says a thing is not there, or not to be used.
const DENIED_WORDS: &str = "不要|避免|没有|不存在|无 |not |n't|never|no longer|without|avoid|removed|deleted|deprecated|legacy|formerly|previously|\
    used to|old |instead of|rather than|replaced|replaces|migrated|moved|there is no|there are no|no `|\
    obsolete|was |were |❌|bad:|wrong|incorrect|don’t|nonexistent|missing|before:|vs.|upstream|external|\
    another repo|other repo|that repo|separate repo|sibling|retired|dropped|renamed|删除|移除|退役|退休|已删|改名|废弃|弃用|不再|\
    削除|廃止|entfernt|gelöscht|veraltet|eliminad|obsolet|supprim";

/// Words beside a line of a drawn tree that say why it is not there.
const DRAWN_REMARKS: &str =
    "deleted|removed|deprecated|no longer|planned|todo|generated|gitignored|not committed|optional";

/// Words of a sentence about names that are not in a tree.
const ELSEWHERE_WORDS: &str = "feature|branch|endpoint|route|url|header|mime|content-type|docker image|registry|package from|\
    bucket|tool:|model|label|tag ";

/// Why a mention that was not found may be meant otherwise.
pub(crate) fn find_doubt(mention: &Mention) -> Option<Doubt> {
    if mention.folder == CommandFolder::Elsewhere {
        return Some(Doubt::NoFolder);
    }
    find_name_doubt(mention).or_else(|| find_context_doubt(mention))
}

fn find_name_doubt(mention: &Mention) -> Option<Doubt> {
    let name = mention.name.to_lowercase();
    let is_stand_in = |it: &str| is_listed(PLACEHOLDERS, it);
    let mut parts = name.split(['/', '.', '-', '_', ':']);
    // In a symbol such as `path_to_name` the words are the author's own.
    let is_placeholder = match mention.kind {
        MentionKind::Symbol if name.contains("xxx") => true,
        MentionKind::Symbol => "foo bar baz example my your"
            .split(' ')
            .any(|it| name.starts_with(it)),
        MentionKind::Path if is_stand_in_file(&name) || has_name_of_name(&name) => true,
        MentionKind::Path => {
            let mut folders = name.split('/');
            parts.any(is_stand_in)
                || folders.any(|it| is_listed(ANY_FOLDERS, it))
                || mention.name.split('/').any(has_capital_word)
        }
        _ => parts.any(is_stand_in) || has_capital_word(&mention.name),
    };
    if is_placeholder || has_word_of_sentence(mention) {
        return Some(Doubt::Placeholder);
    }
    let is_made =
        mention.kind == MentionKind::Path && name.split('/').any(|it| is_listed(MADE, it));
    is_made.then_some(Doubt::Made)
}

/// Whether the sentence has a part of the name between angle brackets: "`<LibName>` is looked for in `Lib/LibName.ahk`".
fn has_word_of_sentence(mention: &Mention) -> bool {
    let brackets = mention.near.sentence.split('<').skip(1);
    let words = brackets.filter_map(|it| it.split_once('>').map(|it| it.0));
    let is_word = |it: &&str| it.len() > 2 && it.chars().all(|c| c.is_alphanumeric() || c == '_');
    words
        .filter(is_word)
        .any(|it| mention.name.split(['/', '.']).any(|part| part == it))
}

/// Words before "name" in what stands for any name: `test-function_name.R`, `FileName.cpp`.
const NAMED_THINGS: &str = "function class file module component feature method package table model service page entity resource type \
    field project branch hook controller handler screen";

fn has_name_of_name(name: &str) -> bool {
    let joined = name.replace(['_', '-'], "");
    let mut ends = joined.match_indices("name").map(|it| &joined[..it.0]);
    ends.any(|it| {
        NAMED_THINGS
            .split_whitespace()
            .any(|word| it.ends_with(word))
    })
}

/// Whether a part of a name is in capitals and the rest is not, as in `app-NAME`.
fn has_capital_word(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let words: Vec<&str> = stem
        .split(['-', '_', ':'])
        .filter(|it| !it.is_empty())
        .collect();
    let is_capital = |it: &&str| it.len() > 1 && it.bytes().all(|it| it.is_ascii_uppercase());
    let n = words.iter().filter(|it| is_capital(it)).count();
    n > 0 && n < words.len() || stem.contains("XX") || stem.contains("NNN")
}

fn is_stand_in_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |it| it.0);
    has_file_ending(name) && is_listed(STAND_INS, stem)
}

fn find_context_doubt(mention: &Mention) -> Option<Doubt> {
    let headings = mention.headings.join(" ").to_lowercase();
    if has_any(&headings, EXAMPLE_HEADINGS) {
        return Some(Doubt::Example);
    }
    let is_past = has_any(&headings, HISTORY_HEADINGS) || mention.near.is_dated;
    if is_past || mention.headings.iter().any(|it| has_date_word(it)) {
        return Some(Doubt::History);
    }
    if mention.form == MentionForm::Diagram {
        let remark = mention.near.sentence.to_lowercase();
        return has_any(&remark, DRAWN_REMARKS).then_some(Doubt::Denied);
    }
    let lead = blank_code(&mention.near.lead).to_lowercase();
    let around = format!("{lead} {}", blank_code(&mention.near.sentence)).to_lowercase();
    if has_any(&around, EXAMPLE_WORDS) || has_any(&lead, EXAMPLE_HEADINGS) {
        return Some(Doubt::Example);
    }
    if mention.form == MentionForm::Command && has_any(&around, ANY_ONE_WORDS) {
        return Some(Doubt::Example);
    }
    if has_any(&around, DENIED_WORDS) || has_any(&headings, "deprecat|legacy|removed|migrat") {
        return Some(Doubt::Denied);
    }
    let is_thing = matches!(mention.kind, MentionKind::Path | MentionKind::Symbol);
    if is_thing && has_any(&around, MADE_WORDS) {
        return Some(Doubt::Made);
    }
    let is_elsewhere = mention.kind == MentionKind::Path
        && !has_file_ending(&mention.name)
        && has_any(&around, ELSEWHERE_WORDS);
    is_elsewhere.then_some(Doubt::Elsewhere)
}

/// Whether one of the words of a heading is a date: `[1.2.0] - 2026-08-03`.
fn has_date_word(heading: &str) -> bool {
    heading.split_whitespace().any(has_date)
}

/// A text without what stands between backticks or is a link's target: names are not words of the sentence.
fn blank_code(text: &str) -> String {
    let words: String = text.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let mut out = String::new();
    let mut rest = words.as_str();
    while let Some((before, behind)) = rest.split_once("](") {
        out += before;
        rest = behind.split_once(')').map_or("", |it| it.1);
    }
    out + rest
}
