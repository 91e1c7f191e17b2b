//! Commands as instructions have them, and what they name.

use crate::{
    mention::{
        CommandFolder, Mention, MentionForm, MentionKind, has_file_ending, new_mention,
        read_path_word,
    },
    shell::{CommandWord, split_commands},
    word_list::is_listed,
};

/// Programs whose arguments are read as paths of the tree, when they look like such.
const READERS: &str = "cat less head tail ls bash sh zsh source . python python3 node tsx ts-node bun deno pytest jest \
    vitest mypy ruff eslint prettier go rg grep uv npx pyright bats shellcheck black dotnet rspec ruby \
    php tree find wc gotestsum golangci-lint";

/// Other programs whose commands are read, so that a text that begins with one is a command.
const RUNNERS: &str = "npm pnpm yarn make just cargo task mise poe cd pip git docker poetry hatch";

/// Flags behind which a command writes.
const OUTPUTS: &str = "-o --output --out --outfile --out-dir --outdir --output-dir --output-file";

/// What the commands of a text name. Without a language a block is read only where every line begins with a program that
/// is known, or with a prompt.
pub(crate) fn read_commands(text: &str, start: usize, is_shell: bool) -> Vec<Mention> {
    let commands = split_commands(text);
    if !is_shell && !commands.iter().all(|it| is_known_command(it)) {
        return Vec::new();
    }
    let mut reader = CommandReader {
        start,
        folder: CommandFolder::Start,
        mentions: Vec::new(),
    };
    for words in &commands {
        reader.read_command(strip_prefixes(words));
    }
    reader.mentions
}

fn is_known_command(words: &[CommandWord]) -> bool {
    strip_prefixes(words).first().is_some_and(|it| {
        let name = it.text.as_str();
        is_listed(READERS, name) || is_listed(RUNNERS, name) || name.starts_with("./")
    })
}

/// A command without its prompt, its variables and what only runs another one.
fn strip_prefixes(words: &[CommandWord]) -> &[CommandWord] {
    let is_prefix = |it: &CommandWord| {
        let is_setting = it.text.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty()
                && name
                    .bytes()
                    .all(|it| it.is_ascii_uppercase() || it == b'_' || it.is_ascii_digit())
        });
        is_setting
            || matches!(
                it.text.as_str(),
                "$" | "%" | ">" | "sudo" | "time" | "env" | "exec" | "then" | "do"
            )
    };
    let n = words.iter().take_while(|it| is_prefix(it)).count();
    &words[n..]
}

/// Reads one command after the other, and follows the folder.
struct CommandReader {
    start: usize,
    folder: CommandFolder,
    mentions: Vec<Mention>,
}

impl CommandReader {
    fn read_command(&mut self, words: &[CommandWord]) {
        let Some((program, rest)) = words.split_first() else {
            return;
        };
        let texts: Vec<&str> = rest.iter().map(|it| it.text.as_str()).collect();
        match program.text.as_str() {
            "cd" | "pushd" => self.enter_folder(rest),
            "git" if texts.first() == Some(&"clone") => self.folder = CommandFolder::Elsewhere,
            "npm" | "pnpm" | "yarn" | "bun" => self.read_node_command(&program.text, rest),
            "make" | "gmake" => self.read_make_command(rest),
            "just" => self.push_first(MentionKind::JustRecipe, rest),
            "task" | "go-task" => self.push_first(MentionKind::Task, rest),
            "poe" => self.push_first(MentionKind::PoeTask, rest),
            "mise" if matches!(texts.first(), Some(&("run" | "r"))) => {
                self.push_first(MentionKind::MiseTask, &rest[1..]);
            }
            "cargo" => self.read_cargo_command(rest),
            "python" | "python3" => self.read_python_command(rest),
            "uv" | "uvx" | "poetry" | "hatch" | "pdm" if texts.first() == Some(&"run") => {
                let n = 1 + rest[1..]
                    .iter()
                    .take_while(|it| it.text.starts_with('-'))
                    .count();
                return self.read_command(&rest[n..]);
            }
            _ => {}
        }
        self.read_path_words(program, rest);
    }

    /// Words that are paths. What is written, or made, need not be there.
    fn read_path_words(&mut self, program: &CommandWord, rest: &[CommandWord]) {
        if program.text.starts_with("./")
            || (program.text.contains('/') && has_file_ending(&program.text))
        {
            self.push_path(program);
        }
        if !is_listed(READERS, program.text.as_str()) && !program.text.starts_with("./") {
            return;
        }
        if program.text == "npx"
            || program.text == "uv" && rest.first().is_none_or(|it| it.text != "run")
        {
            return;
        }
        let mut is_output = false;
        for word in rest {
            let is_written = std::mem::take(&mut is_output) || word.is_output;
            is_output = is_listed(OUTPUTS, word.text.as_str());
            let is_path = word.text.contains('/') && !word.text.starts_with('-');
            if is_path && !is_written {
                self.push_path(word);
            }
        }
    }

    fn push_path(&mut self, word: &CommandWord) {
        // `./pkg/...` is every package below a folder.
        let text = word.text.strip_suffix("/...").unwrap_or(&word.text);
        if let Some(path) = read_path_word(text).filter(|it| it.contains('/')) {
            self.push(MentionKind::Path, path, word.start);
        }
    }

    fn push(&mut self, kind: MentionKind, name: &str, at: usize) {
        let mut mention = new_mention(kind, name, MentionForm::Command, self.start + at);
        mention.folder = self.folder.clone();
        self.mentions.push(mention);
    }

