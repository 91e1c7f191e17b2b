//! What a line of shell brings in: its commands, those inside of them, and the scripts that it runs.

use super::{
    OutsideText, code, git_refs, places,
    programs::{
        Brings, EVALUATORS, INTERPRETERS, LOCAL, PROGRAMS, ProgramRule, READERS, SHELLS, WRAPPERS,
        WrapperRule,
    },
};
use crate::hook::shell::{
    MAX_COMMAND, MAX_DEPTH, PATTERN_FIRST, is_listed, is_variable, program_base_name,
    resolve_shell_path,
    words::{ShellWord, WordRole, split_shell_commands},
};

/// What a command brings in, that is run in `folder`; paths below `cwd` are told from there.
pub(super) fn weigh_shell_command(
    command: &str,
    folder: Option<&str>,
    cwd: Option<&str>,
) -> OutsideText {
    let folder = folder.map_or("", |it| places::strip_folder(it, cwd));
    let mut reader = ExposureReader {
        folder: folder.to_owned(),
        cwd,
        depth: 0,
        found: OutsideText::default(),
    };
    reader.weigh_script(command);
    reader.found
}

/// What a script brings in when it is run, by its text. What is not code of a language that is known is a shell's.
pub(super) fn weigh_script_file(path: &str, text: &str) -> OutsideText {
    let name = program_base_name(path);
    let ending = name.rsplit_once('.').map_or("", |it| it.1);
    let first = text.lines().next().unwrap_or_default();
    let runner = first.strip_prefix("#!").unwrap_or_default();
    let is_code = is_listed(CODE_ENDINGS, ending)
        || runner
            .split(['/', ' '])
            .any(|it| is_listed(INTERPRETERS, it));
    if is_code {
        return OutsideText {
            is_certain: code::is_network_code(text),
            ..OutsideText::default()
        };
    }
    weigh_shell_command(text, None, None)
}

/// Ends of names of scripts that are not a shell's.
const CODE_ENDINGS: &str = "py js mjs cjs ts mts tsx rb pl php lua r";

struct ExposureReader<'a> {
    /// Where the next command runs.
    folder: String,
    cwd: Option<&'a str>,
    depth: usize,
    found: OutsideText,
}

