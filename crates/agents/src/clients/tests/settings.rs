//! What every client's settings become, and that it goes again.

use proptest::prelude::*;

use super::*;
use crate::settings::hooks::find_hook_lines;
use crate::settings::jsonc;
use crate::settings::part::{self, EditOutcome, SettingsPart, cleared, planned};
use crate::settings::program::Program;
use crate::settings::server::Whose;

fn text(outcome: EditOutcome, before: &str) -> String {
    match outcome {
        EditOutcome::Nothing => before.to_owned(),
        EditOutcome::Bytes(bytes) => String::from_utf8(bytes).unwrap(),
        EditOutcome::Refused(why) => panic!("{why}: {before}"),
    }
}

proptest! {
    #[test]
    fn whatever_is_there_twice_is_once_and_it_goes_again(
        (value, typed) in jsonc::documents(), n in 0..CLIENTS.len(), servers in 0..3_usize,
    ) {
        let server = [
            profile(Client::ClaudeCode).settings.repository.server,
            profile(Client::Gemini).settings.repository.server,
            profile(Client::Vscode).settings.user.server,
        ][servers];
        let hooks = CLIENTS[n].settings.hooks;
        let parts = [SettingsPart::Server(server, Whose::Anybody), SettingsPart::Hooks(hooks)];
        let program = Program::new("/opt/my programs/apostille");
        let once = text(planned(Some(typed.as_bytes()), &parts, &program), &typed);
        prop_assert_eq!(planned(Some(once.as_bytes()), &parts, &program), EditOutcome::Nothing, "{}", once);
        prop_assert_eq!(find_hook_lines(&once).unwrap().len(), hooks.events.len());
        let moved = Program::new("/usr/bin/apostille");
        let other = text(planned(Some(once.as_bytes()), &parts, &moved), &once);
        prop_assert!(!other.contains("/opt/"), "{}", other);
        let first = Some(typed.as_bytes());
        let back = text(cleared(other.as_bytes(), first, "json", &own_traces()), &other);
        let mut left = part::value(&back).unwrap();
        if value.get("version").is_none() {
            left.as_object_mut().unwrap().shift_remove("version");
        }
        prop_assert_eq!(left, value, "{}", back);
    }
}

#[test]
fn a_line_is_for_one_client_and_one_event() {
    let read = |line: &str| crate::settings::line::HookLine::read(line).unwrap();
    let hooks = |client: Client| profile(client).settings.hooks;
    let line = read("apostille hook --client codex Stop");
    assert!(hooks(Client::Codex).is_line_for(&line, "Stop"));
    assert!(!hooks(Client::Codex).is_line_for(&line, "SessionStart"));
    assert!(!hooks(Client::ClaudeCode).is_line_for(&line, "Stop"));
    let old = read("apostille hook --client codex Notification");
    assert!(!hooks(Client::Codex).is_line_for(&old, "Notification"));
}
