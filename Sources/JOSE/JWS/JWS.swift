import PureCrypto
import StrictJSON

/// JSON Web Signature in compact serialization.
///
/// - ``sign(_:with:header:)`` makes a token, ``verify(_:with:understanding:limits:)-(String,VerificationKey,_,_)``
///   checks one.
/// - ``prepare(_:for:header:)`` serves a signer that answers later.
///
/// Source: RFC 7515.
public enum JWS {}

extension JWS {
  /// Signs a payload and returns a compact token.
  ///
  /// - Parameters:
  ///   - payload: any octets.
  ///   - key: the sender's. Its algorithm and its name are written as `alg` and `kid`.
  ///   - header: further header parameters. `alg` and `kid` come from the key.
  /// - Throws: ``ErrorCode/callerMisuse`` if `header` would replace a parameter,
  ///   ``ErrorCode/externalKeyFailed``, and ``ErrorCode/keyInvalid`` for an RSA key whose own signatures do not
  ///   verify.
  public static func sign(
    _ payload: some Collection<UInt8>, with key: SigningKey, header: HeaderParameters = HeaderParameters()
  ) throws(JOSEError) -> String {
    if case .hmac(let secret) = key.material {
      let headerText = try text(of: header, for: key.verificationKey)
      return unsafe headerText.withUnsafeBytes { headerText in
        unsafe withInlinedContiguousBytes(payload) { payload in
          unsafe compact(
            headerCount: Base64URL.characterCount(headerText.count), payload: payload, secret, key.algorithm
          ) {
            _ = unsafe Base64URL.encode(headerText, into: $0)
          }
        }
      }
    }
    let signingInput = try signingInput(payload, for: key.verificationKey, header: header)
    return compact(signingInput, signature: try key.signature(for: signingInput))
  }

  /// Signs a payload under a header that is encoded already, and that names key and algorithm.
  static func sign(_ payload: [UInt8], with key: SigningKey, encodedHeader header: [UInt8]) throws(JOSEError) -> String
  {
    if case .hmac(let secret) = key.material {
      return unsafe payload.withUnsafeBytes { payload in
        unsafe compact(headerCount: header.count, payload: payload, secret, key.algorithm) {
          _ = unsafe $0.update(fromContentsOf: header)
        }
      }
    }
    let signingInput = signingInput(payload, encodedHeader: header)
    return compact(signingInput, signature: try key.signature(for: signingInput))
  }

  /// A whole token, made in its place: an authentication code takes less time than an array of the signing input.
  ///
  /// - Parameter writeHeader: writes the encoded header, of `headerCount` characters.
  @inline(__always)
  private static func compact(
    headerCount: Int, payload: UnsafeRawBufferPointer, _ secret: HMACSecret, _ algorithm: SignatureAlgorithm,
    writeHeader: (UnsafeMutableBufferPointer<UInt8>) -> Void
  ) -> String {
    let inputCount = headerCount + 1 + Base64URL.characterCount(payload.count)
    let codeCount = Base64URL.characterCount(algorithm.row.signatureByteCount ?? 0)
    // Each part gets as many characters as have been counted for it: header, dot, payload, dot, code.
    return unsafe String(unsafeUninitializedCapacity: inputCount + 1 + codeCount) { token in
      unsafe writeHeader(UnsafeMutableBufferPointer(rebasing: token[..<headerCount]))
      var rest = unsafe UnsafeMutableBufferPointer(rebasing: token[headerCount...])
      unsafe rest[0] = 0x2E
      unsafe rest = Base64URL.encode(payload, into: UnsafeMutableBufferPointer(rebasing: rest[1...]))
      unsafe rest[0] = 0x2E
      unsafe secret.withAuthenticationCode(
        for: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(token)[..<inputCount])
      ) {
        _ = unsafe Base64URL.encode($0, into: UnsafeMutableBufferPointer(rebasing: rest[1...]))
      }
      return inputCount + 1 + codeCount
    }
  }

  /// Begins a signature that is made elsewhere, perhaps asynchronously: sign ``PreparedJWS/signingInput``, then call
  /// ``PreparedJWS/finish(signature:)``.
  ///
  /// - Parameters:
  ///   - payload: any octets.
  ///   - key: the public key of the signer, with its algorithm. The finished signature is verified with it.
  ///   - header: further header parameters. `alg` and `kid` come from the key.
  /// - Throws: ``ErrorCode/callerMisuse`` if `header` would replace a parameter.
  public static func prepare(
    _ payload: some Collection<UInt8>, for key: VerificationKey, header: HeaderParameters = HeaderParameters()
  ) throws(JOSEError) -> PreparedJWS {
    PreparedJWS(signingInput: try signingInput(payload, for: key, header: header), key: key)
  }

  /// `BASE64URL(header) . BASE64URL(payload)`, as ASCII (RFC 7515 §5.1).
  private static func signingInput(
    _ payload: some Collection<UInt8>, for key: VerificationKey, header: HeaderParameters
  ) throws(JOSEError) -> [UInt8] {
    var headerText: [UInt8] = []
    Base64URL.append(try text(of: header, for: key), to: &headerText)
    return signingInput(payload, encodedHeader: headerText)
  }

  private static func signingInput(_ payload: some Collection<UInt8>, encodedHeader header: [UInt8]) -> [UInt8] {
    var input: [UInt8] = []
    input.reserveCapacity(header.count + 1 + Base64URL.characterCount(payload.count))
    input += header
    input.append(0x2E)
    Base64URL.append(payload, to: &input)
    return input
  }

  /// The protected header as it is signed.
  private static func text(of header: HeaderParameters, for key: VerificationKey) throws(JOSEError) -> [UInt8] {
    if let text = header.plainText(algorithm: key.algorithm.name, keyID: key.keyID) { return text }
    var parameters: JSONObject = ["alg": .string(key.algorithm.name)]
    try header.append(to: &parameters, keyID: key.keyID)
    let text = try parameters.protectedHeaderText()
    return header.rendering?(parameters) ?? text
  }

  static func compact(_ signingInput: [UInt8], signature: [UInt8]) -> String {
    let count = signingInput.count + 1 + Base64URL.characterCount(signature.count)
    // The capacity is the sum of the three parts.
    return unsafe String(unsafeUninitializedCapacity: count) { token in
      _ = unsafe token.update(fromContentsOf: signingInput)
      unsafe token[signingInput.count] = 0x2E
      unsafe signature.withUnsafeBytes {
        _ = unsafe Base64URL.encode($0, into: UnsafeMutableBufferPointer(rebasing: token[(signingInput.count + 1)...]))
      }
      return count
    }
  }
}

