/// nameConstraints: what the names of all certificates below an authority must be within, and what they must not.
///
/// Checked are DNS names, IP addresses, e-mail addresses, URIs, and permitted directory names, to the octet. A
/// certificate with a constraint of another kind is refused, since nothing could be said of its names; so is one that
/// excludes directory names, whose spellings are many.
///
/// Source: RFC 5280 §4.2.1.10.
package struct X509NameConstraints: Sendable {
  private let permitted: [X509NameSubtree]
  private let excluded: [X509NameSubtree]

  /// Of all names of a chain with all constraints: far beyond what authorities write, and a millisecond or two.
  package static let maximumComparisonCount = 65_536

  /// SEQUENCE { [0] GeneralSubtrees OPTIONAL, [1] GeneralSubtrees OPTIONAL }, at least one of them, and neither empty.
  init(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var reader = DERReader(bytes)
    var constraints = try reader.read(.sequence)
    try reader.finish()
    let lists = (try constraints.readOptional(.constructed(0)), try constraints.readOptional(.constructed(1)))
    try constraints.finish()
    guard lists.0 != nil || lists.1 != nil else {
      throw CryptoError(.malformedDER, "the constraints permit and exclude nothing")
    }
    permitted = try lists.0.map(Self.subtrees) ?? []
    excluded = try lists.1.map(Self.subtrees) ?? []
    guard !excluded.contains(where: { $0.kind == .directory }) else {
      throw CryptoError(.malformedDER, "excluded directory names are not supported")
    }
  }

  /// GeneralSubtree ::= SEQUENCE { base GeneralName, minimum [0] DEFAULT 0, maximum [1] OPTIONAL }, of which minimum is
  /// always 0 and maximum is always absent.
  private static func subtrees(_ list: DERReader) throws(CryptoError) -> [X509NameSubtree] {
    var list = list
    var subtrees: [X509NameSubtree] = []
    repeat {
      var subtree = try list.read(.sequence)
      subtrees.append(try X509NameSubtree(subtree.readAnyWhole()))
      try subtree.finish()
    } while !list.bytes.isEmpty
    return subtrees
  }

  /// Why a certificate with these names may not stand below the authority; nil if it may.
  ///
  /// - Parameter comparisons: how many more there may be.
  package func refusal(of certificate: X509Profile, comparisons: inout Int) -> StaticString? {
    for name in certificate.constrainedNames {
      guard let kind = X509NameSubtree.Kind(of: name) else { continue }
      let permitted = permitted.lazy.filter { $0.kind == kind }
      let excluded = excluded.lazy.filter { $0.kind == kind }
      comparisons -= self.permitted.count &+ self.excluded.count
      guard comparisons >= 0 else { return "there are too many names and constraints to compare" }
      guard permitted.first != nil || excluded.first != nil else { continue }
      guard X509NameSubtree.isComparable(name) else { return "a name can't be compared with the constraints" }
      guard permitted.first == nil || permitted.contains(where: { $0.contains(name) }) else {
        return "a name is not within what the authority may certify"
      }
      guard !excluded.contains(where: { $0.overlaps(name) }) else {
        return "a name is within what the authority may not certify"
      }
    }
    return nil
  }
}

/// A base of constraints, and all names below it.
enum X509NameSubtree: Sendable {
  enum Kind {
    case dns, email, uri, ip, directory

    /// The kind of constraints that a name is subject to.
    init?(of name: X509GeneralName) {
      switch name {
      case .dns: self = .dns
      case .email, .incomparableEmail: self = .email
      case .uri: self = .uri
      case .ip: self = .ip
      case .directory: self = .directory
      case .other: return nil
      }
    }
  }

  /// Hosts below one, in small letters. All hosts, if it is empty.
  struct Domain: Sendable {
    private let base: [UInt8]
    /// Whether the host itself is outside.
    private let isBelow: Bool

    /// Reads `host` or `.host`.
    init(_ octets: [UInt8]) throws(CryptoError) {
      isBelow = octets.first == UInt8(ascii: ".")
      base = X509Host.folded(isBelow ? octets.dropFirst() : octets[...])
      guard octets.isEmpty || X509Host.isName(base) else {
        throw CryptoError(.malformedDER, "a constraint is not on a host")
      }
    }

    /// Whether a host is the base or below it.
    func contains(_ host: [UInt8]) -> Bool {
      if base.isEmpty { return true }
      return host.count == base.count ? !isBelow && X509Host.folded(host) == base : Self.isBelow(host, base)
    }

    /// Whether a host is the base, or below it where it begins with a dot.
    func containsExactly(_ host: [UInt8]) -> Bool {
      base.isEmpty || (isBelow ? Self.isBelow(host, base) : X509Host.folded(host) == base)
    }

