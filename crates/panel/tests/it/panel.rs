//! The panel: pages as the text that a person reads, and what its forms do.

mod actions;
mod beside;
mod conversations;
mod markup;
mod pages;
mod review;
mod sessions;
mod style;
mod tasks;
mod vitals;

use apostille_api::{
    Caller,
    access_token::{Access, AccessToken},
    host::ActivityStore,
    request_scope::{HttpMethod, HttpReply, RequestInput, RequestScope},
};
use apostille_core::{
    Context,
    archive::Archive,
    memory::{Draft, Kind, Layer, Origin, Voice},
    space::Space,
};
use apostille_panel::ROUTES;
use jiff::Timestamp;

use crate::world::{World, cited, note, preference, repo, user};

/// The seal of the forms in these tests.
const SEAL: &str = "seal-of-the-test";

/// Somebody in front of the panel.
struct Person<'a> {
    world: &'a World,
    access: Access,
    spaces: Option<Vec<Space>>,
    beside: Option<&'a dyn ActivityStore>,
    archive: Option<&'a dyn Archive>,
}

impl<'a> Person<'a> {
    fn with(world: &'a World, access: Access) -> Self {
        Self {
            world,
            access,
            spaces: None,
            beside: None,
            archive: None,
        }
    }

    /// A person who may do everything.
    fn of(world: &'a World) -> Self {
        Self::with(world, Access::Review)
    }

    /// The same where this is kept beside the store.
    fn beside(self, beside: &'a dyn ActivityStore) -> Self {
        Self {
            beside: Some(beside),
            ..self
        }
    }

    /// The same where this was said.
    fn archived(self, archive: &'a dyn Archive) -> Self {
        Self {
            archive: Some(archive),
            ..self
        }
    }

    fn asks(&self, method: HttpMethod, address: &str, body: &str) -> HttpReply {
        let (path, query) = address
            .split('#')
            .next()
            .unwrap()
            .split_once('?')
            .unwrap_or((address, ""));
        let (route, parts) = ROUTES
            .iter()
            .filter(|it| it.method == method)
            .find_map(|it| matched(it.path, path).map(|parts| (it, parts)))
            .unwrap_or_else(|| panic!("no route for {address}"));
        assert!(self.access >= route.need, "the door turns {address} away");
        let query = query
            .split('&')
            .filter(|it| !it.is_empty())
            .map(pair)
            .collect();
        let asked = RequestInput {
            parts,
            query,
            body: body.as_bytes().to_vec(),
        };
        let (repo, user) = (repo(), user());
        let caller = Caller {
            user: Some(&user),
            activity: self.beside,
            ..Caller::in_repo(&repo)
        };
        let (name, spaces) = ("ana".into(), self.spaces.clone());
        let token = AccessToken {
            name,
            user: None,
            spaces,
            access: self.access,
            is_panel: true,
        };
        self.world
            .with(|cx| {
                let cx = Context {
                    archive: self.archive,
                    ..*cx
                };
                (route.run)(&RequestScope::new(&cx, &caller, &token, SEAL), &asked)
            })
            .unwrap()
    }

    fn sees(&self, address: &str) -> String {
        let reply = self.asks(HttpMethod::Get, address, "");
        assert_eq!(reply.status, 200, "{address}");
        reply.body
    }

    /// The page as text.
    fn reads(&self, address: &str) -> String {
        text(main(&self.sees(address)))
    }

    fn sends(&self, path: &str, fields: &[(&str, &str)]) -> HttpReply {
        let body: String = fields
            .iter()
            .map(|(key, value)| format!("{key}={}&", encoded(value)))
            .collect();
        self.asks(HttpMethod::Post, path, &body)
    }

    /// Sends a form, and reads the page that it leads to.
    fn does(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let reply = self.sends(path, fields);
        assert_eq!(reply.status, 303, "{path}: {}", text(main(&reply.body)));
        assert!(reply.is_change || path == "/undo", "{path} tells nobody");
        self.sees(&place(&reply))
    }

    /// Presses the button that takes back what the page tells.
    fn undoes(&self, page: &str) -> String {
        let field = |name: &str| {
            let from = page
                .split(&format!("name=\"{name}\" value=\""))
                .nth(1)
                .unwrap_or_default();
            from.split('"').next().unwrap_or_default().to_owned()
        };
        assert!(
            page.contains("action=\"/undo?"),
            "nothing can be taken back:\n{}",
            text(main(page))
        );
        self.does(
            "/undo",
            &[("undo", &field("undo")), ("back", &field("back"))],
        )
    }
}

