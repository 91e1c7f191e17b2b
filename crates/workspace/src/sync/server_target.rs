//! The team's server as a target: it is asked how its 256 parts look, the parts are read that are not the same here, and it is given
//! the lines that it lacks.
//!
//! The server unites what it is given with what it has, and takes nothing that was decided on what it does not hold any more: then
//! it is read again. Where nothing is new, one small question is all there is.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
    time::Duration,
};

use apostille_api::json::{ReplicaReply, TakenLinesReply};
use apostille_core::replica::{
    ReplicaLine, ReplicaLog,
    parts::{PartLook, PartName, look_at_parts, split_into_parts},
};
use apostille_files::regular_file::read_regular_start;
use apostille_text::moderate::neutralise_text;
use apostille_web::client::{
    HttpClientSettings,
    address::{Address, percent_encode_segment},
    bearer::{BearerClient, BearerError, BearerReply},
};
use serde::{Deserialize, de::DeserializeOwned};

use super::{
    ExchangeTarget, LinesNotTaken, SyncError, SyncRequest, server_token::find_server_token,
};
use crate::{github::find_proxy, system::System};

/// How long one request may take.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How much is sent in one request: a server takes a megabyte.
const MOST_SENT: usize = 512 * 1024;
/// How much is asked for in one request, unless a single part has more.
const MOST_ASKED: usize = 1024 * 1024;
/// The longest answer that is no lines.
const MAX_ANSWER: u64 = 256 * 1024;
/// The longest part.
const MAX_PART: u64 = 32 * 1024 * 1024;
/// How much a server's lines may be together.
const MAX_LINES: usize = 256 * 1024 * 1024;
const LINES: &str = "application/x-ndjson";

/// The server, as far as it was looked at.
pub(super) struct ServerTarget {
    client: BearerClient,
    /// What stands behind the question mark of every request.
    query: String,
    accepts_forgotten: bool,
    /// The fingerprint that was seen the last time.
    seen: Option<String>,
    held: Option<HeldLines>,
    /// The lines of the parts that were read.
    fetched: HashMap<PartName, HashSet<String>>,
    not_taken: LinesNotTaken,
}

/// What the server holds, as it said.
struct HeldLines {
    fingerprint: String,
    looks: BTreeMap<PartName, PartLook>,
}

/// What a server says that does not do what it was asked for.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ServerComplaint {
    error: Option<ComplaintText>,
    refused: Option<ComplaintText>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ComplaintText {
    class: String,
    message: String,
}

impl ServerTarget {
    pub(super) fn open(
        system: &System,
        address: &str,
        request: &SyncRequest,
        seen: Option<String>,
    ) -> Result<Self, SyncError> {
        let token = find_server_token(system, address).map_err(SyncError::Unfit)?;
        let proxy = find_proxy(&system.env, address);
        let authorities = read_authorities(system)?;
        let settings = HttpClientSettings {
            timeout: TIMEOUT,
            proxy: proxy.as_deref(),
            authorities: authorities.as_deref(),
        };
        let parsed = Address::parse(address).map_err(|it| SyncError::Unfit(it.to_string()))?;
        let client = BearerClient::new(parsed, &token, &settings)?;
        let space = request.space;
        let query = match space.is_user() {
            true => "user=true".into(),
            false => format!("repo={}", percent_encode_segment(space.as_str())),
        };
        Ok(Self {
            client,
            query,
            accepts_forgotten: request.accepts_forgotten,
            seen,
            held: None,
            fetched: HashMap::new(),
            not_taken: LinesNotTaken::default(),
        })
    }

    /// Asks how the server looks; who has seen the same is told no more than that.
    fn ask_summary(&mut self, seen: Option<&str>) -> Result<String, SyncError> {
        let seen = seen.map(|it| format!("&seen={}", percent_encode_segment(it)));
        let path = format!("/api/replica?{}{}", self.query, seen.unwrap_or_default());
        let reply: ReplicaReply = read_json(self.client.get(&path, MAX_ANSWER)?)?;
        self.held = reply.parts.map(|parts| {
            let looks = parts.into_iter().filter_map(|it| {
                let look = PartLook {
                    digest: it.digest,
                    bytes: it.bytes,
                };
                Some((it.name.parse().ok()?, look))
            });
            HeldLines {
                fingerprint: reply.fingerprint.clone(),
                looks: looks.collect(),
            }
        });
        Ok(reply.fingerprint)
    }