    /// Whether some host below this one is within, or its wildcard is.
    func overlaps(wildcardOf host: [UInt8]) -> Bool {
      contains([0x2A, 0x2E] + host) || X509Host.folded(host) == base || Self.isBelow(base, X509Host.folded(host))
    }

    private static func isBelow(_ host: [UInt8], _ base: [UInt8]) -> Bool {
      host.count > base.count &+ 1 && host[host.count &- base.count &- 1] == UInt8(ascii: ".")
        && X509Host.folded(host.suffix(base.count)) == base
    }
  }

  case dns(Domain)
  case mailbox(local: [UInt8], Domain)
  case email(Domain)
  case uri(Domain)
  case ip(address: [UInt8], mask: [UInt8])
  case directory(X509Name)

  /// Reads a base from its whole GeneralName.
  init(_ element: UnsafeRawBufferPointer) throws(CryptoError) {
    var reader = DERReader(element)
    var contents = try reader.readAny()
    let octets = Array(contents.bytes)
    switch element.first {
    case 0x82: self = .dns(try Domain(octets))
    case 0x86: self = .uri(try Domain(octets))
    case 0x81:
      if octets.contains(UInt8(ascii: "@")) {
        guard let (local, host) = X509Host.mailbox(octets) else {
          throw CryptoError(.malformedDER, "a constraint is not on an e-mail address")
        }
        self = .mailbox(local: local, try Domain(host))
      } else {
        self = .email(try Domain(octets))
      }
    case 0x87:
      let (address, mask) = (Array(octets.prefix(octets.count / 2)), Array(octets.suffix(octets.count / 2)))
      guard octets.count == 8 || octets.count == 32, Self.isPrefix(mask) else {
        throw CryptoError(.malformedDER, "a constraint is not on an IP address and the bits before a prefix")
      }
      self = .ip(address: zip(address, mask).map { $0 & $1 }, mask: mask)
    case 0xA4:
      self = .directory(try X509Name(contents.readWhole(.sequence)))
      try contents.finish()
    default:
      throw CryptoError(.malformedDER, "a constraint is on a kind of name that is not supported")
    }
  }

  /// Whether the bits are ones and then zeros.
  private static func isPrefix(_ mask: [UInt8]) -> Bool {
    var rest = mask.drop { $0 == 0xFF }
    guard let edge = rest.popFirst() else { return true }
    // Ones and then zeros are the complement of a power of two less one.
    return ~edge & (~edge &+ 1) == 0 && rest.allSatisfy { $0 == 0 }
  }

  var kind: Kind {
    switch self {
    case .dns: .dns
    case .mailbox, .email: .email
    case .uri: .uri
    case .ip: .ip
    case .directory: .directory
    }
  }

  /// Whether it can be told of a name what it is within.
  static func isComparable(_ name: X509GeneralName) -> Bool {
    switch name {
    case .incomparableEmail: false
    case .uri(let octets): X509Host.host(ofURI: octets) != nil
    default: true
    }
  }

  /// Whether a name is within, certainly.
  func contains(_ name: X509GeneralName) -> Bool {
    switch (self, name) {
    case (.dns(let domain), .dns(let host)): return domain.contains(host)
    case (.mailbox(let local, let domain), .email(let octets)):
      guard let mailbox = X509Host.mailbox(octets) else { return false }
      return mailbox.local == local && domain.containsExactly(mailbox.host)
    case (.email(let domain), .email(let octets)):
      return X509Host.mailbox(octets).map { domain.containsExactly($0.host) } ?? false
    case (.uri(let domain), .uri(let octets)):
      return X509Host.host(ofURI: octets).map(domain.containsExactly) ?? false
    case (.ip(let base, let mask), .ip(let address)):
      return address.count == base.count && zip(address, mask).map { $0 & $1 } == base
    case (.directory(let base), .directory(let name)): return name.isWithin(base)
    default: return false
    }
  }

  /// Whether something that a name stands for may be within.
  func overlaps(_ name: X509GeneralName) -> Bool {
    switch (self, name) {
    case (.dns(let domain), .dns(let host)) where host.starts(with: "*.".utf8):
      return domain.overlaps(wildcardOf: Array(host.dropFirst(2)))
    // Few hosts tell the letters of a local part apart.
    case (.mailbox(let local, let domain), .email(let octets)):
      guard let mailbox = X509Host.mailbox(octets) else { return true }
      return X509Host.folded(mailbox.local) == X509Host.folded(local) && domain.containsExactly(mailbox.host)
    default: return contains(name)
    }
  }
}
