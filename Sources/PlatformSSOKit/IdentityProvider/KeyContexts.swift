import JOSE
import PureCrypto

/// Key contexts that carry the unlock key itself, encrypted, so that the provider needs no database for it.
///
/// A device keeps its key context without any protection of its own. So it is
/// `base64url(version ‖ initialization vector ‖ ciphertext ‖ tag)` by AES-256-GCM under a secret of the provider,
/// with user and device as additional data: no other user's context opens.
public struct KeyContexts: Sendable {
  private let cipher: AESGCM

  /// Contexts under a secret.
  ///
  /// - Parameter secret: 32 random octets, the same on all machines of the provider.
  /// - Throws: `ErrorCode.callerMisuse`.
  public init(secret: SecretBytes) throws(JOSEError) {
    guard secret.count == 32, let cipher = try? AESGCM(key: secret) else {
      throw JOSEError(.callerMisuse, "a key context's secret has 32 octets", name: "secret")
    }
    self.cipher = cipher
  }

  /// The context of a user's key on a device. Devices of two tenants may have one name, so the tenant is part of it.
  ///
  /// - Throws: `ErrorCode.storeUnavailable` if the secret has been used as often as it may, 2³² times.
  public func seal(
    _ key: UnlockKey, userName: String, deviceID: String, tenant: String? = nil
  ) throws(JOSEError) -> String {
    let owner = Self.owner(userName, deviceID, tenant)
    let sealed = unsafe key.rawRepresentation.withUnsafeBytes { try? unsafe cipher.seal($0, authenticating: owner) }
    guard let sealed else {
      throw JOSEError(.storeUnavailable, "the secret has reached its limit of uses")
    }
    return Base64URL.encode([Self.version] + sealed.initializationVector + sealed.ciphertext + sealed.authenticationTag)
  }

  /// The key in a context, as the device sent it, that was sealed for this user and device.
  ///
  /// - Throws: `ErrorCode.keyContextInvalid`.
  public func open(
    _ context: String, userName: String, deviceID: String, tenant: String? = nil
  ) throws(JOSEError) -> UnlockKey {
    let invalid = JOSEError(.keyContextInvalid, "the key context must be of this user and device", name: "key_context")
    guard let octets = try? Base64URL.decode(context), octets.count == 1 + 12 + 32 + 16, octets[0] == Self.version,
      let vector = try? AESGCM.InitializationVector(octets[1..<13]),
      var raw = try? cipher.open(
        ciphertext: octets[13..<45], authenticationTag: octets[45...], initializationVector: vector,
        authenticating: Self.owner(userName, deviceID, tenant))
    else { throw invalid }
    let secret = SecretBytes(copying: raw)
    unsafe raw.withUnsafeMutableBytes { unsafe wipe($0) }
    guard let key = try? UnlockKey(rawRepresentation: secret) else { throw invalid }
    return key
  }

  private static func owner(_ userName: String, _ deviceID: String, _ tenant: String?) -> [UInt8] {
    // A fourth field only where there is a tenant: contexts without one keep their form.
    LengthPrefixedFields.encode(
      [Array("platformsso-key-context".utf8), Array(userName.utf8), Array(deviceID.utf8)]
        + (tenant.map { [Array($0.utf8)] } ?? []))
  }

  private static let version: UInt8 = 1
}
