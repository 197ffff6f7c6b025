import StrictJSON

/// One signature to be made in a JSON serialization.
public struct JWSSigner: Sendable {
  /// The key.
  public var key: SigningKey
  /// Further protected header parameters.
  public var header: HeaderParameters
  /// Header parameters that travel without protection. They can't repeat a protected one.
  public var unprotectedHeader: JSONObject

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
  /// - Throws: ``JOSEErrorCode/callerMisuse`` for what has no form; otherwise as ``sign(_:with:header:)``.
  public static func signJSON(
    _ payload: [UInt8], with signers: [JWSSigner], serialization: JOSESerialization = .general,
    isDetached: Bool = false, encoding: JWSPayloadEncoding = .base64url
  ) throws(JOSEError) -> String {
    guard !signers.isEmpty, serialization == .general || signers.count == 1 else {
      throw JOSEError(.callerMisuse, "a message needs a signer, and a flattened one has no more", name: "signers")
    }
    var signatures: [JSONObject] = []
    for signer in signers {
      var parameters: JSONObject = ["alg": .string(signer.key.algorithm.name)]
      let isNamedOutside = signer.unprotectedHeader["kid"] != nil
      try signer.header.append(
        to: &parameters, keyID: isNamedOutside ? nil : signer.key.keyID, encoding: encoding)
      try HeaderUnion.requireWritable(signer.unprotectedHeader, beside: parameters)
      var text: [UInt8] = []
      Base64URL.append(parameters.serialized(), to: &text)
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
