//! Asking a package index for a file: its page of links, as HTML (PEP 503) or JSON (PEP 691), then the file.

use std::{io::Read as _, time::Duration};

use serde_json::Value;
use ureq::{Body, http::Response};

use super::{PackageError, PinnedPackage};
use apostille_web::client::{
    HttpClientSettings, address::Address, build_http_agent, read_body_beginning, response_header,
};

/// Where packages come from unless the user names another place.
pub const PUBLIC_INDEX: &str = "https://pypi.org/simple";

/// How long the page of links may take, and the file.
const PAGE_TIMEOUT: Duration = Duration::from_secs(30);
const FILE_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// How much of a page of links is read.
const MAX_PAGE: u64 = 8 << 20;
/// How many times an answer may lead elsewhere.
const MAX_REDIRECTS: usize = 5;
/// How much is read between two reports of progress.
const CHUNK: usize = 1 << 16;
/// What is understood; the first is preferred.
const ACCEPTED: &str = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";

/// A package index, and the way to it.
pub struct PackageIndex<'a> {
    /// Its address, as in [`PUBLIC_INDEX`].
    pub base: &'a str,
    /// The proxy to go through to an address.
    pub find_proxy: &'a dyn Fn(&str) -> Option<String>,
    /// Certificates to trust instead of the usual ones, as PEM.
    pub authorities: Option<&'a [u8]>,
}

impl PackageIndex<'_> {
    /// Downloads a package, and reports again and again how many bytes came. What came is not checked yet, but is at most
    /// one byte longer than the package is.
    pub fn download_package(
        &self,
        package: &PinnedPackage,
        report: &mut dyn FnMut(u64),
    ) -> Result<Vec<u8>, PackageError> {
        let base = self.base.trim_end_matches('/');
        let page_url = format!("{base}/{}/", package.project);
        let link = self.find_link(&page_url, package.file)?;
        let url = link.and_then(|it| resolve_link(&page_url, &it));
        let url = url.ok_or_else(|| PackageError::NotListed {
            host: host_of(&page_url),
            file: package.file,
        })?;
        let mut file = self.request(&url, FILE_TIMEOUT)?;
        read_file_body(&mut file, package.size, report)
    }

    /// The link to a file on a page.
    fn find_link(&self, page_url: &str, file: &str) -> Result<Option<String>, PackageError> {
        let mut page = self.request(page_url, PAGE_TIMEOUT)?;
        let is_json = response_header(&page, "content-type").is_some_and(|it| it.contains("json"));
        let unreadable = |error: std::io::Error| PackageError::Unreachable {
            host: host_of(page_url),
            cause: error.to_string(),
        };
        let text = read_body_beginning(&mut page, MAX_PAGE).map_err(unreadable)?;
        let text = String::from_utf8_lossy(&text);
        Ok(if is_json {
            find_json_link(&text, file)
        } else {
            find_html_link(&text, file)
        })
    }

    /// Asks for an address and follows where the answer leads, to any host: what comes is checked by its digest.
    fn request(&self, url: &str, timeout: Duration) -> Result<Response<Body>, PackageError> {
        let mut url = url.to_owned();
        for _ in 0..=MAX_REDIRECTS {
            let response = self.request_once(&url, timeout)?;
            let status = response.status().as_u16();
            match (status, response_header(&response, "location")) {
                (200, _) => return Ok(response),
                (301..=308, Some(location)) => {
                    let next = resolve_link(&url, location);
                    url = next.ok_or_else(|| refuse(&url, status))?;
                }
                _ => return Err(refuse(&url, status)),
            }
        }
        Err(PackageError::Unreachable {
            host: host_of(&url),
            cause: "it redirects without end".into(),
        })
    }

    fn request_once(&self, url: &str, timeout: Duration) -> Result<Response<Body>, PackageError> {
        let (url, _) = url.split_once('#').unwrap_or((url, ""));
        let address = Address::parse(url.split_once('?').map_or(url, |it| it.0))
            .map_err(|_| PackageError::Address)?;
        let proxy = (self.find_proxy)(url);
        let settings = HttpClientSettings {
            timeout,
            proxy: proxy.as_deref(),
            authorities: self.authorities,
        };
        let agent = build_http_agent(&address, &settings).map_err(PackageError::Settings)?;
        let answer = agent.get(url).header("accept", ACCEPTED).call();
        answer.map_err(|error| PackageError::Unreachable {
            host: address.host().to_owned(),
            cause: error.to_string(),
        })
    }
}

fn refuse(url: &str, status: u16) -> PackageError {
    let path = url.split(['#', '?']).next().unwrap_or_default();
    let what = path.trim_end_matches('/').rsplit('/').next();
    PackageError::Refused {
        host: host_of(url),
        status,
        what: what.unwrap_or_default().to_owned(),
    }
}

