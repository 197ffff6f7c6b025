import JOSE
import StrictJSON

/// The claim `jwe_crypto`: how the device wants the response encrypted.
struct JWECryptoParameters {
  let agreementPartyVInfo: PartyVInfo

  static let claimName = "jwe_crypto"

  /// The claim's value.
  var jsonObject: JSONObject {
    [
      "enc": .string(ContentEncryptionAlgorithm.a256gcm.name), "alg": .string(KeyManagementAlgorithm.ecdhES.name),
      "apv": .string(Base64URL.encode(agreementPartyVInfo.octets)),
    ]
  }

  init(agreementPartyVInfo: PartyVInfo) {
    self.agreementPartyVInfo = agreementPartyVInfo
  }

  /// Reads the claim.
  ///
  /// - Parameter isOpaque: whether the party info may be any octets.
  /// - Throws: `ErrorCode.claimMissing`, `ErrorCode.claimInvalid`,
  ///   `ErrorCode.hpkeUnsupported`, `ErrorCode.encryptionUnsupported`, and those of
  ///   ``PartyVInfo``.
  init(claims: MessageMembers, isOpaque: Bool = false) throws(PlatformSSOError) {
    guard let value = claims.object[Self.claimName] else { throw claims.missing(Self.claimName) }
    guard case .object(let object) = value else { throw claims.invalid(Self.claimName) }
    let members = MessageMembers(object)
    try Self.requireSupported(
      keyManagement: try members.string("alg"), contentEncryption: try members.string("enc"))
    let apv = try members.string("apv")
    guard let octets = try? Base64URL.decode(apv) else { throw members.invalid("apv") }
    agreementPartyVInfo = isOpaque ? PartyVInfo(opaque: octets) : try PartyVInfo(parsing: octets)
  }

  /// Requires ECDH-ES and A256GCM, by name.
  static func requireSupported(
    keyManagement: String, contentEncryption: String
  ) throws(PlatformSSOError) {
    guard !keyManagement.utf8.starts(with: "HPKE".utf8) else {
      throw PlatformSSOError(.hpkeUnsupported, "the layout of HPKE in Platform SSO is not documented", name: "alg")
    }
    guard keyManagement.hasSameBytes(as: KeyManagementAlgorithm.ecdhES.name) else {
      throw PlatformSSOError(.encryptionUnsupported, "only ECDH-ES is supported", name: "alg")
    }
    guard contentEncryption.hasSameBytes(as: ContentEncryptionAlgorithm.a256gcm.name) else {
      throw PlatformSSOError(.encryptionUnsupported, "only A256GCM is supported", name: "enc")
    }
  }
}
