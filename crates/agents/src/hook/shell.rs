//! The files that a shell command names, as far as words can tell. Nothing is run or expanded: a word with a variable or
//! a pattern in it is no path.

pub(crate) mod words;

use words::{ShellWord, WordRole, split_shell_commands};

/// How much of a command is looked at.
pub(crate) const MAX_COMMAND: usize = 64 * 1024;
/// Shells inside of shells, how deep.
pub(crate) const MAX_DEPTH: usize = 3;

const SHELLS: &str = "sh bash zsh dash ksh";
/// Programs that run another one.
const WRAPPERS: &str = "sudo env time nohup command exec xargs";
/// Programs whose first word is a pattern or a program, and no file.
pub(crate) const PATTERN_FIRST: &str = "sed awk gawk grep egrep fgrep rg ag jq";
/// Programs that are given a program after `-e` or `-c`.
const INTERPRETERS: &str = "perl python python3 node ruby deno php";
/// Programs whose words are only words.
const TALKERS: &str = "echo printf export alias kill";
/// Programs that write to the files that they are given.
const WRITERS: &str = "tee mv cp rm touch truncate patch install rustfmt gofmt goimports prettier black ruff isort \
    clang-format shfmt";
/// Programs that do so when they are told to edit in place: `sed -i`, `perl -pi`.
const EDITORS: &str = "sed gsed perl ruby awk gawk";
/// Commands of git that write to the files that they are given.
const GIT_WRITERS: &str = "mv rm checkout restore apply am";
/// Ends of names that make a word without a folder a file.
const ENDINGS: &str = "rs toml lock md txt json jsonl yaml yml xml html css scss js mjs cjs jsx ts mts tsx vue svelte \
    py pyi ipynb rb go mod java kt kts gradle scala swift c h cc cpp hpp cs fs php lua pl ex exs erl \
    hs ml clj zig nix sh bash zsh fish ps1 bat sql proto graphql tf ini cfg conf env csv snap dart r \
    jl";
/// Files that have no ending.
const NAMES: &str = "Makefile Dockerfile Justfile justfile Gemfile Rakefile Procfile LICENSE";

/// Whether a word is in a list, whose words are set apart by spaces.
pub(crate) fn is_listed(list: &str, word: &str) -> bool {
    list.split(' ').any(|it| it == word)
}

/// Whether these are the first two words of a command that is a script: `bash -lc`.
pub(crate) fn is_shell_script(shell: &str, flag: &str) -> bool {
    is_listed(SHELLS, program_base_name(shell)) && flag.starts_with('-') && flag.ends_with('c')
}

/// A file that a command names.
pub(super) struct CommandPath {
    pub(super) path: String,
    /// Whether the command writes to it, as far as its words tell.
    pub(super) is_written: bool,
}

/// The commands that a script runs one after the other, each only if the one before it succeeded, without what only sets
/// the stage; `None` where how the script ended says nothing about each of them: a pipe hides a failure, a background
/// command has not ended, and after `||` or `;` something else may have run.
pub(crate) fn list_whole_commands(script: &str) -> Option<Vec<String>> {
    let script = strip_shell_wrapper(script.trim());
    if script.is_empty() || script.len() > MAX_COMMAND || has_odd_operator(script) {
        return None;
    }
    let parts = script.split("&&").map(strip_command_frame);
    let commands = parts.filter(|it| !it.is_empty() && !is_stage_setting(it));
    Some(commands.collect())
}

/// What `bash -lc` was given.
fn strip_shell_wrapper(script: &str) -> &str {
    let mut words = script.splitn(3, ' ');
    match (words.next(), words.next(), words.next()) {
        (Some(shell), Some(flag), Some(rest)) if is_shell_script(shell, flag) => {
            let rest = rest.trim();
            let bare = rest.strip_prefix(['\'', '"']);
            bare.and_then(|it| it.strip_suffix(['\'', '"']))
                .unwrap_or(rest)
        }
        _ => script,
    }
}

/// Whether a script has an operator that parts its end from that of its commands, also one that is only quoted: nobody
/// is sure then.
fn has_odd_operator(script: &str) -> bool {
    let rest = script
        .replace("&&", " ")
        .replace("2>&1", " ")
        .replace("&>", " ");
    rest.contains(['|', ';', '&', '\n', '`']) || rest.contains("$(") || rest.contains("<<")
}

