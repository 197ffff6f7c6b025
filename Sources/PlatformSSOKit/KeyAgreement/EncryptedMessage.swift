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

  /// Checks form and header.
  ///
  /// - Parameters:
  ///   - types: what `typ` may be, if it is there.
  ///   - shortCoordinates: whether an ephemeral key without its leading zeros is taken.
  ///   - acceptsLongVectors: whether the initialization vector may have other than 12 octets.
  /// - Throws: ``PlatformSSOError``, before any key is used.
  init(
    parsing token: String, types: [MessageType], shortCoordinates: ShortCoordinates,
    acceptsLongVectors: Bool = false, limits: Limits
  ) throws(PlatformSSOError) {
    let message = try UnverifiedJWE(parsing: token, limits: limits)
    let header = message.unverifiedHeader
    guard header.critical.isEmpty else {
      throw PlatformSSOError(.criticalHeaderUnsupported, "no extension is understood", name: "crit")
    }
    let parameters = MessageMembers(header.parameters)
    guard header["zip"] == nil else {
      throw PlatformSSOError(.encryptionUnsupported, "compression is not accepted", name: "zip")
    }
    let contentEncryption = try parameters.headerString("enc")
    try JWECryptoParameters.requireSupported(keyManagement: header.algorithm, contentEncryption: contentEncryption)
    if let type = header.type, !types.contains(where: { $0.matches(type) }) {
      throw PlatformSSOError(.typeMismatch, "the message is of another type", name: "typ")
    }
    hasLongVector = message.initializationVector.count > 12
    if hasLongVector, !acceptsLongVectors {
      throw PlatformSSOError(
        .initializationVectorUnsupported, "the initialization vector has more than 12 octets", name: "iv")
    }
    self.message = message
    let epk = try EphemeralKeyMember(header, shortCoordinates: shortCoordinates)
    ephemeralKey = epk.key
    guard let apu = try parameters.headerOctets("apu") else {
      throw PlatformSSOError(.headerInvalid, "the parameter is absent", name: "apu")
    }
    agreementPartyUInfo = apu
    agreementPartyVInfo = try parameters.headerOctets("apv")
    // A sender that shortened a coordinate shortened it in PartyUInfo too.
    try PartyUInfo.check(apu, ephemeralKeyX963Representation: epk.receivedRepresentation)
  }

  /// The protected header.
  var header: ProtectedHeader { message.unverifiedHeader }

  /// Requires that the header's `apv`, if there is one, is the one agreed on.
  func requirePartyVInfo(_ agreed: [UInt8]) throws(PlatformSSOError) {
    if let agreementPartyVInfo, agreementPartyVInfo != agreed {
      throw PlatformSSOError(.partyInfoMismatch, "the party info is not the one that the device sent", name: "apv")
    }
  }
}

extension MessageMembers {
  /// A header parameter that must be there and a string.
  func headerString(_ name: String) throws(PlatformSSOError) -> String {
    guard case .string(let text)? = object[name] else {
      throw PlatformSSOError(.headerInvalid, "the parameter is absent or no string", name: name)
    }
    return text
  }

  /// A header parameter that must be base64url if it is there.
  func headerOctets(_ name: String) throws(PlatformSSOError) -> [UInt8]? {
    guard object[name] != nil else { return nil }
    let text = try headerString(name)
    guard let octets = try? Base64URL.decode(text) else {
      throw PlatformSSOError(.headerInvalid, "the parameter is not base64url", name: name)
    }
    return octets
  }
}
