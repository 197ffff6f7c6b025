import Foundation

/// Hosts within the operator's own networks, which a client must not make the provider ask: this machine, its links,
/// private ranges, and addresses that are no single machine's.
///
/// Source: RFC 6890 §2.2.
enum PrivateAddress {
  /// Whether a host is private by its text alone. The address of a name is checked when a request is sent.
  static func contains(_ host: String) -> Bool {
    let name = host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]."))
    if name.isEmpty || name == "localhost" || name.hasSuffix(".localhost") { return true }
    // Reads all forms that a resolver takes, such as 127.1 and 0x7f000001.
    var (four, six) = (in_addr(), in6_addr())
    if inet_aton(name, &four) != 0 { return isPrivate(withUnsafeBytes(of: four) { Array($0) }) }
    guard inet_pton(AF_INET6, name, &six) == 1 else { return false }
    let octets = withUnsafeBytes(of: six) { Array($0) }
    // An address of IPv4, as it is, or for a translator (RFC 6052 §2.1, RFC 3056 §2).
    for prefix: [UInt8] in [
      [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF], [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], [0x20, 0x02],
    ]
    where octets.starts(with: prefix) {
      return isPrivate(Array(octets[prefix.count..<prefix.count + 4]))
    }
    // All public addresses are in 2000::/3, but not in 2001::/23, which holds tunnels such as Teredo (RFC 4380), nor in
    // 2001:db8::/32, which is for documentation (RFC 3849).
    return octets[0] & 0xE0 != 0x20 || octets.starts(with: [0x20, 0x01]) && octets[2] < 2
      || octets.starts(with: [0x20, 0x01, 0x0D, 0xB8])
  }

  private static func isPrivate(_ octets: [UInt8]) -> Bool {
    switch (octets[0], octets[1], octets[2]) {
    case (0, _, _), (10, _, _), (127, _, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (192, 0, 0),
      (198, 18...19, _), (100, 64...127, _), (224..., _, _),
      // For documentation (RFC 5737).
      (192, 0, 2), (198, 51, 100), (203, 0, 113):
      true
    default: false
    }
  }
}
