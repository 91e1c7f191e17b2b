//! The token of a team's server: from the environment, or from a private file that says which token is for which server, so that
//! none is ever sent to another one.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use apostille_files::regular_file::read_regular_start;
use apostille_web::client::address::Address;

use crate::system::System;

/// The variable for a single run.
pub const TOKEN_VARIABLE: &str = "APOSTILLE_SYNC_TOKEN";
/// How much is read of the file.
const MAX_FILE: u64 = 64 * 1024;

/// The file of this user's tokens: in each line an address and a token.
pub fn locate_token_file(system: &System) -> Option<PathBuf> {
    Some(system.env.config_dir()?.join("sync-tokens"))
}

/// The token for a server, or what is to be done to have one.
pub fn find_server_token(system: &System, address: &str) -> Result<String, String> {
    if let Some(token) = system.env.get(TOKEN_VARIABLE) {
        return Ok(token.trim().to_owned());
    }
    let file = locate_token_file(system).ok_or("there is no home to keep a token in")?;
    let name = file.display();
    let missing = || {
        format!(
            "there is no token for {address}: write a line '{address} TOKEN' into '{name}', which only you may read, or set {TOKEN_VARIABLE}"
        )
    };
    let text = match read_regular_start(&file, MAX_FILE) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(missing()),
        Err(error) => return Err(format!("'{name}': {error}")),
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
    };
    if is_open_to_others(&file) {
        return Err(format!("others can read '{name}': chmod 600 '{name}'"));
    }
    pick_token(&text, address).ok_or_else(missing)
}

#[cfg(unix)]
fn is_open_to_others(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).is_ok_and(|it| it.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(file: &Path) -> bool {
    fs::metadata(file).is_err()
}

/// The token in the first line for this address, however that is spelled there.
fn pick_token(text: &str, address: &str) -> Option<String> {
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|it| !it.starts_with('#'));
    lines.find_map(|line| {
        let (url, token) = line.split_once(char::is_whitespace)?;
        let url = Address::parse(url).ok()?.join_path("");
        (url == address).then(|| token.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_for_one_server() {
        let file = "# mine\nhttps://memory.example.com/ one\nhttps://memory.example.com:8443 two\n\nbroken\n";
        let check = |address: &str, expected: Option<&str>| {
            assert_eq!(pick_token(file, address).as_deref(), expected, "{address}");
        };
        check("https://memory.example.com", Some("one"));
        check("https://memory.example.com:8443", Some("two"));
        check("https://memory.example.com.evil.example", None);
        check("https://evil.example", None);
    }
}