    /// The first word that is not a flag or a setting.
    fn push_first(&mut self, kind: MentionKind, words: &[CommandWord]) {
        let is_name = |it: &&CommandWord| !it.text.contains('=') && !it.is_output;
        // The value of a flag may stand behind it: only a name in the first place is sure.
        if let Some(word) = words.first().filter(is_name)
            && is_plain_name(&word.text)
        {
            self.push(kind, &word.text, word.start);
        }
    }

    fn enter_folder(&mut self, words: &[CommandWord]) {
        let target = words.first().map_or("~", |it| it.text.as_str());
        let is_plain = target
            .chars()
            .all(|c| c.is_alphanumeric() || "_-./+@".contains(c));
        self.folder = match &self.folder {
            _ if !is_plain || target.starts_with('/') => CommandFolder::Elsewhere,
            CommandFolder::Elsewhere => CommandFolder::Elsewhere,
            // Back to where one stood, as far as anybody can tell.
            _ if target == "-" || target.trim_end_matches('/').ends_with("..") => {
                CommandFolder::Start
            }
            CommandFolder::Start => {
                CommandFolder::Below(target.trim_start_matches("./").to_owned())
            }
            CommandFolder::Below(above) => CommandFolder::Below(format!("{above}/{target}")),
        };
        if let (CommandFolder::Below(path), Some(word)) = (&self.folder, words.first())
            && target.contains('/')
        {
            let (path, start) = (path.clone(), word.start);
            let mut mention = new_mention(
                MentionKind::Path,
                &path,
                MentionForm::Command,
                self.start + start,
            );
            mention.len = word.text.len();
            self.mentions.push(mention);
        }
    }

    /// `npm run X`, `pnpm X`. A bare word may also be a command of the program itself, or one that a package brings: it
    /// counts only where nothing else has such names.
    fn read_node_command(&mut self, program: &str, words: &[CommandWord]) {
        let mut rest = words;
        let mut is_run = false;
        while let Some((word, after)) = rest.split_first() {
            match word.text.as_str() {
                "run" | "run-script" if !is_run => is_run = true,
                // The value of such a flag is a package or a folder.
                "-w" | "--workspace" | "--filter" | "-F" | "-C" | "--dir" | "--prefix"
                | "--cwd" => {
                    rest = after.get(1..).unwrap_or_default();
                    continue;
                }
                "workspace" if program == "yarn" => {
                    rest = after.get(1..).unwrap_or_default();
                    continue;
                }
                text if text.starts_with('-') => {}
                text => {
                    let is_sure = match program {
                        "npm" => is_run || matches!(text, "test" | "start"),
                        "pnpm" => is_run || is_script_word(text),
                        "bun" => is_run && is_script_word(text),
                        _ => is_script_word(text),
                    };
                    if is_sure && is_plain_name(text) && !has_file_ending(text) {
                        self.push(MentionKind::Script, text, word.start);
                    }
                    return;
                }
            }
            rest = after;
        }
    }

    fn read_make_command(&mut self, words: &[CommandWord]) {
        let mut skips = false;
        for word in words {
            let text = word.text.as_str();
            if std::mem::take(&mut skips) || word.is_output {
                continue;
            }
            skips = matches!(text, "-C" | "-f" | "-j" | "--directory" | "--file");
            if !text.starts_with('-') && !text.contains('=') && is_plain_name(text) {
                self.push(MentionKind::MakeTarget, text, word.start);
            }
        }
    }

    fn read_cargo_command(&mut self, words: &[CommandWord]) {
        let own = words.split(|it| it.text == "--").next().unwrap_or_default();
        let kind_of = |flag: &str| {
            Some(match flag {
                "-p" | "--package" => MentionKind::CargoPackage,
                "--bin" => MentionKind::CargoBinary,
                "--test" => MentionKind::CargoTest,
                "--example" => MentionKind::CargoExample,
                _ => return None,
            })
        };
        if let Some(word) = own.first().filter(|it| it.text == "xtask") {
            self.push(MentionKind::CargoAlias, &word.text, word.start);
        }
        // Other commands of Cargo's are of packages that are not in the tree.
        let is_local = own.first().is_some_and(|it| {
            matches!(
                it.text.as_str(),
                "run"
                    | "test"
                    | "check"
                    | "build"
                    | "clippy"
                    | "nextest"
                    | "bench"
                    | "doc"
                    | "fmt"
                    | "r"
                    | "t"
                    | "b"
                    | "c"
            )
        });
        for pair in own.windows(2).filter(|_| is_local) {
            let name = pair[1].text.as_str();
            if let Some(kind) = kind_of(&pair[0].text)
                && is_plain_name(name)
            {
                self.push(kind, name, pair[1].start);
            }
        }
        for word in own.iter().filter(|_| is_local) {
            if let Some((flag, name)) = word.text.split_once('=')
                && let Some(kind) = kind_of(flag)
                && is_plain_name(name)
            {
                self.push(kind, name, word.start + flag.len() + 1);
            }
        }
    }

    fn read_python_command(&mut self, words: &[CommandWord]) {
        if let [flag, module, ..] = words
            && flag.text == "-m"
            && module.text.split('.').all(is_plain_name)
        {
            self.push(MentionKind::PythonModule, &module.text, module.start);
        }
    }
}

/// Whether nothing but a script is called so: it has a colon, or is a word that no program of a package has.
fn is_script_word(text: &str) -> bool {
    text.contains(':')
        || matches!(
            text,
            "build"
                | "test"
                | "lint"
                | "format"
                | "dev"
                | "start"
                | "typecheck"
                | "type-check"
                | "check"
                | "clean"
                | "fix"
        )
}

/// Whether a name is written out, without placeholders and wildcards.
fn is_plain_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-:./+".contains(c);
    !text.is_empty()
        && text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && text.chars().all(is_plain)
        && !text.ends_with([':', '.'])
}
