//! Every call of the API and every page of the panel, as a server gives them.

use apostille_agents::client::Client;
use apostille_api::{
    access_token::Access,
    calls::{
        call::{ApiCall, RequestBody},
        list_api_calls,
    },
    request_scope::{HttpMethod, Route},
};
use serde_json::{Value, json};

use super::{
    FaceAnswer, hooks,
    standing::Marking,
    world::{FaceWorld, SESSION, list_handles},
};
use crate::{
    mcp::{Era, Talk},
    socket::{Browser, Server},
};

/// What is asked about.
const QUESTION: &str = "why+does+the+checkout+retry+and+wait+for+the+gateway";

/// Everything that can stand in the place of what varies in a path.
fn list_path_values(path: &str) -> Vec<String> {
    match path {
        _ if path.contains("/sessions/{name}") => vec!["s1".to_owned()],
        _ if path.contains("{slug}") => vec!["retry-the-checkout".to_owned()],
        _ => list_handles().collect(),
    }
}

/// A path with everything that can stand in the place of what varies.
fn list_paths(path: &str) -> Vec<String> {
    let values = list_path_values(path);
    let fill = |it: &String| path.replace("{name}", it).replace("{slug}", it);
    let mut paths: Vec<String> = values.iter().map(fill).collect();
    paths.dedup();
    paths
}

/// How a call or a page says how memories stand. What is not named here says it beside each.
fn pick_marking(path: &str) -> Marking {
    match path {
        // What happened, in the words of then; a copy of what is kept; a text to be edited.
        "/api/events" | "/api/export" | "/export" | "/identity" => Marking::Nothing,
        "/api/report" | "/tasks" => Marking::Doubts,
        _ => Marking::Each,
    }
}

/// What every call that looks answers, and every page.
pub fn list_answers(world: &FaceWorld) -> Vec<FaceAnswer> {
    hooks::ask_about_checkout(world, Client::ClaudeCode, "s1");
    let server = Server::of_person(world, &[]);
    let mut shown: Vec<FaceAnswer> = list_api_calls()
        .filter(|it| it.route.need == Access::Read && it.route.path != "/api/live")
        .flat_map(|it| ask_call(&server, it))
        .collect();
    let browser = server.browser();
    let pages = apostille_panel::ROUTES
        .iter()
        .filter(|it| it.method == HttpMethod::Get);
    shown.extend(pages.flat_map(|it| open_page(&server, &browser, it)));
    shown
}

fn ask_call(server: &Server, call: &ApiCall) -> Vec<FaceAnswer> {
    let bearer = format!("Bearer {}", server.token);
    let headers = [
        ("Authorization", &*bearer),
        ("Content-Type", "application/json"),
    ];
    let body = write_body(call);
    let method = call.route.method.as_str().to_uppercase();
    let ask = |path: String| {
        let reply = server.send(&method, &path, &headers, &body);
        FaceAnswer::new("calls", format!("{method} {path} {body}"), reply.body)
            .marked(pick_marking(call.route.path))
    };
    list_paths(call.route.path).into_iter().map(ask).collect()
}

/// The example of a call, with the question.
fn write_body(call: &ApiCall) -> String {
    match call.body {
        RequestBody::Json(_, example) => {
            example.replace("which API_VERSION?", &QUESTION.replace('+', " "))
        }
        _ => String::new(),
    }
}

/// What every call that looks answers a program that started a server and says its session like this.
pub fn list_program_answers(world: &FaceWorld, meta: &Value) -> Vec<FaceAnswer> {
    let mut talk = Talk::new(world, &world.repo(), &[], Era::Modern, json!({}));
    let mut shown = Vec::new();
    for call in list_api_calls().filter(|it| it.route.need == Access::Read) {
        let path = call.route.path;
        let mut values = list_path_values(path);
        if !path.contains('{') {
            values.truncate(1);
        }
        for value in values {
            let parts = json!({ "name": value, "slug": value });
            let asked = json!({ "call": call.id, "parts": parts, "body": write_body(call) });
            let mut params = asked.clone();
            params["_meta"] = meta.clone();
            let said = talk.request("apostille/call", params);
            let told = said["result"]["body"].to_string();
            let answer = FaceAnswer::new("programs", asked.to_string(), told);
            shown.push(answer.marked(pick_marking(path)));
        }
    }
    talk.end();
    shown
}

/// The same to a program in a session that looked around before.
pub fn list_program_answers_in_session(world: &FaceWorld) -> Vec<FaceAnswer> {
    hooks::ask_about_checkout(world, Client::ClaudeCode, "s1");
    list_program_answers(world, &json!({ "sessionId": SESSION }))
}

fn open_page(server: &Server, browser: &Browser, page: &Route) -> Vec<FaceAnswer> {
    let ask = |path: String| {
        let reply = server.send("GET", &path, &[("Cookie", &browser.cookie)], "");
        let text = read_page_text(&reply.body);
        FaceAnswer::new("pages", path, text).marked(pick_marking(page.path))
    };
    let asked = |it: String| [format!("{it}?prompt={QUESTION}&q=checkout&audit=yes"), it];
    list_paths(page.path)
        .into_iter()
        .flat_map(asked)
        .map(ask)
        .collect()
}

/// What a person reads of a page: each row, item and section is a paragraph of its own, a heading one with what is below it.
fn read_page_text(html: &str) -> String {
    let body = html.split_once("<main").map_or(html, |it| it.1);
    let mut text = String::new();
    for part in body.split('<') {
        let (tag, words) = part.split_once('>').unwrap_or(("", part));
        let name = tag
            .trim_start_matches('/')
            .split([' ', '\n'])
            .next()
            .unwrap_or_default();
        let is_entry = ["li", "tr", "article", "section", "form"].contains(&name)
            || ["h1", "h2"].contains(&name) && !tag.starts_with('/');
        text += if is_entry { "\n\n" } else { " " };
        text += words;
    }
    text
}
