//! The settings of a repository's own files, listed for a person who is to trust them.

use std::path::PathBuf;

use super::{file, setting_key::SettingKey};
use crate::{
    error::CommandError,
    trust::{BroughtFile, BroughtSettings},
};

/// A setting as a repository's file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroughtSetting {
    /// The file.
    pub file: PathBuf,
    /// Which setting.
    pub key: SettingKey,
    /// What the file says. The repository's author wrote it.
    pub value: String,
}

/// Everything that these files set. What cannot be read is an error.
pub fn list_brought_settings(
    brought: &BroughtSettings,
) -> Result<Vec<BroughtSetting>, CommandError> {
    let mut listed = Vec::new();
    let files = [
        (&brought.config_path, &brought.config, false),
        (&brought.agent_json_path, &brought.agent_json, true),
    ];
    for (path, found, is_agent_json) in files {
        let text = match found {
            BroughtFile::Absent => continue,
            BroughtFile::Refused(why) => return Err(file::build_config_file_error(path, why)),
            BroughtFile::Text(text) => text,
        };
        let list = |key, scalar: &super::ConfigScalar| {
            listed.push(BroughtSetting {
                file: path.clone(),
                key,
                value: scalar.to_string(),
            });
            Ok(())
        };
        if is_agent_json {
            file::parse_agent_json(path, text, list)?;
        } else {
            file::parse_config_toml(path, text, list)?;
        }
    }
    Ok(listed)
}
