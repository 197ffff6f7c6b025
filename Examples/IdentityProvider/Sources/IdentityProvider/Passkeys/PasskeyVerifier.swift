import JOSE
import PureCrypto

/// Checks the data that browsers send from authenticators. All input comes from outside; this type stores nothing.
///
/// Source: Web Authentication §7.1, §7.2.
struct PasskeyVerifier: Sendable {
  /// `https://login.example.com`.
  let origin: String
  /// The name that keys are for: the origin's host.
  let name: String

  /// - Parameter issuer: an address of http or https.
  init(issuer: String) {
    let parts = issuer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    origin = parts.prefix(3).joined(separator: "/")
    let host = parts.count > 2 ? parts[2] : ""
    let end = host.hasPrefix("[") ? nil : host.lastIndex(of: ":")
    name = String(end.map { host[..<$0] } ?? host)
  }

  /// Checks the browser's data: purpose and origin. Returns the challenge, which the caller must check.
  func challenge(in clientData: [UInt8], for purpose: String) throws(PasskeyRefusal) -> String {
    let limits = JSONLimits(maximumByteCount: 4096, maximumDepth: 8)
    guard let object = try? JSONObject(parsing: clientData, limits: limits), let type = object["type"]?.stringValue,
      let challenge = object["challenge"]?.stringValue, let origin = object["origin"]?.stringValue
    else { throw .malformed }
    guard type.utf8.elementsEqual("webauthn.\(purpose)".utf8), object["crossOrigin"]?.boolValue != true,
      object["topOrigin"] == nil
    else { throw .otherPurpose }
    guard origin.utf8.elementsEqual(self.origin.utf8) else { throw .otherOrigin }
    return challenge
  }

  /// A new key, after user presence and user verification. No attestation is requested, and none is accepted that names
  /// an authenticator's maker. Browsers leave a self attestation in place where the model is unknown: the new key has
  /// signed it, so it says no more than `none`.
  func registration(
    attestationObject: [UInt8], clientData: [UInt8]
  ) throws(PasskeyRefusal) -> (AuthenticatorData, AuthenticatorData.Credential) {
    guard attestationObject.count <= 8192, let object = try? CBORValue(parsing: attestationObject),
      case .text(let format)? = object["fmt"], case .map(let statement)? = object["attStmt"],
      case .octets(let octets)? = object["authData"]
    else { throw .malformed }
    let data = try checked(octets)
    guard let credential = data.credential else { throw .malformed }
    if format == "none", statement.isEmpty { return (data, credential) }
    try checkSelfAttestation(format, statement, signed: octets, clientData, by: credential.key)
    return (data, credential)
  }

  /// Refuses every attestation but one in the format "packed" by the new key itself, whose algorithm is ES256.
  ///
  /// Source: Web Authentication §8.2.
  private func checkSelfAttestation(
    _ format: String, _ statement: [CBORValue: CBORValue], signed octets: [UInt8], _ clientData: [UInt8],
    by key: P256VerificationKey
  ) throws(PasskeyRefusal) {
    // Two members leave no room for `x5c`.
    guard format == "packed", statement.count == 2, statement[.text("alg")] == .integer(-7),
      case .octets(let signature)? = statement[.text("sig")]
    else { throw .attestationPresent }
    try check(signature, of: octets, clientData, by: key)
  }

  /// A login with a registered key.
  func assertion(
    authenticatorData octets: [UInt8], clientData: [UInt8], signature: [UInt8], key: P256VerificationKey
  ) throws(PasskeyRefusal) -> AuthenticatorData {
    let data = try checked(octets)
    try check(signature, of: octets, clientData, by: key)
    return data
  }

  private func check(
    _ signature: [UInt8], of octets: [UInt8], _ clientData: [UInt8], by key: P256VerificationKey
  ) throws(PasskeyRefusal) {
    guard let signature = try? P256Signature(derRepresentation: signature),
      key.isValidSignature(signature, for: octets + Array(SHA2.SHA256.hash(clientData)))
    else { throw .signatureInvalid }
  }

  private func checked(_ octets: [UInt8]) throws(PasskeyRefusal) -> AuthenticatorData {
    let data = try AuthenticatorData(parsing: octets)
    guard data.nameHash.elementsEqual(SHA2.SHA256.hash(name.utf8)) else { throw .otherName }
    guard data.userWasPresent else { throw .userNotPresent }
    guard data.userWasVerified else { throw .userNotVerified }
    guard data.isBackupEligible || !data.isBackedUp else { throw .backupStateImpossible }
    return data
  }
}
