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
        throw CryptoError(.malformedDER, "a name constraint must be a host name")
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
          throw CryptoError(.malformedDER, "a name constraint must be an e-mail address")
        }
        self = .mailbox(local: local, try Domain(host))
      } else {
        self = .email(try Domain(octets))
      }
    case 0x87:
      let (address, mask) = (Array(octets.prefix(octets.count / 2)), Array(octets.suffix(octets.count / 2)))
      guard octets.count == 8 || octets.count == 32, Self.isPrefix(mask) else {
        throw CryptoError(.malformedDER, "a name constraint must be an IP address with the mask of a prefix")
      }
      self = .ip(address: zip(address, mask).map { $0 & $1 }, mask: mask)
    case 0xA4:
      self = .directory(try X509Name(contents.readWhole(.sequence)))
      try contents.finish()
    default:
      throw CryptoError(.malformedDER, "a name constraint is for an unsupported kind of name")
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

  /// Whether a name is within, certainly.
  func contains(_ name: X509ComparedName) -> Bool {
    switch (self, name) {
    case (.dns(let domain), .dns(let host)): domain.contains(host)
    case (.mailbox(let base, let domain), .mailbox(let local, let host)):
      local == base && domain.containsExactly(host)
    case (.email(let domain), .mailbox(_, let host)), (.uri(let domain), .uri(let host)):
      domain.containsExactly(host)
    case (.ip(let base, let mask), .ip(let address)):
      address.count == base.count && zip(address, mask).map { $0 & $1 } == base
    case (.directory(let base), .directory(let name)): name.isWithin(base)
    default: false
    }
  }

  /// Whether something that a name stands for may be within.
  func overlaps(_ name: X509ComparedName) -> Bool {
    switch (self, name) {
    case (.dns(let domain), .dns(let host)) where host.starts(with: "*.".utf8):
      domain.overlaps(wildcardOf: Array(host.dropFirst(2)))
    // Few hosts tell the letters of a local part apart.
    case (.mailbox(let base, let domain), .mailbox(let local, let host)):
      X509Host.folded(local) == X509Host.folded(base) && domain.containsExactly(host)
    default: contains(name)
    }
  }
}