/// A JWS that lacks its signature.
public struct PreparedJWS: Sendable {
  /// What to sign: ASCII octets. ES256 signers hash them with SHA-256.
  public let signingInput: [UInt8]

  /// The signer's public key.
  package let key: VerificationKey

  init(signingInput: [UInt8], key: VerificationKey) {
    self.signingInput = signingInput
    self.key = key
  }

  /// The compact token, once the signature verifies.
  ///
  /// - Parameter signature: in JOSE's form: r ‖ s of 32 octets each for ES256, not DER.
  /// - Throws: ``ErrorCode/externalKeyFailed`` if the signature is not one of ``signingInput`` by the key.
  public func finish(signature: [UInt8]) throws(JOSEError) -> String {
    try key.requireValid(externalSignature: signature, for: signingInput)
    return JWS.compact(signingInput, signature: signature)
  }
}

/// One signature to be made in a JSON serialization.
public struct JWSSigner: Sendable {
  /// The key that signs, with its algorithm.
  package var key: SigningKey
  /// Further protected header parameters.
  package var header: HeaderParameters
  /// Header parameters that travel without protection. They can't repeat a protected one.
  package var unprotectedHeader: JSONObject

  /// A signer with these headers.
  public init(key: SigningKey, header: HeaderParameters = HeaderParameters(), unprotectedHeader: JSONObject = [:]) {
    self.key = key
    self.header = header
    self.unprotectedHeader = unprotectedHeader
  }
}

extension JWS {
  /// Signs a payload by one or several keys and returns a JSON text.
  ///
  /// - Parameters:
  ///   - payload: any octets, the same for all signers.
  ///   - signers: one or more. Their signatures stand in the message in this order.
  ///   - serialization: ``JOSESerialization/flattened`` takes exactly one signer.
  ///   - isDetached: whether the payload travels by another way.
  ///   - encoding: how the payload enters the signatures. Unencoded and not detached, it must be UTF-8 text.
  /// - Throws: ``ErrorCode/callerMisuse`` for what has no form; otherwise as ``sign(_:with:header:)``.
  public static func signJSON(
    _ payload: [UInt8], with signers: [JWSSigner], serialization: JOSESerialization = .general,
    isDetached: Bool = false, encoding: JWSPayloadEncoding = .base64url
  ) throws(JOSEError) -> String {
    guard !signers.isEmpty, serialization == .general || signers.count == 1 else {
      throw JOSEError(.callerMisuse, "a message needs at least one signer, a flattened one no more", name: "signers")
    }
    guard signers.count <= Limits.default.signatureCount else {
      throw JOSEError.notReadable("a message has more signatures than are read", "signatureCount")
    }
    var signatures: [JSONObject] = []
    var budget = HeaderBudget(.default)
    for signer in signers {
      var parameters: JSONObject = ["alg": .string(signer.key.algorithm.name)]
      let isNamedOutside = signer.unprotectedHeader["kid"] != nil
      try signer.header.append(
        to: &parameters, keyID: isNamedOutside ? nil : signer.key.keyID, encoding: encoding)
      try HeaderUnion.requireWritable(signer.unprotectedHeader, beside: parameters)
      let header = parameters.serialized()
      try budget.write(header, memberCount: parameters.count)
      try budget.write(unprotected: signer.unprotectedHeader)
      var text: [UInt8] = []
      Base64URL.append(header, to: &text)
      let signature = try signer.key.signature(for: signingInput(header: text, payload: payload, encoding: encoding))
      var object: JSONObject = ["protected": .string(String(decoding: text, as: UTF8.self))]
      if !signer.unprotectedHeader.members.isEmpty { object["header"] = .object(signer.unprotectedHeader) }
      object["signature"] = .string(Base64URL.encode(signature))
      signatures.append(object)
    }
    var message: JSONObject = [:]
    if !isDetached { message["payload"] = .string(try payloadText(payload, encoding: encoding)) }
    switch serialization {
    case .flattened: for (name, value) in signatures[0].members { message[name] = value }
    case .general: message["signatures"] = .array(signatures.map { .object($0) })
    }
    return String(decoding: message.serialized(), as: UTF8.self)
  }

  private static func payloadText(_ payload: [UInt8], encoding: JWSPayloadEncoding) throws(JOSEError) -> String {
    guard encoding == .unencoded else { return Base64URL.encode(payload) }
    guard let text = String(validating: payload, as: UTF8.self) else {
      throw JOSEError(.callerMisuse, "an unencoded payload that is not detached must be text", name: "payload")
    }
    return text
  }
}
