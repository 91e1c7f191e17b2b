//! The model as this user set it up: where it is, whose key is sent, and how often it may be asked.

use std::time::Duration;

use apostille_core::model::{Model, ModelError};
use apostille_models::protocols::{DailyRequestMeter, ModelOptions, ModelOwner, RemoteModel};
use jiff::{Timestamp, tz::TimeZone};

use super::github;
use crate::{config::Settings, error::CommandError, system::System};

/// The file that counts requests, in the user's data folder.
const COUNT: &str = "model-requests";

/// The model, if one is set up. Nothing is asked yet, and the key is not read.
pub fn build_model(
    system: &System,
    settings: &Settings,
) -> Result<Option<Box<dyn Model>>, CommandError> {
    build_model_with_key_reader(system, settings, System::read_secret_variable)
}

/// The same, with the way to read a variable.
fn build_model_with_key_reader(
    system: &System,
    settings: &Settings,
    read: fn(&str) -> Option<String>,
) -> Result<Option<Box<dyn Model>>, CommandError> {
    let said = &settings.model;
    let Some((url, name)) = said.url_and_name() else {
        return Ok(None);
    };
    let folder = system.env.data_dir().ok_or_else(|| {
        CommandError::config("cannot tell where requests to the model are counted: HOME is not set")
    })?;
    let options = ModelOptions {
        api: said.api,
        base: url.to_owned(),
        name: name.to_owned(),
        timeout: Duration::from_millis(said.timeout_ms as u64),
        proxy: github::find_proxy(&system.env, url),
        authorities: None,
    };
    let user = UserModelAccount {
        variable: said.key_env.clone(),
        read,
        meter: DailyRequestMeter::new(
            folder.join(COUNT),
            u32::try_from(said.budget).unwrap_or(u32::MAX),
        ),
        now: Box::new(system.clock()),
    };
    let remote = RemoteModel::new(&options, user)?;
    if said.key_env.is_some() && !remote.is_private() {
        return Err(CommandError::config(
            "model.url begins with http://, and a key is sent over https only",
        ));
    }
    Ok(Some(Box::new(remote)))
}

/// The user: a variable with a key in it, a count of requests, and some patience.
struct UserModelAccount {
    variable: Option<String>,
    read: fn(&str) -> Option<String>,
    meter: DailyRequestMeter,
    now: Box<dyn Fn() -> Timestamp + Send + Sync>,
}

impl ModelOwner for UserModelAccount {
    fn read_key(&self) -> Result<Option<String>, ModelError> {
        let Some(name) = &self.variable else {
            return Ok(None);
        };
        let key = (self.read)(name);
        let key = key.ok_or_else(|| {
            ModelError::Key(format!("{name} is not set, and model.key_env names it"))
        })?;
        Ok(Some(key.trim().to_owned()))
    }

    fn count_request(&self) -> Result<(), ModelError> {
        self.meter
            .count_request((self.now)().to_zoned(TimeZone::UTC).date())
    }

    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::TcpListener;
    use std::path::Path;
    use std::thread::{self, JoinHandle};

    use apostille_core::model::ModelRequest;
    use serde_json::json;

    use super::*;
    use crate::config::SettingFlags;
    use crate::config::resolve_settings;
    use crate::project_folder::ProjectFolder;
    use crate::system::Environment;