/// Who is asked, for messages. An address may hold a password, so nothing else of it is told.
fn host_of(url: &str) -> String {
    let address = Address::parse(url.split(['#', '?']).next().unwrap_or_default());
    address.map_or_else(|_| "the package index".into(), |it| it.host().to_owned())
}

fn read_file_body(
    response: &mut Response<Body>,
    size: u64,
    report: &mut dyn FnMut(u64),
) -> Result<Vec<u8>, PackageError> {
    let mut reader = response.body_mut().as_reader().take(size.saturating_add(1));
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    let mut chunk = vec![0; CHUNK];
    loop {
        match reader.read(&mut chunk) {
            Ok(0) if bytes.len() as u64 >= size => return Ok(bytes),
            Ok(0) | Err(_) => {
                let read = bytes.len() as u64;
                return Err(PackageError::Short { read, size });
            }
            Ok(n) => bytes.extend_from_slice(&chunk[..n]),
        }
        report(bytes.len() as u64);
    }
}

/// The address of a file in a page of links as JSON.
fn find_json_link(page: &str, file: &str) -> Option<String> {
    let page: Value = serde_json::from_str(page).ok()?;
    let mut files = page["files"].as_array()?.iter();
    let found = files.find(|it| it["filename"] == file)?;
    Some(found["url"].as_str()?.to_owned())
}

/// The address of a file in a page of links as HTML: the last part of a link's path is the file's name.
fn find_html_link(page: &str, file: &str) -> Option<String> {
    let links = page.split("href=").skip(1).filter_map(|it| {
        let quote = it.chars().next().filter(|it| matches!(it, '"' | '\''))?;
        it[1..].split_once(quote).map(|it| it.0)
    });
    let mut links = links.map(|it| it.replace("&amp;", "&"));
    links.find(|it| {
        let path = it.split(['#', '?']).next().unwrap_or_default();
        path.rsplit('/').next() == Some(file)
    })
}

/// The address that a link on a page leads to. A page that was read over https leads to nothing else.
fn resolve_link(page: &str, link: &str) -> Option<String> {
    let (scheme, rest) = page.split_once("://")?;
    let host = rest.split('/').next()?;
    let url = if link.contains("://") {
        link.to_owned()
    } else if let Some(rest) = link.strip_prefix("//") {
        format!("{scheme}://{rest}")
    } else if link.starts_with('/') {
        format!("{scheme}://{host}{link}")
    } else {
        join_relative_link(page, link)?
    };
    let is_as_private = scheme == "http" || url.starts_with("https://");
    is_as_private.then_some(url)
}

fn join_relative_link(page: &str, link: &str) -> Option<String> {
    let (start, rest) = page.split_once("://")?;
    let mut parts: Vec<&str> = rest.split(['?', '#']).next()?.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." => {}
            ".." if parts.len() > 1 => drop(parts.pop()),
            ".." => return None,
            part => parts.push(part),
        }
    }
    Some(format!("{start}://{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_in_both_forms_of_a_page() {
        let html = r#"<a href="../a-1.whl">a-1.whl</a> <a class='x' href='https://f.example/p/a-2.whl#sha256=00'>a</a>"#;
        let html = |file| find_html_link(html, file);
        assert_eq!(html("a-1.whl").as_deref(), Some("../a-1.whl"));
        assert_eq!(
            html("a-2.whl").as_deref(),
            Some("https://f.example/p/a-2.whl#sha256=00")
        );
        assert_eq!(html("a-3.whl"), None);
        let json =
            r#"{"files":[{"filename":"a-1.whl","url":"/p/a-1.whl"},{"filename":"a-2.whl"}]}"#;
        assert_eq!(
            find_json_link(json, "a-1.whl").as_deref(),
            Some("/p/a-1.whl")
        );
        assert_eq!(find_json_link(json, "a-2.whl"), None);
        assert_eq!(find_json_link("<html>", "a-1.whl"), None);
    }

    #[test]
    fn links_lead_where_a_browser_would_go() {
        let check = |link: &str, expected: Option<&str>| {
            let found = resolve_link("https://h.example/simple/a/", link);
            assert_eq!(found.as_deref(), expected, "{link}");
        };
        check("https://f.example/x", Some("https://f.example/x"));
        check("/x", Some("https://h.example/x"));
        check("//f.example/x", Some("https://f.example/x"));
        check("x", Some("https://h.example/simple/a/x"));
        check("../../p/x", Some("https://h.example/p/x"));
        check("../../../../x", None);
        check("http://f.example/x", None);
    }
}