/// A command without the variables before it and the redirections behind it.
fn strip_command_frame(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_set = |it: &&&str| {
        it.split_once('=')
            .is_some_and(|(name, _)| is_variable(name))
    };
    let n_set = words.iter().take_while(is_set).count();
    let is_end =
        |it: &&str| it.starts_with(['>', '<']) || it.starts_with("2>") || it.starts_with("&>");
    let words = words[n_set..].iter().copied();
    words
        .take_while(|it| !is_end(it))
        .collect::<Vec<_>>()
        .join(" ")
}

pub(crate) fn is_variable(name: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(is_name)
}

/// Whether a command only sets the stage for the next one.
fn is_stage_setting(command: &str) -> bool {
    let program = command.split(' ').next().unwrap_or_default();
    matches!(
        program,
        "cd" | "pushd" | "popd" | "export" | "source" | "." | "set" | "true" | "sleep"
    )
}

/// The files that the command names, in order; relative ones under the folder that it runs in.
pub(super) fn find_command_paths(command: &str, folder: Option<&str>) -> Vec<CommandPath> {
    let mut found = Vec::new();
    collect_command_paths(command, folder.unwrap_or_default(), 0, &mut found);
    found
}

fn collect_command_paths(command: &str, folder: &str, depth: usize, found: &mut Vec<CommandPath>) {
    if depth >= MAX_DEPTH {
        return;
    }
    let mut folder = folder.to_owned();
    for words in split_shell_commands(&command[..command.floor_char_boundary(MAX_COMMAND)]) {
        let words = strip_command_wrappers(&words);
        let texts: Vec<&str> = words.iter().map(|it| it.text.as_str()).collect();
        match texts.as_slice() {
            ["cd" | "pushd", to, ..] => folder = resolve_shell_path(&folder, to),
            [shell, flag, script, ..] if is_shell_script(shell, flag) => {
                collect_command_paths(script, &folder, depth + 1, found)
            }
            _ => {
                let is_writer = is_writing_command(&texts);
                let of_word = |it: &ShellWord| {
                    let path = parse_path_word(&it.text)?;
                    Some(CommandPath {
                        path: resolve_shell_path(&folder, &path),
                        is_written: is_writer && !it.is_target() || it.role == WordRole::Target,
                    })
                };
                found.extend(list_file_arguments(words).filter_map(of_word));
            }
        }
    }
}

/// The command without what is set before it, and without programs that only run it.
pub(crate) fn strip_command_wrappers(words: &[ShellWord]) -> &[ShellWord] {
    let is_set = |it: &str| {
        it.split_once('=')
            .is_some_and(|(name, _)| is_variable(name))
    };
    let is_before =
        |it: &&ShellWord| !it.is_target() && (is_set(&it.text) || is_listed(WRAPPERS, &it.text));
    &words[words.iter().take_while(is_before).count()..]
}

/// Whether a command writes to the files that it is given.
fn is_writing_command(words: &[&str]) -> bool {
    let program = words.first().map_or("", |it| program_base_name(it));
    let is_in_place = |it: &&str| {
        let is_short = it.starts_with('-') && !it.starts_with("--");
        it.starts_with("--in-place") || is_short && it.contains('i')
    };
    is_listed(WRITERS, program)
        || is_listed(EDITORS, program) && words[1..].iter().any(is_in_place)
        || program == "git" && words[1..].iter().any(|it| is_listed(GIT_WRITERS, it))
}

/// The words that may be files: not patterns, programs or plain talk.
fn list_file_arguments(words: &[ShellWord]) -> impl Iterator<Item = &ShellWord> {
    let program = words.first().map_or("", |it| program_base_name(&it.text));
    let takes_code = |it: &ShellWord| is_code_flag(program, &it.text);
    let has_flag = words.iter().any(takes_code);
    let is_option = |it: &ShellWord| it.text.starts_with('-') || it.text.is_empty();
    let numbered = words.iter().enumerate();
    let first = numbered.clone().skip(1).find(|(_, it)| !is_option(it));
    let pattern = first.filter(|_| is_listed(PATTERN_FIRST, program) && !has_flag);
    let pattern = pattern.map(|(at, _)| at);
    let is_talk = is_listed(TALKERS, program);
    let is_file = move |(at, it): &(usize, &ShellWord)| {
        let is_code = *at > 0 && takes_code(&words[at - 1]);
        it.is_target() || !(is_talk || is_code || pattern == Some(*at) || it.is_given_text())
    };
    numbered.filter(is_file).map(|(_, it)| it)
}

