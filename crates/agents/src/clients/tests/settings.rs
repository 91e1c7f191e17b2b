//! What every client's settings become, and that it goes again.

use proptest::prelude::*;

use super::*;
use crate::settings::{
    hooks::{HookShape, find_hook_lines},
    jsonc,
    program::ProgramCommand,
    server::SettingsOwner,
    settings_part::{self, SettingsEdit, SettingsPart, plan_settings_edit, plan_settings_removal},
};

fn text(outcome: SettingsEdit, before: &str) -> String {
    match outcome {
        SettingsEdit::Nothing => before.to_owned(),
        SettingsEdit::Bytes(bytes) => String::from_utf8(bytes).unwrap(),
        SettingsEdit::Refused(why) => panic!("{why}: {before}"),
    }
}

proptest! {
    #[test]
    fn whatever_is_there_twice_is_once_and_it_goes_again(
        (value, typed) in jsonc::documents(), n in 0..CLIENTS.len(), servers in 0..5_usize,
    ) {
        let server = [
            find_client_profile(Client::ClaudeCode).settings.server,
            find_client_profile(Client::Gemini).settings.server,
            find_client_profile(Client::Vscode).settings.user_server,
            find_client_profile(Client::Opencode).settings.server,
            find_client_profile(Client::Zed).settings.server,
        ][servers];
        let layouts = list_client_profiles().filter_map(|it| it.settings.hooks);
        let layouts: Vec<_> = layouts.filter(|it| !matches!(it.shape, HookShape::Plugin(_))).collect();
        let hooks = layouts[n % layouts.len()];
        let parts = [SettingsPart::Server(server, SettingsOwner::Anybody), SettingsPart::Hooks(hooks)];
        let program = ProgramCommand::new("/opt/my programs/apostille");
        let once = text(plan_settings_edit(Some(typed.as_bytes()), &parts, &program), &typed);
        prop_assert_eq!(plan_settings_edit(Some(once.as_bytes()), &parts, &program), SettingsEdit::Nothing, "{}", once);
        prop_assert_eq!(find_hook_lines(&once).unwrap().len(), hooks.events.len());
        let moved = ProgramCommand::new("/usr/bin/apostille");
        let other = text(plan_settings_edit(Some(once.as_bytes()), &parts, &moved), &once);
        prop_assert!(!other.contains("/opt/"), "{}", other);
        let first = Some(typed.as_bytes());
        let back = text(plan_settings_removal(other.as_bytes(), first, "json", &collect_own_traces()), &other);
        let mut left = settings_part::parse_jsonc_value(&back).unwrap();
        if value.get("version").is_none() {
            left.as_object_mut().unwrap().shift_remove("version");
        }
        prop_assert_eq!(left, value, "{}", back);
    }
}

#[test]
fn a_line_is_for_one_client_and_one_event() {
    let read = |line: &str| crate::settings::hook_line::HookLine::parse(line).unwrap();
    let hooks = |client: Client| find_client_profile(client).settings.hooks.unwrap();
    let line = read("apostille hook --client codex Stop");
    assert!(hooks(Client::Codex).is_line_for(&line, "Stop"));
    assert!(!hooks(Client::Codex).is_line_for(&line, "SessionStart"));
    assert!(!hooks(Client::ClaudeCode).is_line_for(&line, "Stop"));
    let old = read("apostille hook --client codex Notification");
    assert!(!hooks(Client::Codex).is_line_for(&old, "Notification"));
}
