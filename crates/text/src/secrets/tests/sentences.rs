//! Sentences that tell a password, and those that only speak of one. A new case is one line.

use super::{passes, refused};

/// Passwords of the kinds that people choose, in pieces.
const CHOSEN: [&[&str]; 8] = [
    &["Falcon.", "717*"],
    &["tokyo-", "293!"],
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
    tells("the admin password stays {} until Friday");
    tells("the new password will be {}");
    tells("my password? {}");
    tells("FTP user upload pass {}");
    tells("its pw = {}");
    tells("the pw for grafana is {}");
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
    tells("la contraseña del servidor sigue siendo {}");
    tells("a senha continua sendo {}");
    tells("la password del server resta {}");
    tells("la parola d’ordine è {}");
    tells("le mot de passe du serveur reste {}");
    tells("кодовая фраза: {}");
    tells("пароль: {}");
    tells("Пароль от базы — {}");
    tells("введи {} в качестве пароля");
    tells("密码是{}");
    tells("请使用 {} 作为密码");
    tells("パスワードは{}です");
    tells("{} をパスワードとして使ってください");
}

/// Where less leads to the value, it has to look like a password.
#[test]
fn loose_sentences_tell_strong_passwords() {
    for password in [
        ["Tr0ub", "4dor&3"],
        ["k8s!", "prod#42"],
        ["Winter", "2024!"],
    ] {
        let password = password.concat();
        for sentence in [
            "enter {} when it asks for the password",
            "type {} at the password prompt",
            "use {} for the password",
            "use admin and {} to log in",
            "the credentials are ana and {}",
            "creds: ana/{}",
            "Log into the router as admin with {}",
        ] {
            refused(&sentence.replace("{}", &password));
        }
    }
}

/// No word for a password stands in these: a login is spoken of, and a pair follows.
#[test]
fn login_sentences_tell_pairs() {
    for password in [["Tr0ub", "4dor&3"], ["Orion-", "430"], ["Winter", "2024!"]] {
        let password = password.concat();
        for sentence in [
            "you can log in with backup/{}",
            "admin panel login (jsmith / {})",
            "Login details - support - {}",
            "sign in as editor:{}",
            "basic auth on staging is maria:{}",
            "login support / {} on the test server",
            "root/{} and deploy are the two logins",
            "default logins: `ana` / `{}`",
            "Die Zugangsdaten sind demo/{}",
            "connecte-toi avec ana/{}",
            "entra con ana/{}",
            "seguem os dados de acesso: ci-bot / {}",
            "заходи под editor/{}",
            "Креды: bot / {}",
            "用 anna.k/{} 登录",
            "user/pass: ana/{}",
        ] {
            refused(&sentence.replace("{}", &password));
        }
    }
}

#[test]
fn login_prose_without_pairs_passes() {
    passes("the login page uses client/server and read/write splits");
    passes("log in with GitHub/OAuth2 or SAML2");
    passes("login is handled in src/auth2.rs (feature/login-2024)");
    passes("the login flow (auth/session2.ts) was rewritten");
    passes("uses: docker/login-action@0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b # v3.1.0");
    passes("uses: azure/login-oidc2@v2.1");
    passes("accounts use origin/main and feature/ABC-123");
    passes("authenticate as service with mTLS1.3");
    passes("the login test (login_spec.rb:42) fails on node:18-alpine");
    passes("Login failed for user/agent Mozilla/5.0");
    passes("login (v2.3.1 / 2024-01-15) works");
    passes("Process.whereis(:\"room:lpdisconnect2\")");
    passes("accounts: alice@example.com / bob2@example.com");
    passes("decrypt files with AES-256-GCM/NoPadding");
}

#[test]
fn words_with_joints_are_passwords() {
    for password in [
        ["Berlin-", "1989-wall"],
        ["Gandalf_", "the_9rey"],
        ["correct-horse-", "battery-9"],
        ["Orion.", "805x"],
    ] {
        tells_one("Passwort: {}", &password.concat());
        tells_one("the password is {}", &password.concat());
        tells_one("la clave es {}", &password.concat());
        tells_one("psw: {}", &password.concat());
        tells_one("{} (admin password)", &password.concat());
        tells_one("use {} when it asks for the passphrase", &password.concat());
        tells_one("пароль {}", &password.concat());
        tells_one("pass for the db? {}", &password.concat());
        tells_one("(postgres, пароль {})", &password.concat());
    }
    passes("the password is hashed with bcrypt-2b");
    passes("password is required in v1.2.3");
    passes("password: see 1password-vault");
    passes("password: app-config-v2");
}

