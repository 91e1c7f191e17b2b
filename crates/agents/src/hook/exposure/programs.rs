//! The programs of a shell that bring in what strangers wrote, and when they do.
//!
//! Installing is not among it (`npm install`, `pip install -r`, `cargo add`): it prints names and versions. What was
//! installed counts when it is read, by the folder that it lies in (`places`), or run from the network (`npx`).

/// When a program brings in what strangers wrote.
#[derive(Debug, Clone, Copy)]
pub(super) enum Brings {
    /// Whatever it is given.
    Always,
    /// Unless the machine that it asks is this one.
    FromOtherMachine,
    /// With one of these commands. `_` is a word that is not a path, `*x*` a word with `x` in it, `-x` an option.
    With(&'static [&'static str]),
    /// With every command but these, and never without one.
    Unless(&'static [&'static str]),
    /// A package that it runs is fetched unless it is installed.
    Package,
}

/// What is known of some programs.
pub(super) struct ProgramRule {
    /// The programs, set apart by spaces.
    pub(super) names: &'static str,
    /// Their options that take a word, as far as they may stand before a command or an address.
    pub(super) valued: &'static str,
    pub(super) brings: Brings,
}

const fn rule(names: &'static str, valued: &'static str, brings: Brings) -> ProgramRule {
    ProgramRule {
        names,
        valued,
        brings,
    }
}

use Brings::{Always, FromOtherMachine, Package, Unless, With};

/// A program may stand in several rows.
pub(super) const PROGRAMS: &[ProgramRule] = &[
    // Pages and files of other machines.
    rule(
        "curl curlie",
        "-o -H -d -X -u -A -b -c -e -F -m -T -w -x --output --header --data --data-raw --data-binary --json --request --user \
         --user-agent --cookie --cookie-jar --form --max-time --write-out --unix-socket --connect-timeout --retry",
        FromOtherMachine,
    ),
    rule(
        "wget wget2",
        "-O -o -P -U -t -T --output-document --header",
        FromOtherMachine,
    ),
    rule(
        "http https xh xhs httpie",
        "-a -o -p -A --auth --output --print",
        FromOtherMachine,
    ),
    rule(
        "aria2c axel lynx w3m links elinks hurl grpcurl websocat wscat",
        "-o -d",
        FromOtherMachine,
    ),
    rule(
        "invoke-webrequest invoke-restmethod iwr irm",
        "-OutFile -Method -Body",
        FromOtherMachine,
    ),
    rule(
        "yt-dlp youtube-dl tldr cheat rclone gsutil huggingface-cli hf kaggle",
        "",
        Always,
    ),
    // Other machines themselves.
    rule(
        "ssh mosh telnet nc ncat netcat socat ftp sftp lftp",
        "-p -i -l -o -w -F -L -R -J",
        FromOtherMachine,
    ),
    rule(
        "scp dig host nslookup drill kdig whois tftp finger",
        "",
        Always,
    ),
    rule("rsync", "", With(&["*:*", "_ *:*", "_ _ *:*"])),
    rule("openssl", "", With(&["s_client"])),
    // Hosts of code.
    rule(
        "gh glab hub",
        "-R --repo --hostname",
        Unless(&[
            "auth",
            "config",
            "alias",
            "completion",
            "help",
            "version",
            "ssh-key",
            "gpg-key",
            "secret",
            "variable",
            "pr create",
            "pr merge",
            "pr close",
            "pr ready",
            "pr reopen",
            "issue create",
            "issue close",
            "issue reopen",
            "release create",
            "release upload",
            "repo create",
            "workflow run",
            "run rerun",
            "run cancel",
            "mr create",
            "mr merge",
            "mr close",
        ]),
    ),
    rule(
        "jira linear sentry-cli tea stripe slackcat himalaya",
        "",
        Unless(&["help", "version", "login", "init"]),
    ),
    rule(
        "git",
        super::git_refs::GIT_VALUED,
        With(super::git_refs::GIT_ASKING),
    ),
    // Packages: what their authors wrote about them, and their files.
    rule(
        "npm pnpm yarn bun",
        "--prefix -C --dir --cwd --filter -w --workspace",
        With(&[
            "view", "v", "info", "show", "search", "pack _", "audit", "dlx", "create", "init _",
            "npm info", "pm view", "x",
        ]),
    ),
    rule("npx bunx", "-p --package -c", Package),
    rule("npm", "--prefix -w", With(&["exec"])),
    rule("uvx", "", Always),
    rule(
        "uv",
        "--directory --project",
        With(&["tool run", "x", "pip show", "pip download"]),
    ),
    rule("pipx", "", With(&["run"])),
    rule(
        "pip pip3",
        "",
        With(&["download", "index", "search", "show"]),
    ),
    rule("pip-audit", "", Always),
    rule(
        "cargo",
        "-C --config -Z",
        With(&["info", "search", "audit", "clone"]),
    ),
    rule("go", "-C", With(&["run *@*", "list -m", "doc *.*"])),
    rule(
        "deno",
        "",
        With(&["run *jsr:*", "run *npm:*", "run *://*", "info *:*"]),
    ),
    rule("dotnet", "", With(&["package search", "tool search"])),
    rule(
        "apt apt-get apt-cache aptitude",
        "-o -t",
        With(&["show", "search", "changelog", "source", "download"]),
    ),
    rule("dnf yum zypper", "", With(&["info", "search", "changelog"])),
    rule(
        "brew",
        "",
        With(&["info", "search", "cat", "home", "desc", "log"]),
    ),
    rule("pacman yay paru", "", With(&["-Si", "-Ss", "-Qi"])),
    rule("apk snap flatpak", "", With(&["info", "search", "find"])),
    rule(
        "gem",
        "",
        With(&["info", "search", "fetch", "specification", "unpack"]),
    ),
    rule(
        "composer luarocks opam conda mamba",
        "-d",
        With(&["show", "info", "search", "download"]),
    ),
    rule("helm", "-n --namespace", With(&["show", "pull", "search"])),
    rule("nix", "", With(&["run", "shell", "search"])),
    // Containers and machines in clouds: what runs there was written by others.
    rule(
        "docker podman nerdctl",
        "-H --context -c --config -f --file -p",
        With(&[
            "pull",
            "logs",
            "run",
            "exec",
            "attach",
            "search",
            "inspect",
            "image pull",
            "image inspect",
            "container logs",
            "container run",
            "container exec",
            "compose logs",
            "compose exec",
            "compose run",
            "compose pull",
        ]),
    ),
    rule(
        "docker-compose",
        "-f -p",
        With(&["logs", "exec", "run", "pull"]),
    ),
    rule(
        "kubectl oc",
        "-n --namespace --context --kubeconfig -c",
        With(&[
            "logs", "exec", "attach", "run", "debug", "cp", "describe", "events",
        ]),
    ),
    rule("stern", "", Always),
    rule(
        "aws",
        "--profile --region",
        With(&["s3 cp", "s3 sync", "s3api get-object", "logs"]),
    ),
    rule(
        "gcloud az",
        "--project",
        With(&["logging read", "storage cp", "storage blob", "monitor"]),
    ),
    rule(
        "heroku fly flyctl vercel railway",
        "-a --app",
        With(&["logs"]),
    ),
    // Other agents.
    rule(
        "claude gemini copilot",
        "--model -m",
        With(&["-p", "--print", "--prompt"]),
    ),
    rule("codex", "-m", With(&["exec", "e"])),
    rule("opencode ollama", "", With(&["run"])),
    rule(
        "cursor-agent llm aichat aider",
        "",
        Unless(&["--version", "--help"]),
    ),
];

