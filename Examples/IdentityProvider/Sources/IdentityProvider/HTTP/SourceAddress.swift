import Foundation
import NIOCore

/// The source address of a request.
package struct SourceAddress: Sendable {
  /// The address without port, brackets and zone, an IPv4 address within IPv6 as IPv4; empty if the text is no address.
  package let text: String
  /// The network that limits count: the address, or the first 64 bits of an IPv6 address, since one household has all
  /// of those.
  package let network: String
  /// The site: the address, or the first 48 bits of an IPv6 address, which are the most that one customer gets: 65,536
  /// networks.
  package let site: String
  /// The shared budget of a site, as a multiple of one network's.
  static let siteShare = 16

  /// The names that limits count, each with its budget as a multiple of one network's.
  package var counted: [(name: String, share: Int)] {
    site == network ? [(network, 1)] : [(network, 1), (site, Self.siteShare)]
  }

  /// Where the request came from that an endpoint for clients answers, which is made once for all of them.
  @TaskLocal static var ofTokenRequest: SourceAddress = SourceAddress("")

  /// Reads the text from a proxy or a socket.
  package init(_ written: String) {
    var host = written[...]
    while host.first?.isWhitespace == true { host.removeFirst() }
    while host.last?.isWhitespace == true { host.removeLast() }
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
