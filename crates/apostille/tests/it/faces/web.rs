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

use super::{
    FaceAnswer, hooks,
    standing::Marking,
    world::{FaceWorld, list_handles},
};
use crate::socket::{Browser, Server};

/// What is asked about.
const QUESTION: &str = "why+does+the+checkout+retry+and+wait+for+the+gateway";

/// A path with everything that can stand in the place of what varies.
fn list_paths(path: &str) -> Vec<String> {
    let values: Vec<String> = match path {
        _ if path.contains("/sessions/{name}") => vec!["s1".to_owned()],
        _ if path.contains("{slug}") => vec!["retry-the-checkout".to_owned()],
        _ => list_handles().collect(),
    };
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
    let body = match call.body {
        RequestBody::Json(_, example) => {
            example.replace("which API_VERSION?", &QUESTION.replace('+', " "))
        }
        _ => String::new(),
    };
    let method = call.route.method.as_str().to_uppercase();
    let ask = |path: String| {
        let reply = server.send(&method, &path, &headers, &body);
        FaceAnswer::new("calls", format!("{method} {path} {body}"), reply.body)
            .marked(pick_marking(call.route.path))
    };
    list_paths(call.route.path).into_iter().map(ask).collect()
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
