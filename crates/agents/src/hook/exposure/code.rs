//! Code that asks other machines, by the names of what it calls.

/// Calls and libraries that fetch.
const NETWORK_CALLS: &[&str] = &[
    "urllib",
    "urlopen",
    "urlretrieve",
    "requests.",
    "import requests",
    "httpx",
    "aiohttp",
    "http.client",
    "ftplib",
    "paramiko",
    "socket.",
    "fetch(",
    "axios",
    "http.get(",
    "https.get(",
    "http.request(",
    "https.request(",
    "node-fetch",
    "undici",
    "XMLHttpRequest",
    "WebSocket",
    "Net::HTTP",
    "open-uri",
    "LWP::",
    "HTTP::Tiny",
    "curl_exec",
    "file_get_contents('http",
    "file_get_contents(\"http",
    "IO::Socket",
    "TCPSocket",
];

/// Programs that code starts to fetch something.
const FETCHERS: &[&str] = &["curl", "wget", "gh", "glab", "ssh", "scp"];

/// Whether code asks another machine. Where it has addresses, they decide.
pub(super) fn is_network_code(code: &str) -> bool {
    let calls = || NETWORK_CALLS.iter().any(|it| code.contains(it)) || starts_fetcher(code);
    calls() && !has_only_local_addresses(code)
}

/// Calls that start a program.
const PROCESS_CALLS: &[&str] = &[
    "subprocess",
    "system(",
    "exec",
    "spawn",
    "popen",
    "Open3",
    "`",
];

/// Whether code starts a program that fetches: `subprocess.run(["curl", …])`, `system("curl …")`.
fn starts_fetcher(code: &str) -> bool {
    if !PROCESS_CALLS.iter().any(|it| code.contains(it)) {
        return false;
    }
    let strings = code.split(['"', '\'', '`']).skip(1).step_by(2);
    let mut programs = strings.filter_map(|it| it.split_whitespace().next());
    programs.any(|it| FETCHERS.contains(&it))
}

/// Whether a text has addresses, and all of them are of this machine.
fn has_only_local_addresses(text: &str) -> bool {
    let mut addresses = text.split("://").skip(1).peekable();
    addresses.peek().is_some() && addresses.all(is_local_host)
}

/// Whether a text has the address of another machine.
pub(super) fn has_other_address(text: &str) -> bool {
    let mut pairs = text.split("://").zip(text.split("://").skip(1));
    pairs.any(|(scheme, address)| !scheme.ends_with("file") && !is_local_host(address))
}

/// Whether an address is of this machine, by what follows its scheme. One with a variable in it is not.
pub(super) fn is_local_host(address: &str) -> bool {
    let is_end = |c: char| c.is_whitespace() || "/?#\\\"'`)>,;".contains(c);
    let authority = address.split(is_end).next().unwrap_or_default();
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    if host.starts_with("[::1]") || host == "::1" {
        return true;
    }
    let (name, port) = host.split_once(':').unwrap_or((host, ""));
    let is_number = |it: &str| it.bytes().all(|it| it.is_ascii_digit() || it == b'.');
    let is_loop = name.starts_with("127.") && is_number(name);
    let is_port_alone = name.is_empty() && !port.is_empty() && is_number(port);
    matches!(name, "localhost" | "0.0.0.0") || is_loop || is_port_alone
}
