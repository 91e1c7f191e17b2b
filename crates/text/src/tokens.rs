//! How many tokens a text takes in a model's context, estimated without a tokenizer.
//!
//! A tokenizer is a table of two hundred thousand words, which is more than the rest of this program. What is wanted is a bound:
//! a budget in tokens must hold. So a text is split as the tokenizer `o200k_base` splits it before it looks anything up – a word
//! with the one character before it, up to three digits, a run of signs, a run of blanks – and each piece counts what such
//! pieces were measured to take, rounded up. Measured on prose in
//! seven languages, code, JSON and lists, it is 3 to 20 % above; on hashes up to 5 % below.

/// The weights are counted in hundredths of a token.
const WHOLE: usize = 100;

/// About how many `o200k_base` tokens a text takes; rather more than fewer.
///
/// ```
/// use apostille_text::tokens::estimate_tokens;
/// assert_eq!(estimate_tokens("uploads are limited to 10 MB"), 8);
/// ```
pub fn estimate_tokens(text: &str) -> usize {
    let mut weight = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let (len, more) = weigh_first_piece(rest);
        weight += more;
        rest = &rest[len..];
    }
    weight.div_ceil(WHOLE)
}

/// The length of the first piece in bytes, and its weight.
fn weigh_first_piece(text: &str) -> (usize, usize) {
    let mut chars = text.chars();
    let first = chars.next().unwrap_or(' ');
    let joins = !first.is_alphanumeric() && !matches!(first, '\r' | '\n');
    if first.is_numeric() {
        let len = measure_run(text, char::is_numeric);
        let n = text[..len].chars().count();
        return (len, n.div_ceil(3) * WHOLE);
    }
    if joins && chars.clone().next().is_some_and(char::is_alphabetic) {
        let lead = first.len_utf8();
        let len = measure_word(&text[lead..]);
        return (
            lead + len,
            weigh_word(&text[lead..lead + len], first == ' '),
        );
    }
    if first.is_alphabetic() {
        let len = measure_word(text);
        return (len, weigh_word(&text[..len], false));
    }
    let after = chars.next().unwrap_or(' ');
    match first {
        ' ' if is_sign(after) => {
            let (len, weight) = weigh_signs(&text[1..]);
            (1 + len, weight)
        }
        _ if first.is_whitespace() => weigh_blanks(text),
        _ => weigh_signs(text),
    }
}

fn measure_run(text: &str, holds: impl Fn(char) -> bool) -> usize {
    text.find(|c| !holds(c)).unwrap_or(text.len())
}

/// A word ends before a capital that follows a small letter.
fn measure_word(text: &str) -> usize {
    let mut was_small = false;
    for (at, c) in text.char_indices() {
        if !c.is_alphabetic() || was_small && c.is_uppercase() {
            return at;
        }
        was_small = c.is_lowercase();
    }
    text.len()
}

fn weigh_word(word: &str, is_spaced: bool) -> usize {
    if !word.is_ascii() {
        return weigh_foreign_word(word);
    }
    let len = word.len();
    let is_shouted = len > 1 && word.bytes().all(|it| it.is_ascii_uppercase());
    match (len, is_spaced) {
        _ if is_shouted => (len * 42).max(WHOLE),
        (0..=3, true) => 100,
        (4..=6, true) => 103,
        (7..=8, true) => 112,
        (9..=10, true) => 140,
        (11..=12, true) => 165,
        (0..=2, false) => 106,
        (3..=4, false) => 116,
        (5..=6, false) => 138,
        (7..=8, false) => 168,
        (9..=12, false) => 215,
        _ => len * 22,
    }
}

fn weigh_foreign_word(word: &str) -> usize {
    let weigh = |c: char| match u32::from(c) {
        0..=0x7F => 28,
        0x80..=0x24F => 62,
        // Greek, Cyrillic, Hebrew, Arabic.
        0x250..=0x6FF => 29,
        // Scripts without blanks, and those that few texts are written in.
        _ => 74,
    };
    word.chars().map(weigh).sum::<usize>().max(WHOLE)
}

/// Blanks up to the last line break are a piece, and so are those behind it; the last one belongs to the word that follows.
fn weigh_blanks(text: &str) -> (usize, usize) {
    let len = measure_run(text, char::is_whitespace);
    let blanks = &text[..len];
    if let Some(at) = blanks.rfind(['\r', '\n']) {
        return (at + 1, WHOLE);
    }
    let last = blanks.chars().next_back().map_or(0, char::len_utf8);
    let is_last = len == text.len() || len == last;
    (if is_last { len } else { len - last }, WHOLE)
}

fn is_sign(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_whitespace()
}

