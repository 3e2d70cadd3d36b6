//! Which addresses a webhook may be sent to.
//!
//! Whoever may create a hook chooses where the service connects to. On default settings that is never an address that only
//! this machine or its networks reach: otherwise a hook could talk to other services there, such as a cloud's metadata.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use serde::Deserialize;

/// Addresses that are not public, of the registries of special-purpose addresses (RFC 6890 and its successors).
const PRIVATE_V4: [(Ipv4Addr, u8); 17] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    // Carrier-grade NAT.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local, with the metadata services of most clouds.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    // Public by number, but inside Azure it is the host of the virtual machine.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    // Protocol assignments, and the metadata service of one cloud.
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    // Documentation.
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    // Relays of 6to4.
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    // Benchmarking.
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    // Documentation.
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(233, 252, 0, 0), 24),
    // Multicast.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    // Reserved, and broadcast.
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The only addresses of IPv6 that are public are in here.
const GLOBAL_UNICAST: (Ipv6Addr, u8) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
/// Exceptions from [`GLOBAL_UNICAST`].
const PRIVATE_V6: [(Ipv6Addr, u8); 4] = [
    // Protocol assignments: Teredo, benchmarking, ORCHID.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // Documentation.
    (Ipv6Addr::new(0x2001, 0x0db8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4 contains an address of IPv4 and goes through relays that nobody operates any more.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    // Documentation.
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];
/// The prefix of NAT64, before an address of IPv4. The prefix for local use, `64:ff9b:1::/48`, is not public: where in it
/// the address of IPv4 is depends on the network.
const NAT64: (Ipv6Addr, u8) = (Ipv6Addr::new(0x0064, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Whether everybody on the internet can reach the address.
pub fn is_public(address: IpAddr) -> bool {
    match embedded(address) {
        IpAddr::V4(address) => !PRIVATE_V4.into_iter().any(|network| contains_v4(network, address)),
        IpAddr::V6(address) => {
            contains_v6(GLOBAL_UNICAST, address) && !PRIVATE_V6.into_iter().any(|network| contains_v6(network, address))
        }
    }
}

/// The address that packets go to in the end, for one of IPv6 that contains one of IPv4.
fn embedded(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    if let Some(mapped) = v6.to_ipv4_mapped() {
        return mapped.into();
    }
    if contains_v6(NAT64, v6) {
        let [.., a, b, c, d] = v6.octets();
        return Ipv4Addr::new(a, b, c, d).into();
    }
    address
}

fn contains_v4((network, prefix): (Ipv4Addr, u8), address: Ipv4Addr) -> bool {
    Ipv4Net::new_assert(network, prefix).contains(&address)
}

fn contains_v6((network, prefix): (Ipv6Addr, u8), address: Ipv6Addr) -> bool {
    Ipv6Net::new_assert(network, prefix).contains(&address)
}

/// Addresses that are not public and to which the operator allows webhooks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum PrivateTarget {
    /// `loopback`: this machine.
    Loopback,
    Network(IpNet),
}

impl PrivateTarget {
    fn contains(&self, address: IpAddr) -> bool {
        match self {
            PrivateTarget::Loopback => address.is_loopback(),
            PrivateTarget::Network(network) => network.contains(&address),
        }
    }
}

impl FromStr for PrivateTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "loopback" {
            return Ok(PrivateTarget::Loopback);
        }
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(PrivateTarget::Network(address.to_canonical().into()));
        }
        match text.parse::<IpNet>() {
            Ok(network) if network.addr() == network.network() => Ok(PrivateTarget::Network(network)),
            Ok(network) => Err(format!("{text:?} has bits behind its prefix; did you mean {}?", network.trunc())),
            Err(_) => Err(format!("{text:?} is neither `loopback`, nor an address, nor a network such as 10.0.0.0/8")),
        }
    }
}

impl TryFrom<String> for PrivateTarget {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for PrivateTarget {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrivateTarget::Loopback => out.write_str("loopback"),
            PrivateTarget::Network(network) => network.fmt(out),
        }
    }
}

/// The addresses that the service may connect to.
#[derive(Debug, Clone, Default)]
pub struct AllowedAddresses {
    pub private_targets: Vec<PrivateTarget>,
}

impl AllowedAddresses {
    pub fn allow(&self, address: IpAddr) -> bool {
        let target = embedded(address);
        is_public(target) || self.private_targets.iter().any(|allowed| allowed.contains(target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("the test's address is well formed")
    }

    #[test]
    fn private_addresses_are_not_allowed_by_default() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::8.8.8.8",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::8.8.8.8",
            "100::1",
            "2001::1",
            "2001:0:102:304::1",
            "2001:2::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:808:808::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!AllowedAddresses::default().allow(address(text)), "{text}");
        }
    }

    #[test]
    fn public_addresses_are_allowed() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.1",
            "198.20.0.0",
            "223.255.255.255",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2001:4860:4860::8888",
            "2606:4700:4700::1111",
            "2a00:1450::1",
        ] {
            assert!(AllowedAddresses::default().allow(address(text)), "{text}");
        }
    }

    #[test]
    fn private_target_allows_its_addresses_only_in_every_spelling() {
        let parse = |text: &str| text.parse::<PrivateTarget>().expect("the test's setting is well formed");
        let allowed = AllowedAddresses { private_targets: vec![parse("loopback"), parse("10.1.0.0/16")] };
        for text in ["127.0.0.1", "::1", "10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3", "8.8.8.8"] {
            assert!(allowed.allow(address(text)), "{text}");
        }
        for text in ["10.2.0.1", "169.254.169.254", "fc00::1", "::ffff:10.2.0.1", "0.0.0.0", "::"] {
            assert!(!allowed.allow(address(text)), "{text}");
        }
    }

    #[test]
    fn private_target_rejects_what_selects_other_addresses_than_meant() {
        for (text, message) in [
            ("10.0.0.1/8", "did you mean 10.0.0.0/8?"),
            ("localhost", "is neither `loopback`"),
            ("", "is neither `loopback`"),
        ] {
            let error = text.parse::<PrivateTarget>().expect_err("an invalid setting");
            assert!(error.contains(message), "{error}");
        }
        assert_eq!(
            "192.168.1.7".parse::<PrivateTarget>().map(|target| target.to_string()),
            Ok("192.168.1.7/32".into())
        );
    }
}