fn place(reply: &HttpReply) -> String {
    reply
        .headers
        .iter()
        .find(|it| it.0 == "location")
        .unwrap()
        .1
        .clone()
}

fn matched(pattern: &str, path: &str) -> Option<Vec<(String, String)>> {
    let (pattern, path): (Vec<_>, Vec<_>) =
        (pattern.split('/').collect(), path.split('/').collect());
    let mut parts = Vec::new();
    for (want, have) in pattern.iter().zip(&path) {
        match want.strip_prefix('{') {
            Some(name) => parts.push((name.trim_end_matches('}').to_owned(), decoded(have))),
            None if want == have => {}
            None => return None,
        }
    }
    (pattern.len() == path.len()).then_some(parts)
}

fn pair(text: &str) -> (String, String) {
    let (key, value) = text.split_once('=').unwrap_or((text, ""));
    (decoded(key), decoded(value))
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(it) = rest.next() {
        match it {
            b'%' => {
                let hex = [rest.next().unwrap(), rest.next().unwrap()];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&hex).unwrap(), 16).unwrap());
            }
            b'+' => bytes.push(b' '),
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).unwrap()
}

fn encoded(text: &str) -> String {
    text.bytes().map(|it| format!("%{it:02X}")).collect()
}

/// What stands between the tabs and the foot.
fn main(page: &str) -> &str {
    let from = page.find("<main").unwrap_or(0);
    let to = page.find("</main>").unwrap_or(page.len());
    &page[from..to]
}

/// The text of a page: what stands in blocks of its own is on lines of its own.
fn text(html: &str) -> String {
    const BLOCKS: [&str; 19] = [
        "p",
        "li",
        "h1",
        "h2",
        "h3",
        "div",
        "tr",
        "dt",
        "label",
        "summary",
        "button",
        "option",
        "pre",
        "article",
        "figcaption",
        "caption",
        "section",
        "textarea",
        "dd",
    ];
    let mut out = String::new();
    for piece in html.split('<') {
        let (tag, words) = piece.split_once('>').unwrap_or(("", piece));
        let name = tag
            .trim_start_matches('/')
            .split([' ', '/'])
            .next()
            .unwrap_or_default();
        match name {
            "dd" if !tag.starts_with('/') => out.push_str(": "),
            it if BLOCKS.contains(&it) => out.push('\n'),
            "td" | "th" | "span" | "time" | "a" | "b" => out.push(' '),
            _ => {}
        }
        out.push_str(words);
    }
    for (entity, sign) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&amp;", "&"),
    ] {
        out = out.replace(entity, sign);
    }
    let lines = out
        .lines()
        .map(|it| it.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines = lines
        .filter(|it| !it.is_empty())
        .collect::<Vec<_>>()
        .join("\n");
    lines.replace("\n: ", ": ").replace(" :", ":")
}

/// The handles that a page lists, in its order.
fn listed(page: &str) -> Vec<String> {
    let rows = page.split("<li class=\"entry\"").skip(1);
    rows.map(|it| {
        it.split("</a>")
            .next()
            .unwrap()
            .rsplit('>')
            .next()
            .unwrap()
            .to_owned()
    })
    .collect()
}

fn agent() -> Voice {
    Voice {
        author: Some("claude".into()),
        ..Voice::from_origin(Origin::Agent)
    }
}

/// A world with something of everything.
fn full() -> World {
    let world = World::verified();
    let subject = |it: &str| Some(it.to_owned());
    world.kept(Draft {
        subject: subject("API version"),
        tags: vec!["api".into()],
        reason: Some("clients ask for it".into()),
        voice: agent(),
        ..cited("The API version is v3", &["src/api.rs:3"])
    });
    world.kept(Draft {
        subject: subject("Docs"),
        kind: Some(Kind::Reference),
        ..cited("The docs say that the version is v3", &["docs/api.md:3"])
    });
    world.kept(Draft {
        kind: Some(Kind::Feedback),
        ..note("Handlers return an error and never panic")
    });
    world.kept(preference("Prefers short answers"));
    world.kept(Draft {
        layer: Some(Layer::Identity),
        ..preference("Ana, backend, Berlin")
    });
    world.kept(Draft {
        layer: Some(Layer::Episode),
        task: Some("fix-it".into()),
        ..note("The retry loop hid the error of the bank")
    });
    world.kept(Draft {
        kind: Some(Kind::Feedback),
        voice: Voice {
            tainted: true,
            ..agent()
        },
        ..note("Answers may be cached for ten minutes")
    });
    world
}
