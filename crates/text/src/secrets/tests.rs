//! One test for each kind of secret, then what belongs to the table as a whole.

mod samples;
mod sentences;

use super::*;
use samples::{SAMPLES, WAY_SAMPLES};

const HEX: &str = "0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b";
const MIXED: &str = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
const DIGEST: &str = "dGhpcyBpcyBub3QgYSBzZWNyZXQsIGp1c3QgYSBkaWc";

fn refused(text: &str) {
    assert!(find_secret(text).is_some(), "must be refused: {text}");
}

fn passes(text: &str) {
    assert_eq!(find_secret(text), None, "must pass: {text}");
}

#[test]
fn sk() {
    refused("my API key is sk-abc123...");
    refused(&format!("use sk-{MIXED} for now"));
    refused(&format!("sk-proj-{MIXED}"));
    passes("pip install sk-learn and task-4711 is done");
    passes("keys start with `sk-`, as in sk-... or sk-your-api-key-here");
    passes("div.sk-container-id-1 in the notebook");
}

#[test]
fn ghp() {
    refused(&format!("remote uses ghp_{MIXED}"));
    passes("classic tokens start with ghp_, see the docs");
    passes("ghp_xxxxxxxxxxxxxxxxxxxx");
}

#[test]
fn gho() {
    refused(&format!("gho_{MIXED}"));
    passes("`gho_` marks an OAuth token");
}

#[test]
fn glpat() {
    refused(&format!("clone with glpat-{}", &MIXED[..20]));
    passes("tokens look like glpat-<20 characters>");
}

#[test]
fn xoxb() {
    refused(&format!("xoxb-1234567890-{}", &MIXED[..24]));
    passes("bot tokens start with xoxb-");
}

#[test]
fn xoxp() {
    refused(&format!("xoxp-1234567890-{}", &MIXED[..24]));
    passes("user tokens start with xoxp-");
}

#[test]
fn bearer() {
    refused("curl -H 'Authorization: Bearer a1b2c3d4e5f6'");
    refused(&format!("Bearer {MIXED}"));
    passes("Bearer authentication is required, a bearer token works too");
    passes("headers['Authorization'] = `Bearer ${session.accessToken}`;");
}

#[test]
fn token() {
    refused("token: abcd1234efgh");
    refused("TOKEN=9f8e7d6c5b4a");
    refused(&format!("https://a.b/c?access_token={MIXED}"));
    passes("the token: see docs");
    passes("token: <your-token>");
    passes("repo-token: ${{ secrets.GITHUB_TOKEN }}");
    passes("token: CancellationToken) => Thenable<ChatSessionItem>");
    passes("max token = 128000, next_token: null");
}

#[test]
fn password() {
    refused("password: hunter2");
    refused("the database password is Tr0ub4dor&3");
    refused("PGPASSWORD=s3cr3tpw psql");
    refused("passwd = \"Winter2024!\"");
    refused("pwd=Winter2024!");
    refused("密码：abc12345");
    passes("password: must be 12 characters");
    passes("password: ${DB_PASSWORD}");
    passes("password: base64 of the input, sha256-hashed");
    passes("pwd=/home/user1/project2");
    passes("NEO4J_PASSWORD=your-password");
}

#[test]
fn secret_and_api_key() {
    for name in [
        "secret",
        "api_key",
        "api key",
        "apikey",
        "API-KEY",
        "clientSecret",
        "aws_secret_access_key",
    ] {
        refused(&format!("{name} = \"{}\"", &MIXED[..24]));
        refused(&format!("the {name} for staging is {HEX}"));
        passes(&format!("{name} = process.env.ACME_KEY2"));
        passes(&format!("{name}: see section 4.2 of the docs"));
    }
}

#[test]
fn high_entropy_blob() {
    refused(&format!("it printed {MIXED} at the end"));
    refused("wJalrXUtnFEMI/K7MDENG/bPxRfiCYzq8w2Kd0Lm");
    passes("ResolveSlackAppMentionIngressPolicyParamsForWorkspace2024");
    passes("src/main/java/com/acme/Service2/Http2ConnectionPoolFactoryTest.java");
}

#[test]
fn every_row_catches_its_sample() {
    assert_eq!(ROWS.len(), SAMPLES.len());
    for (index, (row, (name, sample, _))) in ROWS.iter().zip(SAMPLES).enumerate() {
        assert_eq!(row.name, *name);
        let sample = sample.concat();
        let lower = sample.to_ascii_lowercase();
        assert!(
            find_secret_candidates(&lower).0.contains(&index),
            "{name}: keyword"
        );
        assert!(
            find_secret_rule_value(
                policy::installed_policy(),
                index,
                row.judge,
                &sample,
                &lower
            )
            .is_some(),
            "{name}: {sample}"
        );
        refused(&format!("Ran it with {sample} and it passed."));
    }
}

#[test]
fn every_row_lets_its_clean_sample_pass() {
    SAMPLES.iter().for_each(|it| passes(&it.2.concat()));
}

#[test]
fn every_way_catches_only_its_sample() {
    assert_eq!(WAYS.len(), WAY_SAMPLES.len());
    for (way, (name, sample, clean)) in WAYS.iter().zip(WAY_SAMPLES) {
        assert_eq!(way.0, *name);
        assert_eq!(find_secret(&sample.concat()), Some(*name));
        passes(clean);
    }
}