    /// What the server holds, which is asked for where it is not known.
    fn hold(&mut self) -> Result<&HeldLines, SyncError> {
        if self.held.is_none() {
            self.ask_summary(None)?;
        }
        let missing = || SyncError::Unfit("the server does not say what it holds".into());
        self.held.as_ref().ok_or_else(missing)
    }

    fn read_parts(&mut self, names: &[PartName]) -> Result<Vec<String>, SyncError> {
        let parts: Vec<String> = names.iter().map(ToString::to_string).collect();
        let path = format!(
            "/api/replica/lines?{}&parts={}",
            self.query,
            parts.join(",")
        );
        let reply = check_status(self.client.get(&path, MAX_PART)?)?;
        let text = String::from_utf8_lossy(&reply.body);
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// The lines that the server lacks.
    fn list_missing<'l>(&self, log: &'l ReplicaLog) -> Vec<&'l str> {
        let own = look_at_parts(&split_into_parts(log));
        let looks = self.held.as_ref().map(|it| &it.looks);
        let is_same = |name: &PartName| looks.is_some_and(|it| it.get(name) == own.get(name));
        let is_there = |text: &str, name: &PartName| {
            is_same(name) || self.fetched.get(name).is_some_and(|it| it.contains(text))
        };
        let lines = log.lines().filter(|it| {
            let name = PartName::for_memory(it.id);
            !is_there(&it.text, &name)
        });
        lines.map(|it| it.text.as_str()).collect()
    }

    /// Gives the server some lines that were decided on what it held; `None` where it holds something else by now.
    fn bring_lines(&mut self, seen: &str, lines: &str) -> Result<Option<String>, SyncError> {
        let seen = percent_encode_segment(seen);
        let accept = if self.accepts_forgotten {
            "&accept_forgotten=true"
        } else {
            ""
        };
        let path = format!("/api/replica/lines?{}&seen={seen}{accept}", self.query);
        let reply = self
            .client
            .post(&path, LINES, lines.as_bytes(), MAX_ANSWER)?;
        if reply.status == 422 && read_complaint(&reply).class == "overtaken" {
            return Ok(None);
        }
        let taken: TakenLinesReply = read_json(reply)?;
        self.not_taken.n += taken.left_out;
        if self.not_taken.why.is_none() {
            self.not_taken.why = taken.why;
        }
        Ok(taken.complete.then_some(taken.fingerprint))
    }

    /// What was seen does not hold any more.
    fn forget_look(&mut self) {
        self.held = None;
        self.fetched.clear();
    }
}

impl ExchangeTarget for ServerTarget {
    fn find_fingerprint(&mut self) -> Result<String, SyncError> {
        let seen = self.seen.take();
        self.ask_summary(seen.as_deref())
    }

    fn fetch_lines(&mut self, log: &ReplicaLog) -> Result<Vec<String>, SyncError> {
        self.fetched.clear();
        let own = look_at_parts(&split_into_parts(log));
        let held = self.hold()?;
        let all: usize = held.looks.values().map(|it| it.bytes).sum();
        if all > MAX_LINES {
            let why = format!("the server holds {} MB of lines", all / 1024 / 1024);
            return Err(SyncError::Unfit(why));
        }
        let other = held
            .looks
            .iter()
            .filter(|(name, look)| own.get(name) != Some(look));
        let other: Vec<(PartName, usize)> = other.map(|(name, it)| (*name, it.bytes)).collect();
        let mut lines = Vec::new();
        for names in group_parts(&other) {
            lines.extend(self.read_parts(&names)?);
        }
        for text in &lines {
            if let Some(name) = find_line_part(text, log) {
                self.fetched.entry(name).or_default().insert(text.clone());
            }
        }
        Ok(lines)
    }

    fn count_missing(&mut self, log: &ReplicaLog) -> Result<usize, SyncError> {
        Ok(self.list_missing(log).len())
    }

    fn store_lines(&mut self, log: &ReplicaLog) -> Result<Option<String>, SyncError> {
        self.not_taken = LinesNotTaken::default();
        let mut seen = self.hold()?.fingerprint.clone();
        for lines in group_lines(&self.list_missing(log)) {
            match self.bring_lines(&seen, &lines)? {
                Some(fingerprint) => seen = fingerprint,
                None => {
                    self.forget_look();
                    return Ok(None);
                }
            }
        }
        Ok(Some(seen))
    }

