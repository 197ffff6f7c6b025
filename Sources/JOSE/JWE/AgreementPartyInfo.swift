/// PartyUInfo or PartyVInfo of a key agreement: octets that enter the key derivation and usually travel in the header
/// as `apu` or `apv`.
///
/// Source: RFC 7518 §4.6.1.2 and §4.6.1.3.
public struct AgreementPartyInfo: Sendable {
  enum Source: Sendable {
    case octets([UInt8])
    case ephemeralKey(@Sendable ([UInt8]) -> [UInt8])
  }

  let source: Source
  let isInHeader: Bool

  /// No octets, and no header parameter.
  public static let absent = AgreementPartyInfo(source: .octets([]), isInHeader: false)

  /// Octets that both enter the key derivation and are written into the header.
  public static func octets(_ octets: [UInt8]) -> AgreementPartyInfo {
    AgreementPartyInfo(source: .octets(octets), isInHeader: true)
  }

  /// Octets that enter the key derivation only: the receiver knows them already.
  public static func agreed(_ octets: [UInt8]) -> AgreementPartyInfo {
    AgreementPartyInfo(source: .octets(octets), isInHeader: false)
  }

  /// Octets made from the ephemeral public key, given as `04 ‖ X ‖ Y` (65 octets on P-256) or as the 32 octets of
  /// X25519, and written into the header.
  public static func madeFromEphemeralKey(
    _ make: @escaping @Sendable (_ x963Representation: [UInt8]) -> [UInt8]
  ) -> AgreementPartyInfo {
    AgreementPartyInfo(source: .ephemeralKey(make), isInHeader: true)
  }

  /// Whether nothing enters the key derivation and nothing the header.
  var isAbsent: Bool {
    guard case .octets(let octets) = source else { return false }
    return octets.isEmpty && !isInHeader
  }

  func octets(ephemeralKey: [UInt8]) -> [UInt8] {
    switch source {
    case .octets(let octets): octets
    case .ephemeralKey(let make): make(ephemeralKey)
    }
  }
}

/// What the receiver knows of both parties of a key agreement without the header's help.
///
/// A header that lacks the parameter is opened with these octets; a header that has it must agree with them. Nil leaves
/// it to the header.
public struct AgreedParties: Sendable {
  /// PartyUInfo, usually about the sender.
  public var partyUInfo: [UInt8]?
  /// PartyVInfo, usually about the receiver.
  public var partyVInfo: [UInt8]?

  /// Nothing agreed but what is given.
  public init(partyUInfo: [UInt8]? = nil, partyVInfo: [UInt8]? = nil) {
    self.partyUInfo = partyUInfo
    self.partyVInfo = partyVInfo
  }
}
