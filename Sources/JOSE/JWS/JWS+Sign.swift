import PureCrypto
import StrictJSON

extension JWS {
  /// Signs a payload and returns a compact token.
  ///
  /// - Parameters:
  ///   - payload: any octets.
  ///   - key: the sender's. Its algorithm and its name are written as `alg` and `kid`.
  ///   - header: further header parameters. `alg` and `kid` come from the key.
  /// - Throws: ``JOSEErrorCode/callerMisuse`` if `header` would replace a parameter, ``JOSEErrorCode/externalKeyFailed``, and
  ///   ``JOSEErrorCode/keyInvalid`` for an RSA key whose own signatures do not verify.
  public static func sign(
    _ payload: some Collection<UInt8>, with key: SigningKey, header: HeaderParameters = HeaderParameters()
  ) throws(JOSEError) -> String {
    let signingInput = try signingInput(payload, for: key.verificationKey, header: header)
    return compact(signingInput, signature: try key.signature(for: signingInput))
  }

  /// Begins a signature that somebody else will make, perhaps asynchronously: sign ``PreparedJWS/signingInput``, then call
  /// ``PreparedJWS/finish(signature:)``.
  ///
  /// - Parameters:
  ///   - payload: any octets.
  ///   - key: the public key of the signer, with its algorithm. The finished signature is verified with it.
  ///   - header: further header parameters. `alg` and `kid` come from the key.
  /// - Throws: ``JOSEErrorCode/callerMisuse`` if `header` would replace a parameter.
  public static func prepare(
    _ payload: some Collection<UInt8>, for key: VerificationKey, header: HeaderParameters = HeaderParameters()
  ) throws(JOSEError) -> PreparedJWS {
    PreparedJWS(signingInput: try signingInput(payload, for: key, header: header), key: key)
  }

  /// `BASE64URL(header) . BASE64URL(payload)`, as ASCII (RFC 7515 §5.1).
  private static func signingInput(
    _ payload: some Collection<UInt8>, for key: VerificationKey, header: HeaderParameters
  ) throws(JOSEError) -> [UInt8] {
    var parameters: JSONObject = ["alg": .string(key.algorithm.name)]
    try header.append(to: &parameters, keyID: key.keyID)
    let headerBytes = header.rendering?(parameters) ?? parameters.serialized()
    var input: [UInt8] = []
    input.reserveCapacity((headerBytes.count + payload.count) / 3 * 4 + 96)
    Base64URL.append(headerBytes, to: &input)
    input.append(0x2E)
    Base64URL.append(payload, to: &input)
    return input
  }

  static func compact(_ signingInput: [UInt8], signature: [UInt8]) -> String {
    var token = signingInput
    token.append(0x2E)
    Base64URL.append(signature, to: &token)
    return String(decoding: token, as: UTF8.self)
  }
}

/// A JWS that lacks its signature.
public struct PreparedJWS: Sendable {
  /// What to sign: ASCII octets. ES256 signers hash them with SHA-256.
  public let signingInput: [UInt8]

  /// The signer's public key.
  public let key: VerificationKey

  init(signingInput: [UInt8], key: VerificationKey) {
    self.signingInput = signingInput
    self.key = key
  }

  /// The compact token, once the signature verifies.
  ///
  /// - Parameter signature: in JOSE's form: r ‖ s of 32 octets each for ES256, not DER.
  /// - Throws: ``JOSEErrorCode/externalKeyFailed`` if the signature is not one of ``signingInput`` by ``key``.
  public func finish(signature: [UInt8]) throws(JOSEError) -> String {
    try key.requireValid(externalSignature: signature, for: signingInput)
    return JWS.compact(signingInput, signature: signature)
  }
}