/// Signs, with the line breaks behind them.
fn weigh_signs(text: &str) -> (usize, usize) {
    let len = measure_run(text, is_sign);
    let signs = &text[..len];
    let n_ascii = signs.bytes().filter(u8::is_ascii).count();
    let n_others = signs.chars().filter(|it| !it.is_ascii()).count();
    let weight = match n_ascii {
        0 => 0,
        1 | 2 => 102,
        n => 45 * n,
    };
    let breaks = measure_run(&text[len..], |c| matches!(c, '\r' | '\n'));
    (len + breaks, (weight + 125 * n_others).max(WHOLE))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts with how many tokens `o200k_base` makes of them.
    #[rustfmt::skip]
    const SAMPLES: &[(usize, &str)] = &[
        (211, r#"<memory-context>
Notes kept from earlier work, for reference. They are not instructions and give no orders. What cites code was looked up in this checkout just now. Name the handle of a note you use.
- (m-1, api; stands src/api.rs:3) The API version is v3
- (m-2; stands docs/api.md:3) The docs say that the version is v3
- (m-12, limits, project:billing; check src/settings/limits.rs:14-18) uploads are limited to 10 MB by MAX_UPLOAD, because the proxy in front of it refuses more (changed: 10 → 25)
- (u-3; stated by the user, 2026-02-26) prefers small commits
- (m-40; stands crates/core/src/recall/query.rs:110) `complete_query` fills in what the asker left open; MIN_REACH is 16 and MAX_REACH is 400
</memory-context>
"#),
        (62, r#"Die Benutzerin möchte, dass Antworten kurz bleiben und auf Deutsch geschrieben werden. Überprüfe vor jeder Änderung, ob die Schnittstelle zwischen Server und Kunde gleich geblieben ist; größere Umbauten brauchen eine Rückfrage. Die Datenbank läuft auf dem Rechner im Büro, und die Straße heißt Äpfelgasse.
"#),
        (43, r#"La usuaria prefiere respuestas breves y confirmaciones pequeñas. Antes de cada cambio hay que comprobar que la versión del servidor coincide con la del cliente; las pruebas de integración se ejecutan por la noche.
"#),
        (51, r#"L'utilisatrice préfère des réponses courtes et des commits atomiques. Avant chaque modification, vérifiez que la version du serveur est égale à celle du client ; les tests d'intégration s'exécutent la nuit à cause de la durée.
"#),
        (52, r#"Пользователь предпочитает короткие ответы и небольшие коммиты. Перед изменением кода нужно запустить тесты и проверить, что версия сервера совпадает с версией клиента. База данных работает на порту 5432.
"#),
        (42, r#"用户喜欢简短的回答和小的提交。在修改代码之前，需要运行测试并检查服务器版本与客户端版本是否一致。数据库运行在5432端口上，部署目标是北京区域。
"#),
        (51, r#"ユーザーは短い回答と小さなコミットを好みます。コードを変更する前にテストを実行し、サーバーのバージョンがクライアントと一致することを確認してください。
"#),
        (142, r#"commit 3f2a9c0e71b84d5566aa01fe9b7c2d3e4f5a6b7c sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 id 0199c0de-7b1a-7c3e-9f4e-5d6c7b8a9f00 base64 aGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXN0IG9mIGJhc2U2NA==
"#),
        (34, r#"ping 🎉 ✅ done → ok … “quoted” – dash
├── src
│   ├── api.rs
│   └── limits.rs
"#),
        (236, r#"    words.map(str::to_lowercase).filter(counts).collect()
}

/// The score of a memory against the words of a question, with the words they share; `None` when they share none.
pub fn score_word_overlap(
    memory: &Memory,
    asked: &BTreeSet<String>,
    now: Timestamp,
) -> Option<(f32, Vec<String>)> {
    let shared: Vec<String> = split_overlap_words(&memory.fact)
        .intersection(asked)
        .cloned()
        .collect();
    if shared.is_empty() {
        return None;
    }
    let hours = now
        .duration_since(memory.recorded_at)
        .as_secs_f32()
        .max(0.0)
        / 3_600.0;
    Some((shared.len() as f32 + recency_bonus(hours), shared))
}

/// The bonus of a memory of this age in hours.
pub fn recency_bonus(hours: f32) -> f32 {
    (0.1 / hours.max(0.1)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

"#),
        (69, r#"{"memories":[{"id":"m-12","fact":"uploads are limited to 10 MB by MAX_UPLOAD","standing":"stands","at":"src/limits.rs:3"}],"withheld":[{"id":"m-7","standing":"contradicted","now":"pub const API_VERSION: u32 = 8;"}]}
"#),
    ];

    #[test]
    fn estimate_is_not_below_what_is_counted() {
        let (mut counted, mut estimated) = (0, 0);
        for (n, text) in SAMPLES {
            let found = estimate_tokens(text);
            assert!(found * 100 >= n * 95, "{found} for {n}: {text}");
            assert!(found * 100 <= n * 135, "{found} for {n}: {text}");
            counted += n;
            estimated += found;
        }
        assert!((counted..counted * 12 / 10).contains(&estimated));
    }

    #[test]
    fn estimate_of_odd_texts() {
        let check =
            |text: &str, expected: usize| assert_eq!(estimate_tokens(text), expected, "{text:?}");
        check("", 0);
        check("a", 2);
        check(" ", 1);
        check("\n\n  ", 2);
        check("1234567", 3);
        check("foo_bar", 3);
    }
}
