import JOSE
import StrictJSON

extension DeviceRegistration {
  /// Signs for these keys with the one that the Mac is registered with, so that the provider gives its name the new
  /// ones. For ``RegistrationFormat/standard`` alone: no product's own format has a member for it.
  ///
  /// - Parameters:
  ///   - key: the registered signing key.
  ///   - nonce: of the provider, fresh.
  /// - Throws: what signing throws.
  public mutating func sign(with key: SigningKey, nonce: String) throws(JOSEError) {
    self.nonce = nonce
    keyProof = try JWT.sign(proofClaims(nonce), with: key, type: Self.proofType)
  }

  /// Whether a registered key has signed for these keys and the registration's nonce.
  func isSigned(with key: RegisteredKey, limits: Limits) -> Bool {
    guard let keyProof, let nonce, let parsed = try? UnverifiedJWS(parsing: keyProof, limits: limits),
      let verified = try? parsed.verified(with: key.verificationKey), let type = verified.header.type,
      MessageType(Self.proofType).matches(type), let claims = try? JSONObject(parsing: verified.payload)
    else { return false }
    return proofClaims(nonce).members.allSatisfy { member in
      guard let expected = member.value.stringValue else { return false }
      return claims[member.name] == .string(expected)
    }
  }

  private static let proofType = "device-registration+jwt"

  private func proofClaims(_ nonce: String) -> JSONObject {
    [
      "nonce": .string(nonce), "signing_key_id": .string(signingKey.keyID.description),
      "encryption_key_id": .string(encryptionKey.keyID.description),
    ]
  }
}
