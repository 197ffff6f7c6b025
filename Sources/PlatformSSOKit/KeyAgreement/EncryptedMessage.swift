import JOSE
import PureCrypto
import StrictJSON

/// A compact JWE by ECDH-ES and A256GCM whose header keeps the rules of Platform SSO. It has not been opened.
///
/// Responses of every kind and encrypted embedded assertions are made alike.
struct EncryptedMessage {
  let message: UnverifiedJWE
  /// The ephemeral public key, read by the rules of Platform SSO: leading zeros may have been dropped on the way.
  let ephemeralKey: P256PublicKey
  let agreementPartyUInfo: [UInt8]
  /// The header's `apv`, which a response need not have.
  let agreementPartyVInfo: [UInt8]?
  /// Whether the initialization vector has more than the 12 octets, 16 characters, of A256GCM (RFC 7518 §5.3). A known
  /// server makes 96 of 96 bits.
  let hasLongVector: Bool

  /// Checks form and header, before any key is used.
  ///
  /// - Parameters:
  ///   - types: what `typ` may be, if it is there.
  ///   - acceptsShortCoordinates: whether an ephemeral key without its leading zeros is taken.
  ///   - acceptsLongVectors: whether the initialization vector may have other than 12 octets.
  init(
    parsing token: String, types: [MessageType], acceptsShortCoordinates: Bool = false,
    acceptsLongVectors: Bool = false, limits: Limits
  ) throws(JOSEError) {
    let message = try UnverifiedJWE(parsing: token, limits: limits)
    let header = message.unverifiedHeader
    guard header.critical.isEmpty else {
      throw JOSEError(.criticalHeaderUnsupported, "crit must be absent", name: "crit")
    }
    let parameters = header.parameters
    guard header["zip"] == nil else {
      throw JOSEError(.encryptionUnsupported, "compression is not accepted", name: "zip")
    }
    let contentEncryption = try parameters.string("enc", orThrow: .headerInvalid)
    try JWECryptoParameters.requireSupported(
      keyManagement: header.algorithmName, contentEncryption: WireName(contentEncryption))
    if let type = header.type, !types.contains(where: { $0.matches(type) }) {
      throw JOSEError(.typeMismatch, "the message has an unexpected type", name: "typ")
    }
    hasLongVector = message.initializationVector.count > 12
    if hasLongVector, !acceptsLongVectors {
      throw JOSEError(
        .initializationVectorUnsupported, "the initialization vector has more than 12 octets", name: "iv")
    }
    self.message = message
    let epk = try EphemeralKeyMember(header, acceptsShortCoordinates: acceptsShortCoordinates)
    ephemeralKey = epk.key
    agreementPartyUInfo = try parameters.octets("apu", orThrow: .headerInvalid)
    agreementPartyVInfo = try parameters.octets(ifPresent: "apv", orThrow: .headerInvalid)
    // A sender that shortened a coordinate shortened it in PartyUInfo too.
    try PartyUInfo.check(agreementPartyUInfo, ephemeralKeyX963Representation: epk.receivedRepresentation)
  }

  /// The protected header.
  var header: ProtectedHeader { message.unverifiedHeader }

  /// Requires that the header's `apv`, if there is one, is the one agreed on.
  func requirePartyVInfo(_ agreed: [UInt8]) throws(JOSEError) {
    if let agreementPartyVInfo, agreementPartyVInfo != agreed {
      throw JOSEError(.partyInfoMismatch, "the party info is not the one that the device sent", name: "apv")
    }
  }
}
