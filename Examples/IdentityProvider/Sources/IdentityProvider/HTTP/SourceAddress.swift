import Foundation
import NIOCore

/// Where a request came from.
package struct SourceAddress: Sendable {
  /// The address without port, brackets and zone, an IPv4 address within IPv6 as IPv4; empty for what is no address.
  package let text: String
  /// What limits count: the address; of IPv6 the first 64 bits, since one household has all addresses with them.
  package let network: String
  /// Of IPv6 the first 48 bits, which are the most that one customer is given, with 65,536 networks; otherwise the
  /// address.
  package let site: String
  /// How many times the budget of one network all networks of a site have together.
  static let siteShare = 16

  /// What limits count, each with how many times the budget of one network it has.
  package var counted: [(name: String, share: Int)] {
    site == network ? [(network, 1)] : [(network, 1), (site, Self.siteShare)]
  }

  /// Where the request came from that the token endpoint answers, which is made once for all of them.
  @TaskLocal static var ofTokenRequest: SourceAddress = SourceAddress("")

  /// Reads what a proxy or a socket says.
  package init(_ written: String) {
    var host = written.trimmingCharacters(in: .whitespaces)[...]
    if host.first == "[" {
      host = host.dropFirst().prefix { $0 != "]" }
    } else if host.split(separator: ":", omittingEmptySubsequences: false).count == 2 {
      host = host.prefix { $0 != ":" }
    }
    let address = try? SocketAddress(ipAddress: String(host.prefix { $0 != "%" }), port: 0)
    var octets: [UInt8] = []
    if case .v6(let six)? = address { octets = withUnsafeBytes(of: six.address.sin6_addr) { Array($0) } }
    let isFour = octets.prefix(12).elementsEqual([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
    text = isFour ? octets.suffix(4).map { "\($0)" }.joined(separator: ".") : address?.ipAddress ?? ""
    let isSix = !octets.isEmpty && !isFour
    network = isSix ? Self.prefix(of: octets, octetCount: 8) : text
    site = isSix ? Self.prefix(of: octets, octetCount: 6) : text
  }

  private static func prefix(of octets: [UInt8], octetCount: Int) -> String {
    octets.prefix(octetCount).map { String($0, radix: 16) }.joined(separator: ":") + "/\(octetCount * 8)"
  }
}
