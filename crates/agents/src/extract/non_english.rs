//! A few clear beginnings in other languages; what follows is kept in the person's own words.

use super::own_sentences::Sentence;
use super::{
    SortedPhrase, StatementSort, pattern::pattern, phrase::StatementPhrase,
    sentence_context::SentenceContext,
};

pattern!(
    GERMAN_KEEP,
    r"^(?:bitte )?(?:merk(?:e)? dir|denk(?:e)? daran|vergiss nicht)(?: bitte)?,? dass "
);
pattern!(
    GERMAN_STANDING,
    r"^(?:ab jetzt|ab sofort|von jetzt an|von nun an|künftig|zukünftig|in zukunft)[ ,]"
);
pattern!(GERMAN_PREFER, r"^ich bevorzuge |^ich ziehe .+ vor$");
pattern!(
    GERMAN_NO,
    r"^nein,? (?:nimm|benutz(?:e)?|verwende|nutze) (?:bitte )?[\w@./-]+,? (?:nicht|statt|anstatt) [\w@./-]+$"
);
pattern!(
    GERMAN_HERE,
    r"\b(?:dies(?:e|er|es|en|em)?|das hier|hier|gerade|heute|vielleicht|wäre|würde|könnte)\b"
);
pattern!(
    SPANISH_KEEP,
    r"^(?:por favor,? )?(?:recuerda|ten en cuenta) que "
);
pattern!(
    SPANISH_STANDING,
    r"^(?:a partir de ahora|de ahora en adelante|en adelante)[ ,]"
);
pattern!(
    SPANISH_PREFER,
    r"^prefiero (?:que |usar |los |las |el |la )"
);
pattern!(
    SPANISH_NO,
    r"^no,? usa [\w@./-]+,? (?:no|en vez de|en lugar de) [\w@./-]+$"
);
pattern!(
    SPANISH_HERE,
    r"\b(?:est[eao]s?|es[ea]s?|aqu\S|hoy|quiz\S+|ser\S+a|segund[oa]|primer[oa])\b"
);
pattern!(
    FRENCH_KEEP,
    r"^(?:souviens-toi|retiens|rappelle-toi|n'oublie pas|note bien)(?: bien)? qu(?:e |')"
);
pattern!(
    FRENCH_STANDING,
    r"^(?:à partir de maintenant|désormais|dorénavant|à l'avenir)[ ,]"
);
pattern!(FRENCH_PREFER, r"^je préfère (?:que |les |des |utiliser )");
pattern!(
    FRENCH_NO,
    r"^non,? (?:utilise|prends) [\w@./-]+,? (?:pas|au lieu de|et non) [\w@./-]+$"
);
pattern!(
    FRENCH_HERE,
    r"\b(?:cette?|ces|ici|aujourd'hui|peut-être|ceci|cela|ça)\b"
);
/// Chinese and Japanese mark what points at something near just as clearly.
const NEAR: &str =
    "这个 那个 这里 这次 今天 可能 如果 吗 これ それ ここ 今回 今日 かも べきですか ですか もし";
const KEEP: &str = "记住 请记住 记得 請記住 覚えておいて 覚えておいてください";
const STANDING: &str = "从现在开始 从现在起 今后 以后 今後は これからは 今後、";

/// What a sentence states in another language.
pub(super) fn extract_non_english(
    sentence: &Sentence,
    setting: &SentenceContext,
) -> Option<SortedPhrase> {
    let lower = sentence.text.to_lowercase();
    let sort = classify_european_sentence(&lower, setting.is_answer)
        .or_else(|| classify_cjk_sentence(&sentence.text))?;
    Some((sort, StatementPhrase::Quoted(sentence.text.clone())))
}

fn classify_european_sentence(lower: &str, is_answer: bool) -> Option<StatementSort> {
    let languages = [
        (
            [&GERMAN_KEEP, &GERMAN_STANDING, &GERMAN_PREFER, &GERMAN_NO],
            &GERMAN_HERE,
        ),
        (
            [
                &SPANISH_KEEP,
                &SPANISH_STANDING,
                &SPANISH_PREFER,
                &SPANISH_NO,
            ],
            &SPANISH_HERE,
        ),
        (
            [&FRENCH_KEEP, &FRENCH_STANDING, &FRENCH_PREFER, &FRENCH_NO],
            &FRENCH_HERE,
        ),
    ];
    let sorts = [
        StatementSort::Fact,
        StatementSort::Preference,
        StatementSort::Preference,
        StatementSort::Correction,
    ];
    let (sort, here) = languages.iter().find_map(|(beginnings, here)| {
        let at = beginnings.iter().position(|it| it.is_in(lower))?;
        Some((sorts[at], here))
    })?;
    let is_clear = !here.is_in(lower) && lower.split_whitespace().count() > 3;
    (is_clear && (sort != StatementSort::Correction || is_answer)).then_some(sort)
}

fn classify_cjk_sentence(text: &str) -> Option<StatementSort> {
    let is_far = !NEAR.split(' ').any(|it| text.contains(it)) && text.chars().count() > 8;
    let begins = |words: &str| words.split(' ').any(|it| text.starts_with(it));
    // Japanese asks for it at the end.
    let keeps =
        begins(KEEP) || text.ends_with("覚えておいて") || text.ends_with("覚えておいてください");
    match (keeps, begins(STANDING)) {
        (true, _) if is_far => Some(StatementSort::Fact),
        (_, true) if is_far => Some(StatementSort::Preference),
        _ => None,
    }
}
