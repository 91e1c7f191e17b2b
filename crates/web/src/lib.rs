//! An HTTP client that is bounded in time, size and redirects. A leaf: it knows no memory.
//!
//! ```
//! use apostille_web::client::address::Address;
//!
//! let address = Address::parse("https://api.example.com/v3")?;
//! assert_eq!(address.join_path("/repos"), "https://api.example.com/v3/repos");
//! assert!(address.is_private(), "a token may be sent there");
//!
//! // A redirect to another host would carry the token away.
//! assert_eq!(address.follow_redirect("https://evil.example/repos"), None);
//! assert!(Address::parse("https://user:word@api.example.com").is_err());
//! # Ok::<(), apostille_web::client::address::BadAddress>(())
//! ```
//!
//! How the pieces fit: [`client::address`] says what may be asked, [`client::build_http_agent`] makes the agent with its
//! timeout, proxy and certificates, and [`client::read_body_beginning`] reads no more than it is told to. GitHub and the
//! models are asked through it. The feature `test-server` has a scripted server on loopback.

pub mod client;