impl ExposureReader<'_> {
    fn weigh_script(&mut self, script: &str) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        let script = &script[..script.floor_char_boundary(MAX_COMMAND)];
        // What the command before printed may be what a shell is given to run: `cat a.sh | sh`.
        let mut printed: Vec<String> = Vec::new();
        for words in split_shell_commands(script) {
            for word in &words {
                self.weigh_word(word);
            }
            self.weigh_shell_input(&words, &printed);
            printed = list_printed_files(&words);
            let plain: Vec<&str> = words
                .iter()
                .filter(|it| it.role == WordRole::Plain)
                .map(|it| it.text.as_str())
                .collect();
            let given = words.iter().filter(|it| it.is_given_text());
            let given: Vec<&str> = given.map(|it| it.text.as_str()).collect();
            self.weigh_command(strip_wrappers(&plain), &given);
        }
        self.depth -= 1;
    }

    /// A word may hold commands of its own, be a connection, or a file that is read.
    fn weigh_word(&mut self, word: &ShellWord) {
        let is_connection = ["/dev/tcp/", "/dev/udp/"];
        self.found.is_certain |= is_connection.iter().any(|it| word.text.contains(it));
        if word.role == WordRole::Source {
            self.found.is_certain |= self.is_others_file(&word.text);
        }
        if !word.is_given_text() {
            for script in list_substitutions(&word.text) {
                self.weigh_script(script);
            }
        }
    }

    /// A shell without a script runs what it is given to read.
    fn weigh_shell_input(&mut self, words: &[ShellWord], printed: &[String]) {
        let plain: Vec<&ShellWord> = words
            .iter()
            .filter(|it| it.role == WordRole::Plain)
            .collect();
        let name = plain.first().map_or("", |it| program_base_name(&it.text));
        let is_runner = is_listed(SHELLS, name) || is_listed(INTERPRETERS, name);
        let has_script = plain.iter().skip(1).any(|it| !it.text.starts_with('-'));
        if !is_runner || has_script {
            return;
        }
        let sources = words.iter().filter(|it| it.role == WordRole::Source);
        let sources: Vec<&str> = sources.map(|it| it.text.as_str()).collect();
        for file in sources
            .into_iter()
            .chain(printed.iter().map(String::as_str))
        {
            self.note_script(Some(&file));
        }
    }

    fn is_others_file(&self, word: &str) -> bool {
        let path = resolve_shell_path(&self.folder, places::strip_folder(word, self.cwd));
        places::is_others_place(&path)
    }

    fn weigh_command(&mut self, words: &[&str], given: &[&str]) {
        let Some((program, args)) = words.split_first() else {
            return;
        };
        let name = program_base_name(program.trim_start_matches('\\'));
        let name = name.trim_end_matches(".exe").to_ascii_lowercase();
        match name.as_str() {
            "apostille" => return,
            "cd" | "pushd" => return self.change_folder(args),
            "." | "source" => self.note_script(args.first()),
            "find" => self.weigh_found_files(args),
            it if is_listed(SHELLS, it) => self.weigh_shell(args, given),
            it if is_listed(EVALUATORS, it) => self.weigh_script(&args.join(" ")),
            it if is_listed(INTERPRETERS, it) => self.weigh_interpreter(args, given),
            it if is_listed(READERS, it) => self.weigh_reader(it, args),
            _ => self.note_script(Some(program).filter(|it| it.contains('/'))),
        }
        self.weigh_program(&name, args);
    }

    fn change_folder(&mut self, args: &[&str]) {
        if let Some(to) = args.iter().find(|it| !it.starts_with('-')) {
            self.found.is_certain |= self.is_others_file(to);
            self.folder = resolve_shell_path(&self.folder, places::strip_folder(to, self.cwd));
        }
    }

    fn note_script(&mut self, path: Option<&&str>) {
        let path = path.map(|it| resolve_shell_path(&self.folder, it));
        self.found.scripts.extend(path);
    }

    /// `find … -exec COMMAND`.
    fn weigh_found_files(&mut self, args: &[&str]) {
        let runs = |it: &&str| ["-exec", "-execdir", "-ok"].contains(it);
        let Some(at) = args.iter().position(runs) else {
            return;
        };
        let is_read = |it: &&str| is_listed(READERS, program_base_name(it));
        let is_reader = args.get(at + 1).is_some_and(is_read);
        let mut folders = args.iter().take_while(|it| !it.starts_with('-'));
        self.found.is_certain |= is_reader && folders.any(|it| self.is_others_file(it));
        self.weigh_command(strip_wrappers(&args[at + 1..]), &[]);
    }

    /// A script as a word, as a file, or as what the shell is given to read.
    fn weigh_shell(&mut self, args: &[&str], given: &[&str]) {
        let is_code = |it: &&str| {
            let is_short = it.starts_with('-') && !it.starts_with("--");
            is_short && it.to_ascii_lowercase().ends_with('c')
                || it.eq_ignore_ascii_case("-command")
        };
        match args.iter().position(is_code) {
            Some(at) => self.weigh_script(args.get(at + 1).unwrap_or(&"")),
            None => self.note_script(args.iter().find(|it| !it.starts_with('-'))),
        }
        for text in given {
            self.weigh_script(text);
        }
    }

    /// Code as a word, as a file, or as what the interpreter is given to read; `-m` is a program of its own.
    fn weigh_interpreter(&mut self, args: &[&str], given: &[&str]) {
        let is_code = |it: &str| {
            let is_short = it.starts_with('-') && !it.starts_with("--");
            is_short && it.ends_with(['e', 'c', 'p', 'r']) || it == "--eval" || it == "eval"
        };
        let codes = args.windows(2).filter(|it| is_code(it[0])).map(|it| it[1]);
        let mut codes = codes.chain(given.iter().copied());
        let is_outside = |it: &str| code::is_network_code(it) || names_others_file(it);
        self.found.is_certain |= codes.any(is_outside);
        if let Some(at) = args.iter().position(|it| *it == "-m") {
            return self.weigh_command(&args[at + 1..], &[]);
        }
        let is_file = |it: &&&str| !it.starts_with('-') && **it != "run";
        self.note_script(args.iter().find(is_file));
    }

    /// A file of others that is printed; in a folder of theirs, any. A pattern is no file.
    fn weigh_reader(&mut self, name: &str, args: &[&str]) {
        let has_pattern = is_listed(PATTERN_FIRST, name) && !args.contains(&"-e");
        let files = args.iter().filter(|it| !it.starts_with('-'));
        let mut files = files.skip(usize::from(has_pattern));
        self.found.is_certain |= files.any(|it| self.is_others_file(it));
    }

    fn weigh_program(&mut self, name: &str, args: &[&str]) {
        let rules = PROGRAMS.iter().filter(|it| is_listed(it.names, name));
        for rule in rules {
            let typed = TypedArgs::parse(rule.valued, args);
            match rule.brings {
                Brings::Package => {
                    let package = typed.words.first().map(|it| (*it).to_owned());
                    self.found.packages.extend(package);
                }
                _ => self.found.is_certain |= is_bringing(rule, &typed),
            }
            if name == "git" {
                let rest = typed.first_at.map_or(&args[..0], |at| &args[at..]);
                git_refs::weigh_git_names(rest, &mut self.found);
            }
        }
        let is_known =
            is_listed(LOCAL, name) || PROGRAMS.iter().any(|it| is_listed(it.names, name));
        self.found.is_certain |= !is_known && args.iter().any(|it| code::has_other_address(it));
    }
}

/// Whether a piece of code names a file of others in quotes.
fn names_others_file(code: &str) -> bool {
    let mut texts = code.split(['"', '\'', '`']).skip(1).step_by(2);
    texts.any(places::is_others_place)
}

