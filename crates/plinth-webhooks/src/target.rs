//! Where a delivery goes: the parsed URL of a hook, and the addresses of its host.

use std::io;
use std::net::{IpAddr, SocketAddr};

use futures_util::future::BoxFuture;
use http::Uri;
use http::uri::Scheme;
use rustls::pki_types::ServerName;
use url::{Host, Url};

use crate::address::AllowedAddresses;
use crate::error::SendError;

/// Addresses of one name that are tried, one after another.
const ADDRESSES_MAX: usize = 4;

/// Finds the addresses of a name. Tests have their own.
pub trait Resolver: Send + Sync {
    fn resolve<'a>(&'a self, name: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>>;
}

/// The resolver of the operating system.
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        Box::pin(async move { Ok(tokio::net::lookup_host((name, port)).await?.collect()) })
    }
}

/// The URL of a hook, in the parts that a connection and a request need.
///
/// The parser is that of browsers: it accepts every spelling of an address that some library accepts, such as
/// `0x7f.1` or `2130706433`, and normalizes it. So the host is either an address or a name that is none.
#[derive(Debug, Clone)]
pub struct Target {
    pub origin: Origin,
    /// Path and query.
    pub path: Uri,
    /// The value of the header `Host`.
    pub host_header: String,
}

/// What a connection is made to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    pub is_https: bool,
    pub host: Host<String>,
    pub port: u16,
}

impl Target {
    pub fn parse(text: &str) -> Result<Self, SendError> {
        let url = Url::parse(text).map_err(|_| SendError::InvalidUrl("it is not a URL"))?;
        let is_https = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err(SendError::InvalidUrl("its scheme is neither http nor https")),
        };
        // A name and a password in a URL are sent nowhere, and would be shown wherever the URL is.
        if !url.username().is_empty() || url.password().is_some() {
            return Err(SendError::InvalidUrl("it contains a user name or a password"));
        }
        let (Some(host), Some(port)) = (url.host().map(|host| host.to_owned()), url.port_or_known_default()) else {
            return Err(SendError::InvalidUrl("it has no host"));
        };
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let path = format!("{}{query}", url.path()).parse::<Uri>();
        let path = path.map_err(|_| SendError::InvalidUrl("its path cannot be sent"))?;
        let host_header = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_string(),
        };
        Ok(Self { origin: Origin { is_https, host, port }, path, host_header })
    }

    pub fn scheme(&self) -> Scheme {
        if self.origin.is_https { Scheme::HTTPS } else { Scheme::HTTP }
    }
}

