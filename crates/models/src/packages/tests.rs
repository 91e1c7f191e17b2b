use super::{index::PackageIndex, *};
use apostille_web::client::scripted_server::{ScriptedReply, ScriptedServer};

/// A wheel with two members, `m/a.bin` packed and `m/b.txt` stored.
const WHEEL: &[u8] = include_bytes!("../../tests/fixtures/tiny-1.0-py3-none-any.whl");

const WHEEL_SIZE: u64 = WHEEL.len() as u64;
const WHEEL_SHA256: &str = "19fb631fcb05b4817c3a45d2cf94f26ef892ee812ed94cdbb73dfe958c818511";
const A_SHA256: &str = "efecb7b234d7b52b4f34d0624445b7248f1d708ef73dac7873a661a2b50cf25e";
const B_SHA256: &str = "95cc8e8ec552664096b998c62dfd5dfd0a41c96154de6814d918d1ca34bfc225";

const TINY: PinnedPackage = PinnedPackage {
    project: "tiny",
    file: "tiny-1.0-py3-none-any.whl",
    size: WHEEL_SIZE,
    sha256: WHEEL_SHA256,
    members: &[
        PinnedMember {
            path: "m/a.bin",
            name: "a.bin",
            size: 3000,
            sha256: A_SHA256,
        },
        PinnedMember {
            path: "m/b.txt",
            name: "b.txt",
            size: 6,
            sha256: B_SHA256,
        },
    ],
};

const PAGE: &str =
    r#"{"files":[{"filename":"tiny-1.0-py3-none-any.whl","url":"../../f/tiny.whl"}]}"#;

fn download(server: &ScriptedServer) -> Result<Vec<u8>, String> {
    let base = format!("{}/simple", server.base_url());
    let index = PackageIndex {
        base: &base,
        find_proxy: &|_| None,
        authorities: None,
    };
    let mut last = 0;
    let bytes = index.download_package(&TINY, &mut |n| last = n);
    let bytes = bytes.map_err(|error| error.to_string())?;
    assert_eq!(last, bytes.len() as u64);
    Ok(bytes)
}

#[test]
fn package_is_found_downloaded_and_unpacked() {
    let server = ScriptedServer::start("GET");
    server.set_replies("/simple/tiny/", [ScriptedReply::ok(PAGE)]);
    let moved = ScriptedReply::redirect(302, "/elsewhere");
    server.set_replies("/f/tiny.whl", [moved]);
    server.set_replies("/elsewhere", [ScriptedReply::ok(WHEEL)]);
    let bytes = download(&server).unwrap();
    let members = unpack_package(&TINY, &bytes).unwrap();
    let names: Vec<&str> = members.iter().map(|it| it.0.name).collect();
    assert_eq!(names, ["a.bin", "b.txt"]);
    assert_eq!(members[1].1, b"bytes\n");
}

#[test]
fn download_that_fails_says_how() {
    let server = ScriptedServer::start("GET");
    let check = |expected: &str| assert_eq!(download(&server), Err(expected.into()));
    check("127.0.0.1 answered with status 404 when asked for tiny");
    server.set_replies("/simple/tiny/", [ScriptedReply::ok("{}")]);
    check("127.0.0.1 does not offer tiny-1.0-py3-none-any.whl");
    server.set_replies("/simple/tiny/", [ScriptedReply::ok(PAGE)]);
    server.set_replies("/f/tiny.whl", [ScriptedReply::ok(WHEEL).cut_short(10)]);
    let n = WHEEL_SIZE - 10;
    check(&format!(
        "the download ended after {n} of {WHEEL_SIZE} bytes"
    ));
    server.set_replies("/f/tiny.whl", [ScriptedReply::redirect(302, "/f/tiny.whl")]);
    check("127.0.0.1 cannot be reached: it redirects without end");
    let long = [WHEEL, &[0; 99]].concat();
    server.set_replies("/f/tiny.whl", [ScriptedReply::ok(long)]);
    let bytes = download(&server).unwrap();
    assert_eq!(bytes.len(), WHEEL.len() + 1, "no more is read");
}

#[test]
fn other_bytes_are_refused() {
    let refuse = |package: &PinnedPackage, bytes: &[u8]| {
        unpack_package(package, bytes).unwrap_err().to_string()
    };
    let mut flipped = WHEEL.to_vec();
    flipped[100] ^= 1;
    let told = refuse(&TINY, &flipped);
    assert!(
        told.contains("is not the file that this program was made for: its SHA-256 is "),
        "{told}"
    );
    assert!(refuse(&TINY, &WHEEL[..50]).contains("it has 50 bytes, expected "));
    let with_member = |member: PinnedMember| PinnedPackage {
        members: Box::leak(Box::new([member])),
        ..TINY
    };
    let renamed = with_member(PinnedMember {
        path: "m/c",
        ..TINY.members[0]
    });
    let told = "tiny-1.0-py3-none-any.whl cannot be unpacked: a file of the model is not in it";
    assert_eq!(refuse(&renamed, WHEEL), told);
    let shorter = with_member(PinnedMember {
        size: 2000,
        ..TINY.members[0]
    });
    assert!(refuse(&shorter, WHEEL).contains("it has 2001 bytes, expected 2000"));
}

#[test]
fn damaged_archive_never_panics() {
    // The last two bytes are the length of a comment that nobody reads.
    for len in 0..WHEEL.len() - 2 {
        let read = wheel::read_member(&WHEEL[..len], "m/a.bin", 3000);
        assert!(read.is_err(), "{len}");
    }
    for at in 0..WHEEL.len() {
        let mut flipped = WHEEL.to_vec();
        flipped[at] ^= 0xff;
        // Digests find what this does not.
        let _ = wheel::read_member(&flipped, "m/a.bin", 3000);
    }
}
