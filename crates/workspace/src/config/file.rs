//! The files that settings are read from. What is wrong is said with the file and the line.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toml::Spanned;

use super::raw::{Key, Raw, Scalar};
use crate::error::Fault;

/// The largest file that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// A file of the repository, if it is there. Links are not followed: they would make this program read, and quote,
/// files that the repository's author cannot see.
pub(super) fn of_repository(path: &Path) -> Result<Option<String>, Fault> {
    match fs::symlink_metadata(path) {
        Ok(it) if it.is_symlink() => Err(broken(
            path,
            "it is a link, and links are not followed here",
        )),
        Ok(it) if it.is_dir() => Ok(None),
        _ => text(path),
    }
}

/// The user's own file, if it is there. One that was named must be there.
pub(super) fn of_user(
    path: Option<PathBuf>,
    is_named: bool,
) -> Result<Option<(PathBuf, String)>, Fault> {
    let Some(path) = path else { return Ok(None) };
    match text(&path)? {
        Some(text) => Ok(Some((path, text))),
        None if is_named => Err(broken(
            &path,
            "there is no such file; APOSTILLE_CONFIG names it",
        )),
        None => Ok(None),
    }
}

fn text(path: &Path) -> Result<Option<String>, Fault> {
    match fs::metadata(path) {
        Ok(it) if it.len() > MAX_BYTES => return Err(broken(path, "it is larger than 1 MB")),
        Err(error) if is_absent(&error) => return Ok(None),
        _ => {}
    }
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(broken(path, error)),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn broken(path: &Path, why: impl std::fmt::Display) -> Fault {
    Fault::config(format!("{}: {why}", path.display()))
}

/// The settings of a TOML file; `read` says what a key and its value mean there.
pub(super) fn toml(
    path: &Path,
    text: &str,
    read: impl Fn(Key, &Scalar) -> Result<Raw, String>,
) -> Result<Raw, Fault> {
    let at = |span: std::ops::Range<usize>, why: String| {
        let line = text.get(..span.start).unwrap_or(text).matches('\n').count() + 1;
        broken(path, format!("line {line}: {why}"))
    };
    let table: BTreeMap<Spanned<String>, Spanned<toml::Value>> = toml::from_str(text)
        .map_err(|error| at(error.span().unwrap_or(0..0), error.message().to_owned()))?;
    let mut raw = Raw::default();
    for (name, value) in table {
        for (full, inner) in flat(name.get_ref(), value.get_ref()) {
            let key = Key::named(&full, &Key::ALL).map_err(|why| at(name.span(), why))?;
            let one = read(key, &of_toml(inner));
            raw.join(one.map_err(|why| at(value.span(), format!("{}: {why}", key.as_str())))?);
        }
    }
    Ok(raw)
}

/// A key with its value; a table stands for its keys, as in `github.url`.
fn flat<'v>(name: &str, value: &'v toml::Value) -> Vec<(String, &'v toml::Value)> {
    match value {
        toml::Value::Table(inner) => inner
            .iter()
            .map(|(key, it)| (format!("{name}.{key}"), it))
            .collect(),
        other => vec![(name.to_owned(), other)],
    }
}

fn of_toml(value: &toml::Value) -> Scalar {
    match value {
        toml::Value::String(text) => Scalar::Text(text.clone()),
        toml::Value::Integer(n) => Scalar::Number(*n),
        toml::Value::Boolean(it) => Scalar::Flag(*it),
        _ => Scalar::Other,
    }
}

/// The settings of the `memory` block of an `agent.json`, which otherwise belongs to another program.
pub(super) fn agent_json(
    path: &Path,
    text: &str,
    read: impl Fn(Key, &Scalar) -> Result<Raw, String>,
) -> Result<Raw, Fault> {
    let whole: serde_json::Value =
        serde_json::from_str(text).map_err(|error| broken(path, error))?;
    let mut raw = Raw::default();
    let Some(block) = whole.get("memory") else {
        return Ok(raw);
    };
    let block = block
        .as_object()
        .ok_or_else(|| broken(path, "memory: expected an object"))?;
    for (name, value) in block {
        let key = Key::named(name, &Key::OF_AGENT_JSON)
            .map_err(|why| broken(path, format!("memory: {why}")))?;
        let one = read(key, &of_json(value));
        raw.join(one.map_err(|why| broken(path, format!("memory.{name}: {why}")))?);
    }
    Ok(raw)
}

fn of_json(value: &serde_json::Value) -> Scalar {
    match value {
        serde_json::Value::String(text) => Scalar::Text(text.clone()),
        serde_json::Value::Number(n) => n.as_i64().map_or(Scalar::Other, Scalar::Number),
        serde_json::Value::Bool(it) => Scalar::Flag(*it),
        _ => Scalar::Other,
    }
}