    /// A world with a home of its own, and what this user's file says there.
    fn settled(home: &Path, file: &str) -> (System, Settings) {
        let folder = home.join("conf");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), file).unwrap();
        let mut system = System::from_process(Vec::new())
            .unwrap()
            .with_dir(Some(home));
        let variables = [
            ("HOME", home.to_path_buf()),
            ("APOSTILLE_CONFIG", folder.join("config.toml")),
            ("XDG_DATA_HOME", home.join("data")),
        ];
        system.env = Environment(
            variables
                .map(|(name, it)| (name, it.to_str().unwrap().to_owned()))
                .into(),
        );
        let settings = resolve_settings(
            &system,
            &SettingFlags::default(),
            &ProjectFolder::discover_from(home).unwrap(),
        )
        .unwrap();
        (system, settings)
    }

    /// A server for one request, which it gives back.
    fn served(reply: &'static str) -> (String, JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let thread = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut head, mut length) = (String::new(), 0);
            while !head.ends_with("\r\n\r\n") {
                let start = head.len();
                reader.read_line(&mut head).unwrap();
                let line = head[start..].to_ascii_lowercase();
                length = line
                    .strip_prefix("content-length: ")
                    .map_or(length, |it| it.trim().parse().unwrap());
            }
            reader.read_exact(&mut vec![0; length]).unwrap();
            let head_of_reply = format!(
                "HTTP/1.1 200 X\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                reply.len()
            );
            stream
                .write_all((head_of_reply + reply).as_bytes())
                .unwrap();
            head.to_ascii_lowercase()
        });
        (base, thread)
    }

    fn said(model: &dyn Model) -> String {
        let schema = json!({});
        let ask = ModelRequest {
            system: "s",
            user: "u",
            schema: &schema,
            max_tokens: 9,
        };
        model
            .complete(&ask)
            .unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn nothing_is_asked_until_it_is_named() {
        let home = tempfile::tempdir().unwrap();
        let check = |file: &str, expected: &str| {
            let (system, settings) = settled(home.path(), file);
            let said = match build_model(&system, &settings) {
                Ok(it) => {
                    if it.is_some() {
                        "on".into()
                    } else {
                        "off".into()
                    }
                }
                Err(fault) => fault.message(),
            };
            assert_eq!(said, expected, "{file}");
        };
        check("", "off");
        check("[model]\nurl = \"https://example.com/v1\"", "off");
        check("[model]\nname = \"m\"\nkey_env = \"K\"", "off");
        check(
            "[model]\nurl = \"https://example.com/v1\"\nname = \"m\"",
            "on",
        );
        check(
            "[model]\nurl = \"http://example.com/v1\"\nname = \"m\"",
            "on",
        );
        let plain = "model.url begins with http://, and a key is sent over https only";
        check(
            "[model]\nurl = \"http://example.com/v1\"\nname = \"m\"\nkey_env = \"K\"",
            plain,
        );
        assert!(!home.path().join("data").exists(), "and nothing is counted");
    }

    #[test]
    fn a_question_is_counted_and_sent_with_the_key_of_its_variable() {
        let home = tempfile::tempdir().unwrap();
        let (base, server) = served(r#"{"choices":[{"message":{"content":"{}"}}]}"#);
        let file = format!(
            "[model]\nurl = \"{base}/v1\"\nname = \"m\"\nkey_env = \"KEY_OF_ANA\"\nbudget = 1\n"
        );
        let (system, settings) = settled(home.path(), &file);
        let read = |name: &str| (name == "KEY_OF_ANA").then(|| "t-1\n".to_owned());
        let model = build_model_with_key_reader(&system, &settings, read)
            .unwrap()
            .unwrap();
        assert_eq!(said(&*model), "{}");
        let head = server.join().unwrap();
        assert!(
            head.starts_with("post /v1/chat/completions ")
                && head.contains("\r\nauthorization: bearer t-1\r\n"),
            "{head}"
        );
        let count =
            std::fs::read_to_string(home.path().join("data/apostille").join(COUNT)).unwrap();
        assert!(count.ends_with(" 1\n"), "{count}");
        assert!(said(&*model).starts_with("none of today's requests to the model is left, of 1"));
    }

    #[test]
    fn a_key_that_is_not_there_is_missed_when_it_is_needed() {
        let home = tempfile::tempdir().unwrap();
        let file = "[model]\nurl = \"http://127.0.0.1:1\"\nname = \"m\"\nkey_env = \"APOSTILLE_NO_SUCH_KEY\"\n";
        let (system, settings) = settled(home.path(), file);
        let model = build_model(&system, &settings).unwrap().unwrap();
        let expected = "the model's key cannot be used: APOSTILLE_NO_SUCH_KEY is not set, and model.key_env names it";
        assert_eq!(said(&*model), expected);
        assert!(
            !home.path().join("data").exists(),
            "nothing was asked, so nothing was counted"
        );
    }
}
