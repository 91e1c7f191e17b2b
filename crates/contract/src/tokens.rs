//! The suite that every place for tokens passes.

use apostille_core::tokens::{Access, TokenRecord, TokenStore};
use apostille_text::digest::Digest;
use jiff::Timestamp;

fn token(name: &str, access: Access) -> TokenRecord {
    TokenRecord {
        name: name.into(),
        digest: Digest::hash_bytes(name.as_bytes()),
        spaces: (access != Access::Review).then(|| {
            let names = ["github.com/acme/app", "users/ana"];
            names.map(|it| it.parse().expect("a space")).to_vec()
        }),
        user: (access == Access::Write).then(|| "users/ana".parse().expect("a space")),
        access,
        made: Timestamp::UNIX_EPOCH,
        until: (access == Access::Read).then_some(Timestamp::MAX),
    }
}

/// Adds, lists and takes back, with two handles on one place: what one does, the other knows at once.
///
/// `open` opens the same place, which is empty in the beginning, again and again.
pub fn check_token_store(open: &mut dyn FnMut() -> Box<dyn TokenStore>) {
    let (one, other) = (open(), open());
    let version = |it: &dyn TokenStore| it.read_version().expect("a version");
    let names = |it: &dyn TokenStore| -> Vec<String> {
        let tokens = it.list_tokens().expect("a list");
        tokens.into_iter().map(|it| it.name).collect()
    };
    let empty = version(&*one);
    assert_eq!(empty, version(&*other));
    assert!(names(&*one).is_empty());

    let made = [Access::Write, Access::Read, Access::Review].map(|it| token(it.as_str(), it));
    let mut seen = vec![empty];
    for it in &made {
        assert!(one.add_token(it).expect("added"));
        let now = version(&*other);
        assert!(!seen.contains(&now), "an addition is another version");
        seen.push(now);
    }
    let mut expected = made.clone();
    expected.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(other.list_tokens().expect("a list"), expected);

    // A name is taken once, also by a handle that was opened before.
    let same = TokenRecord {
        digest: Digest::hash_bytes(b"another"),
        ..made[0].clone()
    };
    assert!(!other.add_token(&same).expect("an answer"));
    assert_eq!(Some(&version(&*one)), seen.last());
    assert_eq!(one.list_tokens().expect("a list"), expected);

    let gone = other.revoke_token("write").expect("an answer");
    assert_eq!(gone.as_ref(), Some(&made[0]));
    assert!(!seen.contains(&version(&*one)), "so is a revocation");
    assert_eq!(names(&*one), ["read", "review"]);
    seen.push(version(&*one));
    assert_eq!(one.revoke_token("write").expect("an answer"), None);
    assert_eq!(Some(&version(&*other)), seen.last());
    // What is made again is not what was taken back.
    assert!(one.add_token(&same).expect("added"));
    assert!(!seen.contains(&version(&*other)));
    let reopened = open().list_tokens().expect("a list");
    assert_eq!(reopened.iter().find(|it| it.name == "write"), Some(&same));
    check_concurrent_tokens(open);
}

/// Of several that add the same name at once one does, and every name that was added is there.
fn check_concurrent_tokens(open: &mut dyn FnMut() -> Box<dyn TokenStore>) {
    let stores: Vec<_> = (0..4).map(|_| open()).collect();
    let add_two = |n: usize, store: &dyn TokenStore| {
        let own = token(&format!("own-{n}"), Access::Read);
        assert!(store.add_token(&own).expect("added"));
        let same = token("same", Access::Read);
        usize::from(store.add_token(&same).expect("an answer"))
    };
    let won: usize = std::thread::scope(|scope| {
        let mut adding = Vec::new();
        for (n, store) in stores.iter().enumerate() {
            adding.push(scope.spawn(move || add_two(n, &**store)));
        }
        let won = adding.into_iter().map(|it| it.join().expect("no panic"));
        won.sum()
    });
    assert_eq!(won, 1);
    let tokens = open().list_tokens().expect("a list");
    let own = tokens.iter().filter(|it| it.name.starts_with("own-"));
    assert_eq!(own.count(), 4);
}