fn tells_one(sentence: &str, password: &str) {
    refused(&sentence.replace("{}", password));
}

#[test]
fn passwords_are_told_in_other_orders() {
    for password in [
        ["Tr0ub", "4dor&3"],
        ["k8s!", "prod#42"],
        ["Winter", "2024!"],
    ] {
        for sentence in [
            "passwords: prod {}, staging later",
            "contraseñas: prod {}",
            "пароли: прод {}, стейдж потом",
            "whats the pw for jenkins again? its {}",
            "das pw vom nas? {}",
            "qual a senha do jenkins? é {}",
            "\"{}\" - that's the admin password",
            "{} <- pw for the backup archive",
            "SSH pass – {}",
            "mdp admin (préprod) : {}",
            "pwd {} user qa",
            "Wifi: GuestNet, key: {}",
            "WLAN-Schlüssel: {}",
            "ПАРОЛЬ ОТ БАЗЫ: {}",
            "mysql -u root -p{}",
            "set redis pass to {}",
        ] {
            tells_one(sentence, &password.concat());
        }
    }
    passes("passwords: min 12 chars, max 128, sha256 hashed");
    passes("pw manager keepass2 is used");
}

#[test]
fn short_passwords_are_told_by_verbs() {
    refused(&["the password is ad", "m1n"].concat());
    refused(&["passcode 48", "2913"].concat());
    passes("the password is step2 of the form");
    passes("password 20240115 is the name of the dump");
}

#[test]
fn prose_about_passwords_passes() {
    passes("password is a SecretStr in pydantic2");
    passes("the password is AUTH-221, see the ticket");
    passes("credentials and sessions2 tables are encrypted");
    passes("admin / superadmin2 roles are merged");
    passes("Das Passwort wird in Keycloak24 verwaltet");
    passes("密码由 Keycloak24 管理");
    passes("Remove updateMasterAdminPassword call in AbstractKeycloakTest");
    passes("Introduce MaxAuthAge Password policy");
    passes("GET /members?briefRepresentation=false, passwords are left out");
    passes("pwd is /srv/app2/current");
    passes("the second pass is O(n2)");
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
    passes("0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe is the contract");
    passes(&format!("ETag: W/\"a9-{}\"", &mixed[..24]));
    passes(&format!("next_page_token: \"{}\"", &mixed[..14]));
    passes(&format!("solana {mixed}abcd"));
    passes(&format!("\"n\":\"{}Qm{mixed}abcd_{mixed}\"", &mixed[..20]));
    passes(
        "https://github.com/go-gitea/gitea/blob/0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b/a.go#L3",
    );
    passes("sk-ssh-ed25519@openssh.com and sk-ecdsa-sha2-nistp256@openssh.com are key types");
    passes("ruchika@li-0551ffcc-341d-11b2-a85c-a28deda416be.acme.com signed it");
    passes("String token = \"eyJhbGciOiJSUz...\";");
    passes("Authorization: Basic cGhvdG96OnNlY3JldA==");
    passes("SWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnM is base64 of a sentence");
}

#[test]
fn public_values_of_protocols_pass() {
    let mixed = super::MIXED;
    passes("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
    passes("sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    passes(&format!("v=DKIM1; k=rsa; p={mixed}{mixed}"));
    passes(&format!("\"k=rsa; p={mixed}\" \"{mixed}\""));
    passes(&format!(
        "[demo](/playground/untitled#H4sIAAAA{mixed}_{mixed}-{mixed})"
    ));
    passes(&format!("x5c: MIIBRjCB+aADAgECAhQ{mixed}{mixed}"));
    passes("sha1(\"password\") = 5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8");
    passes("sk_test_1234567890abcdef is in every manual");
    passes("reCAPTCHA site key 6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI");
    passes(&format!("Message-ID: <{mixed}@mail.acme.org>"));
    passes(&format!("?versionId={mixed}"));
    passes(&format!("Stripe.js takes pk_test_{}", &mixed[..24]));
    super::refused(&format!("nonce=ghp_{}", &mixed[..36]));
    super::refused(&format!("versionId=glpat-{}", &mixed[..20]));
    passes("ftp://anonymous:anonymous@ftp.acme.org/");
}