/// A program that runs another one: its words, its options that take a word, and how many words stand before the other.
pub(super) struct WrapperRule {
    pub(super) words: &'static str,
    pub(super) valued: &'static str,
    pub(super) n_words: usize,
}

const fn wrapper(words: &'static str, valued: &'static str, n_words: usize) -> WrapperRule {
    WrapperRule {
        words,
        valued,
        n_words,
    }
}

pub(super) const WRAPPERS: &[WrapperRule] = &[
    wrapper("sudo", "-u -g -h -p -C -D -R -T -U", 0),
    wrapper("doas", "-u -C", 0),
    wrapper("env", "-u -C", 0),
    wrapper("timeout", "-s -k --signal --kill-after", 1),
    wrapper("gtimeout", "-s -k", 1),
    wrapper("nice", "-n", 0),
    wrapper("ionice", "-c -n", 0),
    wrapper("time", "-f -o", 0),
    wrapper("nohup", "", 0),
    wrapper("setsid", "", 0),
    wrapper("command", "", 0),
    wrapper("builtin", "", 0),
    wrapper("exec", "-a", 0),
    wrapper("xargs", "-n -I -P -L -d -a -s -E", 0),
    wrapper("parallel", "-j", 0),
    wrapper("stdbuf", "-i -o -e", 0),
    wrapper("strace", "-e -o", 0),
    wrapper("chroot", "", 1),
    wrapper("busybox", "", 0),
    wrapper("caffeinate", "", 0),
    wrapper("unbuffer", "", 0),
    wrapper("proxychains", "-f", 0),
    wrapper("proxychains4", "-f", 0),
    wrapper("torsocks", "", 0),
    wrapper("uv run", "--directory --project --with -p", 0),
    wrapper("poetry run", "", 0),
    wrapper("pipenv run", "", 0),
    wrapper("pdm run", "", 0),
    wrapper("hatch run", "", 0),
    wrapper("bundle exec", "", 0),
    wrapper("direnv exec", "", 1),
    // Words of the shell's own language.
    wrapper("if", "", 0),
    wrapper("then", "", 0),
    wrapper("elif", "", 0),
    wrapper("else", "", 0),
    wrapper("while", "", 0),
    wrapper("until", "", 0),
    wrapper("do", "", 0),
    wrapper("!", "", 0),
    wrapper("{", "", 0),
];

/// Programs that print the files that they are given.
pub(super) const READERS: &str = "cat less more most head tail bat nl tac grep egrep fgrep zgrep rg ag ack sed gsed awk gawk jq yq \
    strings xxd od hexdump cut sort uniq fold diff vim vi view nano emacs zcat gunzip unzip tar type get-content gc \
    cp ln pdftotext pandoc man column comm paste base64 open xdg-open code";

/// Programs that do not ask the address that they are given: it is text to them, or a setting.
pub(super) const LOCAL: &str = "echo printf export alias test [ [[ grep egrep fgrep rg ag ack sed gsed awk gawk jq yq cat head tail \
    git apostille cargo npm pnpm yarn bun pip pip3 make cmake docker podman kubectl helm true false set unset read tee find \
    sort uniq wc ls mkdir rm cp mv gh glab terraform claude codex gemini open xdg-open";

/// Shells, and what else takes a script of a shell as words.
pub(super) const SHELLS: &str = "sh bash zsh dash ksh fish ash pwsh powershell su";
pub(super) const EVALUATORS: &str = "eval watch";
/// Programs that run code of another language.
pub(super) const INTERPRETERS: &str =
    "python python2 python3 pypy node nodejs ruby perl php deno bun tsx ts-node lua rscript";
