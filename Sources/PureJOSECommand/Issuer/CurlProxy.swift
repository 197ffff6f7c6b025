import JOSE

/// The proxy that `curl` asks in a server's place, by the variables that it reads.
struct CurlProxy: Equatable {
  /// The variable that names it.
  let variable: String
  /// Its host, and its port where one is given; nil where the value doesn't show them without credentials.
  let address: String?

  /// - Parameters:
  ///   - host: the server's host.
  ///   - environment: what `curl` gets.
  /// - Returns: nil if a request by https goes to the server itself.
  init?(for host: String, environment: [String: String]) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    // In curl's order. A variable without a value counts as absent.
    let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    guard let variable = names.first(where: { value($0) != nil }), let text = value(variable) else { return nil }
    if let exceptions = value("no_proxy") ?? value("NO_PROXY"), Self.isException(host, exceptions) { return nil }
    self.variable = variable
    address = Self.address(in: text)
  }

  /// What an error says of it.
  var text: String { address.map { "the proxy \($0) of \(variable)" } ?? "the proxy of \(variable)" }

  /// Whether a list has the host, or a domain that the host is in. Networks such as 10.0.0.0/8 are read by new
  /// versions of curl only, and not here.
  private static func isException(_ host: String, _ list: String) -> Bool {
    if list == "*" { return true }
    let host = normalized(Array(host.utf8))
    return list.utf8.split(whereSeparator: { [0x20, 0x09, 0x2C].contains($0) }).contains { entry in
      let domain = normalized(Array(entry.first == 0x2E ? entry.dropFirst() : entry))
      return host == domain || host.count > domain.count && host.suffix(domain.count + 1).elementsEqual([0x2E] + domain)
    }
  }

  /// Lowercase, without the dot of the root and the brackets of an IP literal.
  private static func normalized(_ name: [UInt8]) -> [UInt8] {
    var name = name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    if name.last == 0x2E { name.removeLast() }
    if name.first == 0x5B, name.last == 0x5D { name = Array(name.dropFirst().dropLast()) }
    return name
  }

  /// Host and port of a variable's value, in which a password may have characters that no URL allows: what stands
  /// before the last `@` is left out, and anything that is no host and port.
  private static func address(in value: String) -> String? {
    var rest = Array(value.utf8)[...]
    if let at = rest.lastIndex(of: 0x40) {
      rest = rest[(at + 1)...]
    } else if let scheme = rest.firstRange(of: Array("://".utf8)) {
      rest = rest[scheme.upperBound...]
    }
    let address = rest.prefix { $0 != 0x2F }
    // Nothing but a last `/` may follow.
    guard rest.count - address.count <= 1, isHostWithPort(address) else { return nil }
    return String(decoding: address, as: UTF8.self)
  }

  /// Whether octets are a name or an IP literal, with a number behind a colon or without one.
  private static func isHostWithPort(_ octets: ArraySlice<UInt8>) -> Bool {
    func isDigit(_ octet: UInt8) -> Bool { (0x30...0x39).contains(octet) }
    let hostEnd = octets.lastIndex(of: 0x5D).map { $0 + 1 } ?? octets.firstIndex(of: 0x3A) ?? octets.endIndex
    let (host, port) = (octets[..<hostEnd], octets[hostEnd...])
    let isLiteral = host.first == 0x5B && host.last == 0x5D
    return !host.isEmpty
      && (isLiteral ? host.dropFirst().dropLast() : host).allSatisfy { octet in
        isDigit(octet) || (0x41...0x5A).contains(octet & 0xDF) || octet == 0x2D || octet == 0x2E || octet == 0x5F
          || isLiteral && octet == 0x3A
      } && (port.isEmpty || port.first == 0x3A && port.dropFirst().allSatisfy(isDigit))
  }
}