    fn clean_up(&mut self, _has_forgotten: bool) -> Result<(), SyncError> {
        Ok(())
    }

    fn not_taken(&self) -> LinesNotTaken {
        self.not_taken.clone()
    }
}

/// The part that a line belongs to.
fn find_line_part(text: &str, log: &ReplicaLog) -> Option<PartName> {
    let line = ReplicaLine::parse_known(text, log.space()).ok()?;
    Some(PartName::for_memory(line.id))
}

/// Parts that are asked for together.
fn group_parts(parts: &[(PartName, usize)]) -> Vec<Vec<PartName>> {
    let (mut groups, mut bytes): (Vec<Vec<PartName>>, usize) = (Vec::new(), 0);
    for (name, size) in parts {
        bytes += size;
        match groups.last_mut().filter(|_| bytes <= MOST_ASKED) {
            Some(group) => group.push(*name),
            None => {
                groups.push(vec![*name]);
                bytes = *size;
            }
        }
    }
    groups
}

/// Lines that are sent together.
fn group_lines(lines: &[&str]) -> Vec<String> {
    let mut groups: Vec<String> = Vec::new();
    for line in lines {
        let has_room = |it: &String| it.len() + line.len() < MOST_SENT;
        match groups.last_mut().filter(|it| has_room(it)) {
            Some(group) => *group += &format!("{line}\n"),
            None => groups.push(format!("{line}\n")),
        }
    }
    groups
}

/// Certificates to trust instead of the usual ones, where the user has some.
fn read_authorities(system: &System) -> Result<Option<Vec<u8>>, SyncError> {
    let Some(path) = system.env.get("SSL_CERT_FILE").filter(|it| !it.is_empty()) else {
        return Ok(None);
    };
    let read = read_regular_start(Path::new(path), MAX_PART);
    read.map(Some)
        .map_err(|error| SyncError::Unfit(format!("SSL_CERT_FILE '{path}': {error}")))
}

impl From<BearerError> for SyncError {
    fn from(error: BearerError) -> Self {
        match error {
            BearerError::Unreachable(why) => Self::Unreachable(why),
            other => Self::Unfit(other.to_string()),
        }
    }
}

fn read_json<T: DeserializeOwned>(reply: BearerReply) -> Result<T, SyncError> {
    let reply = check_status(reply)?;
    let strange =
        |_| SyncError::Unfit("the server answers something else: is it apostille?".into());
    serde_json::from_slice(&reply.body).map_err(strange)
}

fn read_complaint(reply: &BearerReply) -> ComplaintText {
    let told: ServerComplaint = serde_json::from_slice(&reply.body).unwrap_or_default();
    told.refused.or(told.error).unwrap_or_default()
}

/// An answer that is what was asked for, or why it is not.
fn check_status(reply: BearerReply) -> Result<BearerReply, SyncError> {
    let told = read_complaint(&reply).message;
    let told: String = neutralise_text(&told).chars().take(300).collect();
    match reply.status {
        200 => Ok(reply),
        401 => Err(SyncError::Unfit(
            "the server does not know the token".into(),
        )),
        404 if told.is_empty() => Err(SyncError::Unfit(
            "the server has no replicas: it is another program, or an older one".into(),
        )),
        400..=499 if reply.status != 429 => {
            Err(SyncError::Unfit(format!("the server says: {told}")))
        }
        status => Err(SyncError::Unreachable(format!(
            "the server answered with status {status}: {told}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_parts_go_in_portions() {
        let parts = [
            (PartName(1), 10),
            (PartName(2), MOST_ASKED),
            (PartName(3), 5),
        ];
        let groups = group_parts(&parts);
        assert_eq!(
            groups,
            [vec![PartName(1)], vec![PartName(2)], vec![PartName(3)]]
        );
        let long = "x".repeat(MOST_SENT - 2);
        let groups = group_lines(&["a", "b", &long, "c"]);
        let lengths: Vec<usize> = groups.iter().map(|it| it.lines().count()).collect();
        assert_eq!(lengths, [2, 1, 1]);
    }
}
