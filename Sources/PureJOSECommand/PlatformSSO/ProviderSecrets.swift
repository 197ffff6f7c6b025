import JOSE
import PlatformSSOKit
import PureCrypto

/// The secrets of a provider that keeps no state: one secret for each task, all from the one in the configuration file.
struct ProviderSecrets: Sendable {
  private let secret: SecretBytes

  /// The secrets that follow from a symmetric key; nil if it is another key or shorter than 32 octets.
  init?(_ key: JWK) {
    guard key.keyType == .oct,
      let text = (try? JSONObject(parsing: key.serializedWithPrivateKey()))?["k"]?.stringValue,
      let octets = try? Base64URL.decode(text), octets.count >= 32
    else { return nil }
    secret = SecretBytes(copying: octets)
  }

  /// For ``ServerNonces``.
  var serverNonces: SecretBytes { derived("server-nonces") }

  /// For ``KeyContexts``.
  var keyContexts: SecretBytes { derived("key-contexts") }

  /// A user's unlock key on a device: always the same one, since a new one would orphan what the device has wrapped.
  /// Devices of two tenants may have one name. Without a tenant the key is the one of files that have none.
  ///
  /// - Throws: `JOSEError`, with probability 2⁻³², if the octets are not a scalar.
  func unlockKey(userName: String, device: RegisteredDevice) throws(JOSEError) -> UnlockKey {
    try UnlockKey(rawRepresentation: derived("unlock-key", [userName, device.id] + [device.tenant].compactMap { $0 }))
  }

  /// A refresh token that holds, encrypted, to whom it was given: a provider with the secret recognizes it without a
  /// database.
  func refreshToken(userName: String, device: RegisteredDevice, expiration: NumericDate) -> String? {
    var grant: JSONObject = [
      "user": .string(userName), "device": .string(device.id),
      "exp": .number(JSONNumber(expiration.wholeSeconds)),
    ]
    if let tenant = device.tenant { grant["tenant"] = .string(tenant) }
    guard let cipher = try? AESGCM(key: derived("refresh-tokens")),
      let box = try? cipher.seal(grant.serialized(), authenticating: [])
    else { return nil }
    return Base64URL.encode(box.initializationVector + box.ciphertext + box.authenticationTag)
  }

  /// To whom a refresh token was given, or nil if it was not made with this secret, or for a device of another tenant.
  func grant(
    _ refreshToken: String, tenant: String?
  ) -> (userName: String, deviceID: String, expiration: NumericDate)? {
    guard let octets = try? Base64URL.decode(refreshToken), octets.count > 28,
      let cipher = try? AESGCM(key: derived("refresh-tokens")),
      let vector = try? AESGCM.InitializationVector(octets[..<12]),
      let opened = try? cipher.open(
        ciphertext: octets[12..<(octets.count - 16)], authenticationTag: octets[(octets.count - 16)...],
        initializationVector: vector, authenticating: []),
      let grant = try? JSONObject(parsing: opened), let userName = grant["user"]?.stringValue,
      let deviceID = grant["device"]?.stringValue, let expiration = grant["exp"]?.int64Value,
      grant["tenant"] == tenant.map({ .string($0) })
    else { return nil }
    return (userName, deviceID, NumericDate(Int(expiration)))
  }

  /// A user's code as the browser brings it to a device: the file's own, and for a tenant's device one that no other
  /// tenant takes.
  func code(_ code: String, tenant: String?) -> String {
    guard let tenant else { return code }
    let mark = unsafe derived("code", [code, tenant]).withUnsafeBytes { unsafe Array($0.prefix(16)) }
    return "\(code).\(Base64URL.encode(mark))"
  }

  /// HMAC-SHA-256 of a task's name and its particulars, each behind its length.
  private func derived(_ task: String, _ particulars: [String] = []) -> SecretBytes {
    var input: [UInt8] = []
    for part in [task] + particulars {
      input += Array("\(part.utf8.count):".utf8) + Array(part.utf8)
    }
    return SecretBytes(copying: HMACSHA256.authenticate(input, anyKey: secret))
  }
}
