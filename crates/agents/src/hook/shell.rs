//! The files that a shell command names, as far as words can tell. Nothing is run or expanded: a word with a variable or
//! a pattern in it is no path.

mod words;

use words::{ShellWord, split_shell_commands};

/// How much of a command is looked at.
const MAX_COMMAND: usize = 64 * 1024;
/// Shells inside of shells, how deep.
const MAX_DEPTH: usize = 3;

const SHELLS: &str = "sh bash zsh dash ksh";
/// Programs that run another one.
const WRAPPERS: &str = "sudo env time nohup command exec xargs";
/// Programs whose first word is a pattern or a program, and no file.
const PATTERN_FIRST: &str = "sed awk gawk grep egrep fgrep rg ag jq";
/// Programs that are given a program after `-e` or `-c`.
const INTERPRETERS: &str = "perl python python3 node ruby deno php";
/// Programs whose words are only words.
const TALKERS: &str = "echo printf export alias kill";
/// Ends of names that make a word without a folder a file.
const ENDINGS: &str = "rs toml lock md txt json jsonl yaml yml xml html css scss js mjs cjs jsx ts mts tsx vue svelte \
    py pyi ipynb rb go mod java kt kts gradle scala swift c h cc cpp hpp cs fs php lua pl ex exs erl \
    hs ml clj zig nix sh bash zsh fish ps1 bat sql proto graphql tf ini cfg conf env csv snap dart r \
    jl";
/// Files that have no ending.
const NAMES: &str = "Makefile Dockerfile Justfile justfile Gemfile Rakefile Procfile LICENSE";

/// Whether a word is in a list, whose words are set apart by spaces.
fn is_listed(list: &str, word: &str) -> bool {
    list.split(' ').any(|it| it == word)
}

/// Whether these are the first two words of a command that is a script: `bash -lc`.
pub(super) fn is_shell_script(shell: &str, flag: &str) -> bool {
    is_listed(SHELLS, program_base_name(shell)) && flag.starts_with('-') && flag.ends_with('c')
}

/// The files that the command names, in order; relative ones under the folder that it runs in.
pub(super) fn find_command_paths(command: &str, folder: Option<&str>) -> Vec<String> {
    let mut found = Vec::new();
    collect_command_paths(command, folder.unwrap_or_default(), 0, &mut found);
    found
}

fn collect_command_paths(command: &str, folder: &str, depth: usize, found: &mut Vec<String>) {
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
            _ => found.extend(
                list_file_arguments(words)
                    .filter_map(parse_path_word)
                    .map(|it| resolve_shell_path(&folder, &it)),
            ),
        }
    }
}

/// The command without what is set before it, and without programs that only run it.
fn strip_command_wrappers(words: &[ShellWord]) -> &[ShellWord] {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_set = |it: &str| {
        it.split_once('=')
            .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(is_name))
    };
    let is_before =
        |it: &&ShellWord| !it.is_target && (is_set(&it.text) || is_listed(WRAPPERS, &it.text));
    &words[words.iter().take_while(is_before).count()..]
}

/// The words that may be files: not patterns, programs or plain talk.
fn list_file_arguments(words: &[ShellWord]) -> impl Iterator<Item = &str> {
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
        it.is_target || !(is_talk || is_code || pattern == Some(*at))
    };
    numbered.filter(is_file).map(|(_, it)| it.text.as_str())
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
fn program_base_name(word: &str) -> &str {
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
fn resolve_shell_path(folder: &str, path: &str) -> String {
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

    fn check(command: &str, expected: &str) {
        assert_eq!(
            find_command_paths(command, None).join(" "),
            expected,
            "{command:?}"
        );
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
            find_command_paths("cat ../x.rs", Some("crates/a")),
            ["crates/x.rs"]
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
