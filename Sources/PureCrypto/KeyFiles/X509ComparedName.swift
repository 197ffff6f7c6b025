/// What constraints look at in a name, taken out of it once, however many there are.
enum X509ComparedName: Sendable {
  case dns([UInt8])
  case mailbox(local: [UInt8], host: [UInt8])
  /// The host of a URI.
  case uri([UInt8])
  case ip([UInt8])
  case directory(X509Name)

  /// The part that is compared; nil for a name that can't be placed within a subtree.
  init?(_ name: X509GeneralName) {
    switch name {
    case .dns(let host): self = .dns(host)
    case .email(let octets):
      guard let (local, host) = X509Host.mailbox(octets) else { return nil }
      self = .mailbox(local: local, host: host)
    case .uri(let octets):
      guard let host = X509Host.host(ofURI: octets) else { return nil }
      self = .uri(host)
    case .ip(let address): self = .ip(address)
    case .directory(let name): self = .directory(name)
    case .incomparableEmail, .other: return nil
    }
  }

  /// How many octets a comparison may look at.
  var byteCount: Int {
    switch self {
    case .dns(let octets), .uri(let octets), .ip(let octets): octets.count
    case .mailbox(let local, let host): local.count &+ host.count
    case .directory(let name): name.derRepresentation.count
    }
  }
}
