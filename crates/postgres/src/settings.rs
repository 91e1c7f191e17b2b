//! An address and the environment, made into what the client library takes.

use std::time::Duration;

use tokio_postgres::{
    Config,
    config::{ChannelBinding, SslMode, TargetSessionAttrs},
};

use crate::{
    environment::{PostgresEnvironment, find_password},
    tls::{TlsMode, choose_tls_mode},
    url::{PostgresUrl, PostgresUrlError, SessionTarget, read_seconds},
};

#[cfg(test)]
mod tests;

const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// After this long without an acknowledgement a connection counts as lost: a server that was switched off says nothing.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(15);
const KEEPALIVE_IDLE: Duration = Duration::from_secs(30);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_RETRIES: u32 = 3;

/// What a connection is made with.
#[derive(Debug, Clone)]
pub struct ConnectSettings {
    /// Hosts, names, password and times; its `Debug` hides the password.
    pub config: Config,
    /// Encryption, in keeping with the `ssl_mode` of `config`.
    pub tls: TlsMode,
}

/// Puts together what a connection needs. Reads the files of passwords and certificates.
pub fn connect_settings(
    url: &PostgresUrl,
    environment: &PostgresEnvironment,
) -> Result<ConnectSettings, PostgresUrlError> {
    let user = url
        .user
        .as_deref()
        .or_else(|| environment.variable("PGUSER"));
    let user = user.ok_or(PostgresUrlError::NoUser)?;
    let tls = choose_tls_mode(url, environment)?;
    let mut config = Config::new();
    config.user(user);
    config.dbname(url.database.as_deref().unwrap_or(user));
    if let Some(password) = find_password(url, user, environment)? {
        config.password(password);
    }
    for host in &url.hosts {
        config.host(&host.name);
        config.port(host.port);
    }
    config.ssl_mode(match tls {
        TlsMode::Off => SslMode::Disable,
        TlsMode::Prefer(_) => SslMode::Prefer,
        TlsMode::Require(_) => SslMode::Require,
    });
    set_times(&mut config, url);
    set_session(&mut config, url);
    Ok(ConnectSettings { config, tls })
}

fn set_times(config: &mut Config, url: &PostgresUrl) {
    let timeout = url.parameter("connect_timeout").and_then(read_seconds);
    config
        .connect_timeout(timeout.unwrap_or(DEFAULT_CONNECT_TIMEOUT))
        .tcp_user_timeout(TCP_USER_TIMEOUT)
        .keepalives(true)
        .keepalives_idle(KEEPALIVE_IDLE)
        .keepalives_interval(KEEPALIVE_INTERVAL)
        .keepalives_retries(KEEPALIVE_RETRIES);
}

fn set_session(config: &mut Config, url: &PostgresUrl) {
    config.application_name(url.parameter("application_name").unwrap_or("apostille"));
    if let Some(options) = url.parameter("options") {
        config.options(options);
    }
    config.target_session_attrs(choose_session_target(url));
    config.channel_binding(match url.parameter("channel_binding") {
        Some("disable") => ChannelBinding::Disable,
        Some("require") => ChannelBinding::Require,
        _ => ChannelBinding::Prefer,
    });
}

/// Of several hosts, one that takes writes: the others are replicas, one of which takes over.
fn choose_session_target(url: &PostgresUrl) -> TargetSessionAttrs {
    let named = url.parameter("target_session_attrs");
    match named.and_then(SessionTarget::from_text) {
        Some(SessionTarget::Any) => TargetSessionAttrs::Any,
        Some(SessionTarget::ReadWrite) => TargetSessionAttrs::ReadWrite,
        Some(SessionTarget::ReadOnly) => TargetSessionAttrs::ReadOnly,
        None if url.hosts.len() > 1 => TargetSessionAttrs::ReadWrite,
        None => TargetSessionAttrs::Any,
    }
}
