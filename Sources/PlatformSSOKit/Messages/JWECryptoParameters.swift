import JOSE
import StrictJSON

/// The claim `jwe_crypto`: how the device wants the response encrypted.
enum JWECryptoParameters {
  static let claimName = "jwe_crypto"

  /// The claim's value.
  static func value(_ agreementPartyVInfo: PartyVInfo) -> JSONValue {
    [
      "enc": .string(ContentEncryptionAlgorithm.a256gcm.name), "alg": .string(KeyManagementAlgorithm.ecdhES.name),
      "apv": .string(Base64URL.encode(agreementPartyVInfo.octets)),
    ]
  }

  /// The party info in the claim's value, or any octets if it may be opaque.
  static func partyVInfo(_ claims: MessageMembers, isOpaque: Bool = false) throws(JOSEError) -> PartyVInfo {
    guard let value = claims.object[claimName] else { throw claims.missing(claimName) }
    guard case .object(let object) = value else { throw claims.invalid(claimName) }
    let members = MessageMembers(object)
    try requireSupported(
      keyManagement: WireName(try members.string("alg")), contentEncryption: WireName(try members.string("enc")))
    let apv = try members.string("apv")
    guard let octets = try? Base64URL.decode(apv) else { throw members.invalid("apv") }
    return isOpaque ? PartyVInfo(opaque: octets) : try PartyVInfo(parsing: octets)
  }

  /// Requires ECDH-ES and A256GCM, by name.
  static func requireSupported(
    keyManagement: WireName, contentEncryption: WireName
  ) throws(JOSEError) {
    guard !keyManagement.text.utf8.starts(with: "HPKE".utf8) else {
      throw JOSEError(.hpkeUnsupported, "the layout of HPKE in Platform SSO is not documented", name: "alg")
    }
    guard keyManagement == KeyManagementAlgorithm.ecdhES.name else {
      throw JOSEError(.encryptionUnsupported, "only ECDH-ES is supported", name: "alg")
    }
    guard contentEncryption == ContentEncryptionAlgorithm.a256gcm.name else {
      throw JOSEError(.encryptionUnsupported, "only A256GCM is supported", name: "enc")
    }
  }
}
