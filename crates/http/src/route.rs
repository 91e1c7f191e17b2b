//! What is asked for, found in one table: every path there is, who is let in there, and what answers.

use hyper::Method as Verb;

use super::answer::Turned;
use apostille_api::uri;
use apostille_api::visit::{Method, Route};

/// Who is let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Area {
    /// Anybody on this machine.
    Open,
    /// Whoever brings a token.
    Token,
    /// Whoever has a session.
    Panel,
}

impl Area {
    /// Who is let in where nothing is.
    fn around(path: &str) -> Self {
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
pub(super) enum What {
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
    /// What pages need beside HTML: kind and content.
    File(&'static str, &'static str),
    /// A call or a page.
    Table(&'static Route),
}

/// One row of the table.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// How it is asked for; `None`: what answers decides.
    pub(super) method: Option<Method>,
    /// The path, with `{name}` for what varies.
    pub(super) path: &'static str,
    /// Who is let in.
    pub(super) area: Area,
    /// What answers.
    pub(super) what: What,
}

/// What the door itself answers.
const OWN: [Row; 9] = [
    own(Some(Method::Get), "/health", Area::Open, What::Health),
    own(Some(Method::Get), "/ready", Area::Open, What::Ready),
    own(Some(Method::Get), "/metrics", Area::Token, What::Metrics),
    own(None, "/mcp", Area::Token, What::Agents),
    own(Some(Method::Get), "/api/live", Area::Token, What::Live),
    own(Some(Method::Get), "/live", Area::Panel, What::Live),
    own(Some(Method::Get), "/open/{once}", Area::Open, What::Link),
    own(Some(Method::Post), "/open", Area::Open, What::Form),
    own(Some(Method::Post), "/close", Area::Panel, What::Close),
];

const fn own(method: Option<Method>, path: &'static str, area: Area, what: What) -> Row {
    Row {
        method,
        path,
        area,
        what,
    }
}

/// The whole table; what varies least stands first.
pub(super) fn rows() -> Vec<Row> {
    let table = |area: Area| {
        move |it: &'static Route| Row {
            method: Some(it.method),
            path: it.path,
            area,
            what: What::Table(it),
        }
    };
    let file = |it: &&'static (&'static str, &'static str, &'static str)| Row {
        method: Some(Method::Get),
        path: it.0,
        area: Area::Open,
        what: What::File(it.1, it.2),
    };
    let files = apostille_panel::FILES.iter().map(|it| file(&it));
    let calls = apostille_api::calls::ROUTES.iter().map(table(Area::Token));
    let pages = apostille_panel::ROUTES.iter().map(table(Area::Panel));
    let mut rows: Vec<Row> = OWN
        .into_iter()
        .chain(files)
        .chain(calls)
        .chain(pages)
        .collect();
    rows.sort_by_key(|it| it.path.matches('{').count());
    rows
}

/// What varies in a path, by name.
pub(super) type Parts = Vec<(String, String)>;

/// Where a request goes.
pub(super) struct Found {
    /// The row, or why there is none.
    pub(super) row: Result<(Row, Parts), Turned>,
    /// Who is let in there.
    pub(super) area: Area,
    /// The path as the table has it, for whoever counts.
    pub(super) pattern: &'static str,
}

/// Finds what is asked for.
pub(super) fn find(rows: &[Row], verb: &Verb, path: &str) -> Found {
    let there: Vec<(Row, Option<Parts>)> = rows
        .iter()
        .filter_map(|it| Some((*it, matched(it.path, path)?)))
        .collect();
    let Some((first, _)) = there.first() else {
        return Found {
            row: Err(Turned::no_such_page()),
            area: Area::around(path),
            pattern: "none",
        };
    };
    let (area, pattern) = (first.area, first.path);
    let asked = there
        .iter()
        .find(|it| it.0.path == pattern && it.0.method.is_none_or(|it| is_asked(it, verb)));
    let row = match asked {
        Some((row, Some(parts))) => Ok((*row, parts.clone())),
        Some((_, None)) => Err(Turned::malformed("the path is not percent-encoded UTF-8")),
        None => {
            let methods = there
                .iter()
                .filter(|it| it.0.path == pattern)
                .filter_map(|it| it.0.method);
            Err(Turned::wrong_method(&methods.collect::<Vec<_>>()))
        }
    };
    Found { row, area, pattern }
}

/// The nearest page above an address that is only sent to, as somebody finds it who opens it again.
pub(super) fn above(rows: &[Row], path: &str) -> String {
    let is_page = |path: &str| {
        let is_there =
            |it: &Row| it.method == Some(Method::Get) && matched(it.path, path).is_some();
        rows.iter().any(is_there)
    };
    let mut path = path;
    while let Some((head, _)) = path.rsplit_once('/').filter(|it| !it.0.is_empty()) {
        if is_page(head) {
            return head.to_owned();
        }
        path = head;
    }
    "/".into()
}

fn is_asked(method: Method, verb: &Verb) -> bool {
    match method {
        Method::Get => verb == Verb::GET || verb == Verb::HEAD,
        Method::Post => verb == Verb::POST,
        Method::Delete => verb == Verb::DELETE,
    }
}

/// What varies, where the path is like the pattern; `Some(None)` where it cannot be read.
#[expect(
    clippy::option_option,
    reason = "not this path, and this path written badly, are two things"
)]
fn matched(pattern: &str, path: &str) -> Option<Option<Parts>> {
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    let mut parts = Some(Parts::new());
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(parts),
            (Some(wanted), Some(given)) => {
                match wanted.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
                    Some(_) if given.is_empty() => return None,
                    Some(name) => {
                        let part = uri::decoded(given).map(|it| (name.to_owned(), it));
                        parts = parts.zip(part).map(|(mut parts, part)| {
                            parts.push(part);
                            parts
                        });
                    }
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
        let found = match matched(pattern, path) {
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
        let check =
            |path: &str, expected: &str| assert_eq!(above(&rows(), path), expected, "{path}");
        check("/memories/m-1/invalidate", "/memories/m-1");
        check("/review/m-1/accept", "/review");
        check("/review/safe", "/review");
        check("/vitals/close", "/vitals");
        check("/undo", "/");
        check("/open", "/");
    }

    #[test]
    fn no_row_hides_another() {
        let rows = rows();
        for (n, it) in rows.iter().enumerate() {
            let same = rows
                .iter()
                .take(n)
                .filter(|other| other.path == it.path && other.method == it.method);
            assert_eq!(same.count(), 0, "{}", it.path);
        }
    }
}