/// Whether the word after this one is a program or a pattern: `perl -pe`, `sed -e`, `python -c`, `grep --regexp`.
fn is_code_flag(program: &str, flag: &str) -> bool {
    let is_short = flag.starts_with('-') && !flag.starts_with("--");
    match program {
        _ if ["--expression", "--regexp", "--eval"].contains(&flag) => true,
        it if is_listed(PATTERN_FIRST, it) => is_short && flag.ends_with('e'),
        it if is_listed(INTERPRETERS, it) => is_short && flag.ends_with(['e', 'c']),
        "git" => flag == "-m",
        _ => false,
    }
}

/// What follows the last slash.
pub(crate) fn program_base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The path in a word: `src/a.rs`, `--config=a.toml`, `HEAD:src/a.rs`, `src/a.rs:12`.
fn parse_path_word(word: &str) -> Option<String> {
    let word = match word.split_once('=') {
        Some((option, value)) if option.starts_with('-') => value,
        _ => word,
    };
    if word.contains("://") {
        return None;
    }
    let word = strip_revision_and_line(word);
    let has_odd = word.contains(|c: char| {
        c.is_whitespace() || c.is_control() || "$*?{}[]()<>|\"'`;!^%=,#".contains(c)
    });
    let is_range = word.contains("..") && !word.split('/').any(|it| it == "..");
    let is_elsewhere =
        word.starts_with(['-', '~', '@', ':']) || word.starts_with("/dev/") || word.contains("//");
    let word = word.trim_end_matches('/');
    let is_one = looks_like_path(word) && !has_odd && !is_range && !is_elsewhere;
    is_one.then(|| word.replace('\\', "/"))
}

/// Without a line number behind the name, or a revision before it.
fn strip_revision_and_line(word: &str) -> &str {
    let Some((before, after)) = word.split_once(':') else {
        return word;
    };
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, ':' | '-');
    match before.len() {
        // A drive.
        1 => word,
        _ if after.chars().all(is_number) => before,
        _ => after,
    }
}

fn looks_like_path(word: &str) -> bool {
    let has_letter = word.chars().any(char::is_alphabetic);
    let is_file = |(stem, ending): (&str, &str)| !stem.is_empty() && is_listed(ENDINGS, ending);
    has_letter
        && (word.contains(['/', '\\'])
            || word.rsplit_once('.').is_some_and(is_file)
            || is_listed(NAMES, word))
}

