//! What is asked for, found in one table: every path there is, who is let in there, and what answers.

use hyper::Method as Verb;

use super::response::{HttpRejection, HttpResult};
use apostille_api::{
    request_scope::{HttpMethod, Route},
    uri,
};

/// Who is let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AuthKind {
    /// Anybody on this machine.
    Open,
    /// Whoever brings a token.
    Token,
    /// Whoever has a session.
    Panel,
}

impl AuthKind {
    /// Who is let in where nothing is.
    fn for_unknown_path(path: &str) -> Self {
        let is_below = |it: &str| {
            path.strip_prefix(it)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if ["/api", "/mcp", "/metrics"].into_iter().any(is_below) {
            Self::Token
        } else {
            Self::Panel
        }
    }
}

/// What answers.
#[derive(Clone, Copy)]
pub(super) enum RouteTarget {
    /// Whether the server is alive.
    Health,
    /// Whether it can work.
    Ready,
    /// What it counts.
    Metrics,
    /// What changes, as it changes.
    Live,
    /// The agents' protocol.
    Agents,
    /// The link that opens the panel.
    Link,
    /// The form that opens it.
    Form,
    /// The end of a session.
    Close,
    /// What a code host delivers.
    Delivery,
    /// What pages need beside HTML: kind and content.
    File(&'static str, &'static str),
    /// A call or a page.
    Table(&'static Route),
}

/// One row of the table.
#[derive(Clone, Copy)]
pub(super) struct RouteEntry {
    /// How it is asked for; `None`: what answers decides.
    pub(super) method: Option<HttpMethod>,
    /// The path, with `{name}` for what varies.
    pub(super) path: &'static str,
    /// Who is let in.
    pub(super) area: AuthKind,
    /// What answers.
    pub(super) what: RouteTarget,
}

/// What the door itself answers.
const OWN: [RouteEntry; 10] = [
    new_route_entry(
        HttpMethod::Get,
        "/health",
        AuthKind::Open,
        RouteTarget::Health,
    ),
    new_route_entry(
        HttpMethod::Get,
        "/ready",
        AuthKind::Open,
        RouteTarget::Ready,
    ),
    new_route_entry(
        HttpMethod::Get,
        "/metrics",
        AuthKind::Token,
        RouteTarget::Metrics,
    ),
    RouteEntry {
        method: None,
        ..new_route_entry(
            HttpMethod::Post,
            "/mcp",
            AuthKind::Token,
            RouteTarget::Agents,
        )
    },
    new_route_entry(
        HttpMethod::Get,
        "/api/live",
        AuthKind::Token,
        RouteTarget::Live,
    ),
    new_route_entry(HttpMethod::Get, "/live", AuthKind::Panel, RouteTarget::Live),
    new_route_entry(
        HttpMethod::Get,
        "/open/{once}",
        AuthKind::Open,
        RouteTarget::Link,
    ),
    new_route_entry(HttpMethod::Post, "/open", AuthKind::Open, RouteTarget::Form),
    new_route_entry(
        HttpMethod::Post,
        "/hooks/github",
        AuthKind::Open,
        RouteTarget::Delivery,
    ),
    new_route_entry(
        HttpMethod::Post,
        "/close",
        AuthKind::Panel,
        RouteTarget::Close,
    ),
];

const fn new_route_entry(
    method: HttpMethod,
    path: &'static str,
    area: AuthKind,
    what: RouteTarget,
) -> RouteEntry {
    RouteEntry {
        method: Some(method),
        path,
        area,
        what,
    }
}

/// The whole table; what varies least stands first.
pub(super) fn build_route_table() -> Vec<RouteEntry> {
    let files = apostille_panel::FILES.iter().map(|(path, kind, content)| {
        let what = RouteTarget::File(kind, content);
        new_route_entry(HttpMethod::Get, path, AuthKind::Open, what)
    });
    let table = |area| {
        move |it: &'static Route| new_route_entry(it.method, it.path, area, RouteTarget::Table(it))
    };
    let calls = apostille_api::calls::list_api_calls()
        .map(|it| &it.route)
        .map(table(AuthKind::Token));
    let pages = apostille_panel::ROUTES.iter().map(table(AuthKind::Panel));
    let mut rows: Vec<RouteEntry> = OWN
        .into_iter()
        .chain(files)
        .chain(calls)
        .chain(pages)
        .collect();
    rows.sort_by_key(|it| it.path.matches('{').count());
    rows
}

/// What varies in a path, by name.
pub(super) type PathParams = Vec<(String, String)>;

/// Where a request goes.
pub(super) struct RouteMatch {
    /// The row, or why there is none.
    pub(super) row: HttpResult<(RouteEntry, PathParams)>,
    /// Who is let in there.
    pub(super) area: AuthKind,
    /// The path as the table has it, for whoever counts.
    pub(super) pattern: &'static str,
}

/// Finds what is asked for.
pub(super) fn match_route(rows: &[RouteEntry], verb: &Verb, path: &str) -> RouteMatch {
    let there: Vec<(RouteEntry, Option<PathParams>)> = rows
        .iter()
        .filter_map(|it| Some((*it, match_path_pattern(it.path, path)?)))
        .collect();
    let Some((first, _)) = there.first() else {
        return RouteMatch {
            row: Err(HttpRejection::not_found()),
            area: AuthKind::for_unknown_path(path),
            pattern: "none",
        };
    };
    let (area, pattern) = (first.area, first.path);
    let mut same = there.iter().filter(|it| it.0.path == pattern);
    let methods = same.clone().filter_map(|it| it.0.method);
    let row = match same.find(|it| it.0.method.is_none_or(|it| is_method_match(it, verb))) {
        Some((row, Some(parts))) => Ok((*row, parts.clone())),
        Some((_, None)) => {
            let why = "the path is not percent-encoded UTF-8";
            Err(HttpRejection::new(400, why))
        }
        None => Err(HttpRejection::method_not_allowed(methods)),
    };
    RouteMatch { row, area, pattern }
}

/// The nearest page above an address that is only sent to, as somebody finds it who opens it again.
pub(super) fn find_parent_page(rows: &[RouteEntry], path: &str) -> String {
    let is_page = |path: &&str| {
        let mut pages = rows.iter().filter(|it| it.method == Some(HttpMethod::Get));
        pages.any(|it| match_path_pattern(it.path, path).is_some())
    };
    let above = std::iter::successors(Some(path), |it| Some(it.rsplit_once('/')?.0)).skip(1);
    let mut above = above.take_while(|it| !it.is_empty());
    above.find(is_page).unwrap_or("/").to_owned()
}

fn is_method_match(method: HttpMethod, verb: &Verb) -> bool {
    match method {
        HttpMethod::Get => verb == Verb::GET || verb == Verb::HEAD,
        HttpMethod::Post => verb == Verb::POST,
        HttpMethod::Delete => verb == Verb::DELETE,
    }
}

/// What varies, where the path is like the pattern; `Some(None)` where it cannot be read.
#[expect(
    clippy::option_option,
    reason = "not this path, and this path written badly, are two things"
)]
fn match_path_pattern(pattern: &str, path: &str) -> Option<Option<PathParams>> {
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    let mut parts = Some(PathParams::new());
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(parts),
            (Some(wanted), Some(given)) => {
                match wanted.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
                    Some(_) if given.is_empty() => return None,
                    Some(name) => match (&mut parts, uri::decode_percent_encoding(given)) {
                        (Some(parts), Some(part)) => parts.push((name.to_owned(), part)),
                        _ => parts = None,
                    },
                    None if wanted == given => {}
                    None => return None,
                }
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, path: &str, expected: &str) {
        let found = match match_path_pattern(pattern, path) {
            None => "no".into(),
            Some(None) => "bad".into(),
            Some(Some(parts)) => parts
                .iter()
                .map(|it| format!("{}={};", it.0, it.1))
                .collect::<String>(),
        };
        assert_eq!(found, expected, "{pattern} {path}");
    }

    #[test]
    fn paths_are_matched_part_by_part() {
        check("/", "/", "");
        check("/", "/x", "no");
        check("/memories/{name}", "/memories/m-1", "name=m-1;");
        check("/memories/{name}", "/memories/", "no");
        check("/memories/{name}", "/memories/m-1/", "no");
        check(
            "/memories/{name}/forget",
            "/memories/m-1/forget",
            "name=m-1;",
        );
        check("/tasks/{slug}", "/tasks/a%20b%2Fc", "slug=a b/c;");
        check("/tasks/{slug}", "/tasks/%ff", "bad");
        check("/tasks/{slug}", "/tasks/%4", "bad");
        check("/tasks/{slug}", "/TASKS/a", "no");
    }

    #[test]
    fn above_what_is_sent_to_there_is_a_page() {
        let check = |path: &str, expected: &str| {
            assert_eq!(
                find_parent_page(&build_route_table(), path),
                expected,
                "{path}"
            )
        };
        check("/memories/m-1/invalidate", "/memories/m-1");
        check("/review/m-1/accept", "/review");
        check("/review/safe", "/review");
        check("/vitals/close", "/vitals");
        check("/undo", "/");
        check("/open", "/");
    }

    #[test]
    fn no_row_hides_another() {
        let rows = build_route_table();
        for (n, it) in rows.iter().enumerate() {
            let same = rows
                .iter()
                .take(n)
                .filter(|other| other.path == it.path && other.method == it.method);
            assert_eq!(same.count(), 0, "{}", it.path);
        }
    }
}