impl Origin {
    /// The name that the certificate of the receiver must have.
    pub fn server_name(&self) -> Result<ServerName<'static>, SendError> {
        match &self.host {
            Host::Domain(name) => {
                let name = name.strip_suffix('.').unwrap_or(name).to_owned();
                ServerName::try_from(name).map_err(|_| SendError::InvalidUrl("its host is not a valid name"))
            }
            Host::Ipv4(address) => Ok(ServerName::IpAddress(IpAddr::V4(*address).into())),
            Host::Ipv6(address) => Ok(ServerName::IpAddress(IpAddr::V6(*address).into())),
        }
    }

    /// The addresses to connect to: looked up once and all checked. A name with one forbidden address among others is
    /// rejected as a whole, since nobody who means well has such a name.
    pub async fn addresses(
        &self,
        resolver: &dyn Resolver,
        allowed: &AllowedAddresses,
    ) -> Result<Vec<SocketAddr>, SendError> {
        let mut found = match &self.host {
            Host::Ipv4(address) => vec![SocketAddr::new((*address).into(), self.port)],
            Host::Ipv6(address) => vec![SocketAddr::new((*address).into(), self.port)],
            Host::Domain(name) => resolver.resolve(name, self.port).await.map_err(|_| SendError::UnknownHost)?,
        };
        if found.is_empty() {
            return Err(SendError::UnknownHost);
        }
        if !found.iter().all(|address| allowed.allow(address.ip())) {
            return Err(SendError::ForbiddenAddress);
        }
        found.truncate(ADDRESSES_MAX);
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(Vec<&'static str>);

    impl Resolver for Fixed {
        fn resolve<'a>(&'a self, _: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
            let parse =
                move |text: &&str| SocketAddr::new(text.parse().expect("the test's address is well formed"), port);
            Box::pin(async move { Ok(self.0.iter().map(parse).collect()) })
        }
    }

    async fn addresses(url: &str, resolver: Fixed) -> Result<Vec<SocketAddr>, SendError> {
        Target::parse(url)?.origin.addresses(&resolver, &AllowedAddresses::default()).await
    }

    #[tokio::test]
    async fn every_spelling_of_a_private_address_is_rejected() {
        for url in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://127.0.0.1./",
            "http://2130706433/",
            "http://017700000001/",
            "http://0177.0.0.01/",
            "http://0x7f.0x0.0x0.0x1/",
            "http://0x7f000001/",
            "http://%31%32%37.0.0.1/",
            "http://１２７.0.0.1/",
            "http://①②⑦.⓪.⓪.①/",
            "http://0/",
            "http://[::1]/",
            "http://[::]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[0:0:0:0:0:ffff:7f00:0001]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[fe80::1]/",
            "https://169.254.169.254/latest/meta-data",
            "http:\\\\127.0.0.1/",
            "http:/127.0.0.1/",
            "http:///127.0.0.1/",
            "http://\t127.0.0.1/",
        ] {
            let found = addresses(url, Fixed(vec!["8.8.8.8"])).await;
            assert!(matches!(found, Err(SendError::ForbiddenAddress)), "{url}: {found:?}");
        }
    }

    #[tokio::test]
    async fn name_with_a_private_address_is_rejected_whatever_else_it_has() {
        for private in ["127.0.0.1", "10.0.0.1", "::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "fd00::1"] {
            for name in ["example.com", "localhost", "localhost.", "xn--bcher-kva.example", "bücher.example"] {
                let url = format!("https://{name}/");
                for addresses_of_name in [vec![private], vec!["8.8.8.8", private], vec![private, "8.8.8.8"]] {
                    let found = addresses(&url, Fixed(addresses_of_name)).await;
                    assert!(matches!(found, Err(SendError::ForbiddenAddress)), "{url}: {found:?}");
                }
            }
        }
        let found = addresses("https://example.com:8443/", Fixed(vec!["8.8.8.8"])).await.expect("it is public");
        assert_eq!(found, ["8.8.8.8:8443".parse().expect("an address")]);
        assert!(matches!(addresses("https://example.com/", Fixed(vec![])).await, Err(SendError::UnknownHost)));
    }

    #[test]
    fn target_has_what_a_request_needs() {
        let parse = |url| Target::parse(url).expect("a valid URL");
        let target = parse("https://Bücher.example/a b?c=d#e");
        assert_eq!(target.host_header, "xn--bcher-kva.example");
        assert_eq!((target.path.to_string().as_str(), target.origin.port), ("/a%20b?c=d", 443));
        assert_eq!(parse("http://example.com:8080").host_header, "example.com:8080");
        assert_eq!(parse("http://example.com:80/").host_header, "example.com");
        assert_eq!(parse("http://[2606:4700::1111]:81/").host_header, "[2606:4700::1111]:81");
    }

    #[test]
    fn target_rejects_other_urls() {
        for url in
            ["", "example.com", "ftp://example.com/", "file:///etc/passwd", "http://", "https://a:b@example.com/"]
        {
            assert!(matches!(Target::parse(url), Err(SendError::InvalidUrl(_))), "{url}");
        }
        assert!(matches!(Target::parse("https://a@example.com/"), Err(SendError::InvalidUrl(_))));
    }
}
