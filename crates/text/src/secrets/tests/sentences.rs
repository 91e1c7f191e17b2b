//! Sentences that tell a password, and those that only speak of one. A new case is one line.

use super::{passes, refused};

/// Passwords of the kinds that people choose, in pieces.
const CHOSEN: [&[&str]; 6] = [
    &["Tr0ub", "4dor&3"],
    &["hun", "ter2"],
    &["correct", "-horse"],
    &["k8s!", "prod#42"],
    &["qzvx", "kwpm"],
    &["Winter", "2024!"],
];

/// Refused with every one of them.
fn tells(sentence: &str) {
    for pieces in CHOSEN {
        refused(&sentence.replace("{}", &pieces.concat()));
    }
}

#[test]
fn english_sentences_tell_passwords() {
    tells("the staging database uses deploy with password {}");
    tells("user deploy, pass {}");
    tells("use {} as the password for the panel");
    tells("the login is admin / {}");
    tells("The admin password was changed to {} last week");
    tells("credentials for Grafana: admin:{}");
    tells("{} is the password of the build server");
    tells("password for the VPN: {}");
}

#[test]
fn other_languages_tell_passwords() {
    tells("Das Passwort lautet {}");
    tells("Kennwort: {}");
    tells("Verwende {} als Passwort");
    tells("le mot de passe est {}");
    tells("utilise {} comme mot de passe");
    tells("la contraseña es {}");
    tells("usa {} como contraseña");
    tells("a senha é {}");
    tells("la password è {}");
    tells("пароль: {}");
    tells("Пароль от базы — {}");
    tells("введи {} в качестве пароля");
    tells("密码是{}");
    tells("请使用 {} 作为密码");
    tells("パスワードは{}です");
    tells("{} をパスワードとして使ってください");
}

#[test]
fn prose_about_passwords_passes() {
    passes("the password is hashed with argon2");
    passes("passwords must be 12 characters");
    passes("password rotation happens quarterly");
    passes("the password field is called passwd");
    passes("the password is case-sensitive and auto-generated");
    passes("Bearer tokens are used");
    passes("use argon2id as the password hash");
    passes("admin / editor / viewer are the roles");
    passes("pass x86_64-unknown-linux-gnu as the target");
    passes("os.environ.get(\"PG_PASSWORD\", \"mem0test\")");
    passes("Das Passwort wird mit argon2 gehasht und nie angezeigt");
    passes("le mot de passe est obligatoire");
    passes("la contraseña es obligatoria");
    passes("пароль хранится в виде хэша argon2");
    passes("密码使用 bcrypt 加密");
    passes("パスワードは argon2 でハッシュ化されます");
}

#[test]
fn random_public_values_pass() {
    let mixed = super::MIXED;
    passes(&format!("iVBORw0KGgo{mixed}{mixed}"));
    passes(&format!("the archive is H4sI{mixed}{mixed}="));
    passes(&format!("PublicKey = {}abc=", mixed));
    passes(&format!("\"kty\":\"EC\",\"x\":\"{mixed}abc\""));
    passes(&format!("spreadsheet id 1{mixed}ab_"));
    passes(&format!("MIIDdzCCAl+gAwIBAgIE{mixed}{mixed}"));
    passes("AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY are documented");
    passes("SWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnM is base64 of a sentence");
}