/// A path under a folder, with `.` and `..` followed as far as they go.
pub(crate) fn resolve_shell_path(folder: &str, path: &str) -> String {
    let is_whole = path.starts_with('/') || path.get(1..3).is_some_and(|it| it == ":/");
    let full = if is_whole || folder.is_empty() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in full.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|it| !it.is_empty() && *it != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(command: &str, folder: Option<&str>, is_wanted: fn(&CommandPath) -> bool) -> String {
        let found = find_command_paths(command, folder).into_iter();
        let wanted = found.filter(is_wanted).map(|it| it.path);
        wanted.collect::<Vec<_>>().join(" ")
    }

    fn check(command: &str, expected: &str) {
        assert_eq!(found(command, None, |_| true), expected, "{command:?}");
    }

    #[test]
    fn files_that_a_command_writes_to_are_known() {
        let check = |command: &str, expected: &str| {
            assert_eq!(
                found(command, None, |it| it.is_written),
                expected,
                "{command:?}"
            );
        };
        check("cat src/a.rs", "");
        check("sed -n '1,40p' src/a.rs", "");
        check("sed -i 's/a/b/g' src/a.rs", "src/a.rs");
        check("sed --in-place=.bak s/a/b/ src/a.rs", "src/a.rs");
        check("perl -pi -e 's/a/b/' src/a.pl", "src/a.pl");
        check("grep -i x src/a.rs", "");
        check("echo x > src/a.rs", "src/a.rs");
        check("cat < src/a.rs >> src/b.rs", "src/b.rs");
        check("cat <<EOF | tee src/a.rs\nsrc/b.rs\nEOF", "src/a.rs");
        check("git checkout main -- src/a.rs", "src/a.rs");
        check("git diff src/a.rs", "");
        check("cd crates/a && rustfmt src/lib.rs", "crates/a/src/lib.rs");
        check("bash -lc 'mv a.rs b.rs'", "a.rs b.rs");
    }

    #[test]
    fn files_are_found_in_commands() {
        check("cat src/a.rs", "src/a.rs");
        check("cat a.rs | head -20", "a.rs");
        check("cat 'src/a.rs' \"src/b.rs\"", "src/a.rs src/b.rs");
        check("sed -i 's/a/b/g' src/a.rs", "src/a.rs");
        check("sed -i '' 's/a/b/' a.rs", "a.rs");
        check("sed -n '1,40p' src/a.rs", "src/a.rs");
        check("sed -n -e /x/p -e /y/p src/a.rs", "src/a.rs");
        check("perl -pi -e 's/a/b/' src/a.pl", "src/a.pl");
        check("git mv src/a.rs src/b.rs", "src/a.rs src/b.rs");
        check("git show HEAD:src/a.rs", "src/a.rs");
        check("git diff main..feature/x -- src/a.rs", "src/a.rs");
        check("git commit -m docs/x.md src/a.rs", "src/a.rs");
        check("rg 'fn main/x' crates/a", "crates/a");
        check("grep -rn foo/bar src/a.rs:12", "src/a.rs");
        check("vim src/a.rs:12:3", "src/a.rs");
        check("cargo test --config=a.toml", "a.toml");
        check(
            "RUST_LOG=x/y cargo run --manifest-path crates/a/Cargo.toml",
            "crates/a/Cargo.toml",
        );
        check("sudo env A=b cat /etc/hosts", "/etc/hosts");
        check("./check all", "check");
        check("make -f Makefile", "Makefile");
        check("echo src/a.rs > src/b.rs 2>&1", "src/b.rs");
        check("cat < src/a.rs >> src/b.rs", "src/a.rs src/b.rs");
        check("bash -lc 'cat src/a.rs'", "src/a.rs");
        check("python -c 'open(\"a.py\")' src/a.py", "src/a.py");
        check("cat src\\main.rs", "src/main.rs");
        check("cat C:/w/a.rs", "C:/w/a.rs");
    }

    #[test]
    fn a_command_may_go_somewhere_first() {
        check("cd crates/a && cat src/lib.rs", "crates/a/src/lib.rs");
        check(
            "cd crates/a; cd ../b; cat ./x.rs /w/y.rs",
            "crates/b/x.rs /w/y.rs",
        );
        check("cd /w && cat src/a.rs", "/w/src/a.rs");
        assert_eq!(
            found("cat ../x.rs", Some("crates/a"), |_| true),
            "crates/x.rs"
        );
    }

    #[test]
    fn what_is_no_file_is_none() {
        check("ls", "");
        check("curl https://example.com/a.json", "");
        check("cat $HOME/a.rs src/*.rs {a,b}.rs ~/x.rs", "");
        check("npm install @types/node example.com 1.2.3 1/2", "");
        check("echo src/a.rs", "");
        check("cat > /dev/null", "");
        check("# cat src/a.rs", "");
        check("python - <<'EOF'\nopen('src/a.py')\nsrc/b.py\nEOF\n", "");
        check(
            "cat <<EOF > src/a.rs\nsee src/b.rs\nEOF\ncat src/c.rs",
            "src/a.rs src/c.rs",
        );
        check("grep x <<< src/a.rs", "");
        check("cat 'src/a.rs", "src/a.rs");
        check("git commit -m 'see src/a.rs for more'", "");
    }

    #[test]
    fn a_command_without_end_is_looked_at_in_part() {
        let long = "cat src/é.rs ".repeat(20_000);
        assert!(find_command_paths(&long, None).len() < 20_000);
    }
}
