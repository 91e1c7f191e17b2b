//! The files that settings are read from. What is wrong is said with the file and the line.

use std::collections::BTreeMap;
use std::{fs, io::ErrorKind, path::Path, str::FromStr};

use apostille_text::words::UnknownWord;
use serde::Deserialize as _;
use toml::Spanned;

use super::{scalar::ConfigScalar, setting_key::SettingKey};
use crate::error::CommandError;

/// The largest file that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// A file, if it is there.
pub(super) fn read_config_file(path: &Path) -> Result<Option<String>, CommandError> {
    let is_large = fs::metadata(path).is_ok_and(|it| it.len() > MAX_BYTES);
    if is_large {
        return Err(build_config_file_error(path, "it is larger than 1 MB"));
    }
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(build_config_file_error(path, error)),
    }
}

pub(super) fn build_config_file_error(path: &Path, why: impl std::fmt::Display) -> CommandError {
    CommandError::config(format!("{}: {why}", path.display()))
}

/// Gives every key of a TOML file to `set`, with its value.
pub(super) fn parse_config_toml(
    path: &Path,
    text: &str,
    mut set: impl FnMut(SettingKey, &ConfigScalar) -> Result<(), String>,
) -> Result<(), CommandError> {
    let at = |span: std::ops::Range<usize>, why: String| {
        let line = text.get(..span.start).unwrap_or(text).matches('\n').count() + 1;
        build_config_file_error(path, format!("line {line}: {why}"))
    };
    let table: BTreeMap<Spanned<String>, Spanned<toml::Value>> = toml::from_str(text)
        .map_err(|error| at(error.span().unwrap_or(0..0), error.message().to_owned()))?;
    for (name, value) in table {
        // A table stands for its keys, as in `github.url`.
        let entries = match value.get_ref() {
            toml::Value::Table(inner) if *name.get_ref() != SettingKey::Repos.as_str() => inner
                .iter()
                .map(|(key, it)| (format!("{}.{key}", name.get_ref()), it))
                .collect(),
            other => vec![(name.get_ref().clone(), other)],
        };
        for (full, inner) in entries {
            let key = SettingKey::from_name(&full, SettingKey::ALL)
                .map_err(|why| at(name.span(), why))?;
            ConfigScalar::deserialize(inner.clone())
                .map_err(|error| error.to_string())
                .and_then(|scalar| set(key, &scalar))
                .map_err(|why| at(value.span(), format!("{key}: {why}")))?;
        }
    }
    Ok(())
}

/// The word that a TOML file has for one key of its top, whatever else is in it.
pub(super) fn read_single_word<T: FromStr<Err = UnknownWord>>(
    path: &Path,
    text: &str,
    key: SettingKey,
) -> Result<Option<T>, CommandError> {
    let table: toml::Table =
        toml::from_str(text).map_err(|error| build_config_file_error(path, error.message()))?;
    let Some(value) = table.get(key.as_str()) else {
        return Ok(None);
    };
    ConfigScalar::deserialize(value.clone())
        .map_err(|error| error.to_string())
        .and_then(|it| it.parse_word())
        .map(Some)
        .map_err(|why| build_config_file_error(path, format!("{key}: {why}")))
}

/// Gives every key of the `memory` block of an `agent.json` to `set`; the rest belongs to another program.
pub(super) fn parse_agent_json(
    path: &Path,
    text: &str,
    mut set: impl FnMut(SettingKey, &ConfigScalar) -> Result<(), String>,
) -> Result<(), CommandError> {
    let whole: serde_json::Value =
        serde_json::from_str(text).map_err(|error| build_config_file_error(path, error))?;
    let Some(block) = whole.get("memory") else {
        return Ok(());
    };
    let block = block
        .as_object()
        .ok_or_else(|| build_config_file_error(path, "memory: expected an object"))?;
    for (name, value) in block {
        let key = SettingKey::from_name(name, SettingKey::OF_AGENT_JSON)
            .map_err(|why| build_config_file_error(path, format!("memory: {why}")))?;
        ConfigScalar::deserialize(value)
            .map_err(|error| error.to_string())
            .and_then(|scalar| set(key, &scalar))
            .map_err(|why| build_config_file_error(path, format!("memory.{name}: {why}")))?;
    }
    Ok(())
}