/// The files that a command prints, where it is one that does.
fn list_printed_files(words: &[ShellWord]) -> Vec<String> {
    let plain = words.iter().filter(|it| it.role == WordRole::Plain);
    let mut plain = plain.map(|it| it.text.as_str());
    match plain.next() {
        Some("cat") => plain
            .filter(|it| !it.starts_with('-'))
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

/// The arguments of a program: its words, and its options without the words that they take.
struct TypedArgs<'a> {
    words: Vec<&'a str>,
    options: Vec<&'a str>,
    /// Where the first word stands.
    first_at: Option<usize>,
}

impl<'a> TypedArgs<'a> {
    fn parse(valued: &str, args: &[&'a str]) -> Self {
        let mut typed = Self {
            words: Vec::new(),
            options: Vec::new(),
            first_at: None,
        };
        let mut is_value = false;
        for (at, arg) in args.iter().enumerate() {
            if std::mem::take(&mut is_value) {
                continue;
            }
            if arg.starts_with('-') && arg.len() > 1 {
                is_value = is_listed(valued, arg);
                typed.options.push(arg);
            } else {
                typed.first_at.get_or_insert(at);
                typed.words.push(arg);
            }
        }
        typed
    }

    /// Whether these are the words of a pattern, in order from the first.
    fn matches(&self, pattern: &str) -> bool {
        let (options, words): (Vec<&str>, Vec<&str>) =
            pattern.split(' ').partition(|it| it.starts_with('-'));
        let has_options = options.iter().all(|it| self.options.contains(it));
        let pairs = || words.iter().zip(&self.words);
        has_options
            && words.len() <= self.words.len()
            && pairs().all(|(it, word)| is_word(it, word))
    }
}

fn is_word(pattern: &str, word: &str) -> bool {
    let part = pattern
        .strip_prefix('*')
        .and_then(|it| it.strip_suffix('*'));
    match (pattern, part) {
        ("_", _) => !word.starts_with('.'),
        (_, Some(part)) => word.contains(part),
        _ => pattern == word,
    }
}

fn is_bringing(rule: &ProgramRule, typed: &TypedArgs) -> bool {
    match rule.brings {
        Brings::Always => !is_asking_for_help(typed),
        Brings::FromOtherMachine => !is_asking_for_help(typed) && asks_other_machine(typed),
        Brings::With(patterns) => patterns.iter().any(|it| typed.matches(it)),
        Brings::Unless(patterns) => {
            !typed.words.is_empty() && !patterns.iter().any(|it| typed.matches(it))
        }
        Brings::Package => false,
    }
}

fn is_asking_for_help(typed: &TypedArgs) -> bool {
    let has = |it: &str| typed.options.contains(&it);
    typed.words.is_empty() && (has("--version") || has("--help") || has("-V"))
}

/// Whether a program asks another machine: it does unless it is told to ask this one, and no other.
fn asks_other_machine(typed: &TypedArgs) -> bool {
    let is_address =
        |it: &&str| it.contains(['.', ':', '/']) && !it.contains('=') || **it == *"localhost";
    let strip_scheme = |it: &'_ str| it.split_once("://").map_or(it, |(_, rest)| rest).to_owned();
    let mut addresses = typed.words.iter().copied().filter(is_address).peekable();
    addresses.peek().is_none() || !addresses.all(|it| code::is_local_host(&strip_scheme(it)))
}

/// A command without what is set before it, and without programs that only run it.
fn strip_wrappers<'a, 'b>(words: &'b [&'a str]) -> &'b [&'a str] {
    let mut rest = words;
    loop {
        let is_set = |it: &str| {
            it.split_once('=')
                .is_some_and(|(name, _)| is_variable(name))
        };
        let n_set = rest.iter().take_while(|it| is_set(it)).count();
        rest = &rest[n_set..];
        let Some(wrapper) = WRAPPERS.iter().find(|it| begins_with(rest, it)) else {
            return rest;
        };
        rest = skip_wrapper(rest, wrapper);
    }
}

fn begins_with(words: &[&str], wrapper: &WrapperRule) -> bool {
    let mut expected = wrapper.words.split(' ');
    let first = words.first().map(|it| program_base_name(it));
    first.is_some_and(|it| expected.next() == Some(it))
        && expected.next().is_none_or(|it| words.get(1) == Some(&it))
}

/// What stands behind a wrapper, its options and its own words.
fn skip_wrapper<'a, 'b>(words: &'b [&'a str], wrapper: &WrapperRule) -> &'b [&'a str] {
    let mut at = wrapper.words.split(' ').count();
    while let Some(word) = words.get(at).filter(|it| it.starts_with('-')) {
        at += 1 + usize::from(is_listed(wrapper.valued, word));
    }
    &words[(at + wrapper.n_words).min(words.len())..]
}

/// The commands inside of a word, in `$(…)` or backticks.
fn list_substitutions(word: &str) -> Vec<&str> {
    let dollars = word.match_indices("$(").map(|(at, _)| {
        let inside = &word[at + 2..];
        &inside[..find_closing_paren(inside)]
    });
    let ticks = word.split('`').skip(1).step_by(2);
    dollars.chain(ticks).collect()
}

fn find_closing_paren(text: &str) -> usize {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            return at;
        }
    }
    text.len()
}