#[test]
fn table_is_well_formed() {
    let rows = ROWS
        .iter()
        .map(|it| it.keywords)
        .filter(|it| !it.is_empty());
    let lists = rows.chain(NOUNS.iter().map(|it| it.1));
    for keyword in lists.flat_map(|it| it.split(',')) {
        assert!(
            keyword.len() >= 2 && keyword == keyword.to_ascii_lowercase(),
            "{keyword}"
        );
    }
}

#[test]
fn evasions() {
    let token = format!("ghp_{}", &MIXED[..36]);
    let (head, tail) = token.split_at(19);
    let wide: String = token
        .chars()
        .filter_map(|c| char::from_u32(u32::from(c) + 0xFEE0))
        .collect();
    refused(&format!("{head}\u{200b}{tail}"));
    refused(&format!("{head}\u{ad}\u{2060}{tail}"));
    refused(&wide);
    refused(&format!("{head}\n{tail}"));
    refused(&format!("{head} \r\n    {tail}"));
    refused(&format!("令牌{token}密钥"));
    refused(&format!("使用AKIA{}部署", "A2B3C4D5E6F7G2H3"));
}

#[test]
fn written_in_another_way() {
    let token = format!("ghp_{}", &MIXED[..36]);
    let (head, tail) = token.split_at(14);
    let each = |form: fn(u8) -> String| token.bytes().map(form).collect::<String>();
    refused(&each(|it| format!("%{it:02x}")));
    refused(&each(|it| format!("{it:02x}")));
    refused(&each(|it| format!("\\x{it:02x}")));
    refused(&each(|it| format!("\\u{it:04x}")));
    refused(&format!("let it = \"{head}\" + \"{tail}\";"));
    refused(&format!("it is '{head}' . '{tail}'"));
    refused(&format!("(\"{head}\"\n    \"{tail}\")"));
    refused(&format!("{head} {tail}"));
    refused("LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ");
    passes(
        "%20%20%20%20%20%20 is six blanks, \\u0041\\u0042\\u0043\\u0044\\u0045\\u0046 are letters",
    );
    passes("\"token\" + \"izer\" and 'pass' 'port' are words");
    passes("see 1a2b3c4 5d6e7f8 9a0b1c2 3d4e5f6 0a1b2c3 for sk- names");
}

#[test]
fn public_values_pass() {
    passes(&format!("fixed in {HEX}"));
    passes(&format!("checksum = \"{HEX}{}\"", &HEX[..24]));
    passes("id 0a1b2c3d-4e5f-4a7b-8c9d-0e1f2a3b4c5d");
    passes(&format!("\"integrity\": \"sha256-{DIGEST}=\""));
    passes(&format!("\"integrity\": \"sha512-{DIGEST}{DIGEST}==\","));
    passes(&format!("github.com/a/b v1.2.3 h1:{DIGEST}="));
    passes(&format!(
        "data:image/png;base64,iVBORw0KGgo{MIXED}{MIXED}=="
    ));
    passes(&format!(
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{MIXED}{MIXED} me@host"
    ));
    passes(&format!(
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq{MIXED}\n{MIXED}\n-----END PUBLIC KEY-----"
    ));
    passes("https://docs.example.org/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit");
    refused(&format!("sha256-{MIXED}{}", MIXED[..20].repeat(2)));
}

#[test]
fn placeholders_pass() {
    for value in [
        "xxxxxxxxxxxxxxxxxxxx1",
        "<token>",
        "${VAR2}",
        "changeme123",
        "REDACTED",
        "$TOKEN_2",
        "***",
    ] {
        passes(&format!("api_key={value}"));
        passes(&format!("password: {value}"));
    }
}

#[test]
fn long_stand_ins_pass() {
    passes(&format!("hvs.{}", "x".repeat(95)));
    passes(&format!("ops_eyJ{}", "x".repeat(300)));
    passes(&format!("github_pat_{}_{}", "x".repeat(22), "x".repeat(59)));
    passes("the header is eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9, then a dot");
    refused(&format!("hvs.{MIXED}{MIXED}{}", "x".repeat(20)));
    refused(&format!("github_pat_{MIXED}{MIXED}xxxx"));
}

#[test]
fn long_text_of_keywords_is_scanned_quickly() {
    // Each of these once took seconds: a value was judged again from every keyword in it.
    for word in [
        "sk-", "ghp_", "secret-", "auth=", "key=", "token: ", "bearer ", "\" + \"",
    ] {
        passes(&word.repeat(20_000 / word.len()));
    }
}

#[test]
fn tokens_in_equal_pieces_are_joined() {
    let token = format!("ghp_{MIXED}");
    for size in [4, 5, 8, 12, 16] {
        let pieces: Vec<_> = token
            .as_bytes()
            .chunks(size)
            .map(String::from_utf8_lossy)
            .collect();
        let cut = pieces.join(" ");
        refused(&format!("note: {cut}"));
        refused(&format!("export KEY=\"{cut}\" # old"));
    }
    passes("0a1b2c3d 4e5f6a7b 8c9d0e1f 2a3b4c5d is the start of the dump");
    passes("1234 5678 9012 3456 are groups of four digits");
    passes(&"word ".repeat(20_000));
}

#[test]
fn tokens_in_mails_are_read() {
    let token = format!("ghp_{MIXED}");
    let escaped: String = token.bytes().map(|it| format!("={it:02X}")).collect();
    refused(&format!("note: {escaped}"));
    refused(&format!("key=3D{}=\n{}", &token[..12], &token[12..]));
    passes("a=12&b=34&c=56&d=78&e=90&f=AB are the parameters");
}
