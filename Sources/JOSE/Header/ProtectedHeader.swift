import StrictJSON

/// A header that the signature or the authentication tag covers.
///
/// Until a token has been verified, everything in it is somebody's claim: `kid`, `jwk`, `x5c` and the rest choose nothing by themselves.
/// Source: RFC 7515 §4, RFC 7516 §4.
public struct ProtectedHeader: Sendable {
  /// All parameters, in the order read.
  public let parameters: JSONObject

  /// `alg`, as written.
  public let algorithm: String

  /// `kid`: a hint which key was used.
  public let keyID: String?

  /// `typ`: the media type of the whole message.
  public let type: String?

  /// `cty`: the media type of the payload.
  public let contentType: String?

  /// `crit`: extensions that must be understood. Empty if absent.
  public let critical: [String]

  /// `b64`: how the payload of a JWS enters its signature.
  let payloadEncoding: JWSPayloadEncoding

  /// Reads a decoded header.
  ///
  /// - Parameter understood: extension names that `crit` may list, or nil if nobody is going to act on the message.
  init(
    parsing json: some Collection<UInt8>, understanding understood: [String]?, limits: Limits
  ) throws(JOSEError) {
    try self.init(JSONObject(parsing: json, within: limits.headerJSON), understanding: understood, limits: limits)
  }

  /// - Parameter unprotectedAlgorithm: `alg` from outside the protected header, where a JSON serialization may have it.
  init(
    _ parameters: JSONObject, unprotectedAlgorithm: String? = nil, understanding understood: [String]?, limits: Limits
  ) throws(JOSEError) {
    self.parameters = parameters
    guard let algorithm = try parameters.headerString("alg") ?? unprotectedAlgorithm else {
      throw JOSEError(.headerInvalid, "the parameter is absent", name: "alg")
    }
    self.algorithm = algorithm
    keyID = try parameters.headerString("kid")
    if let keyID, keyID.utf8.count > limits.keyIDByteCount {
      throw JOSEError(.limitExceeded, "the key identifier is too long", name: "keyIDByteCount")
    }
    type = try parameters.headerString("typ")
    contentType = try parameters.headerString("cty")
    critical = try CriticalHeader.check(parameters, understanding: understood, limits: limits)
    if parameters["b64"] != nil, !critical.containsBytes(of: "b64") {
      throw JOSEError(.headerInvalid, "the parameter must be listed as critical (RFC 7797 §6)", name: "b64")
    }
    switch parameters["b64"] {
    case nil, .bool(true): payloadEncoding = .base64url
    case .bool(false): payloadEncoding = .unencoded
    default: throw JOSEError(.headerInvalid, "the parameter is no boolean", name: "b64")
    }
  }

  /// A parameter's value.
  public subscript(_ name: String) -> JSONValue? { parameters[name] }
}

extension JSONObject {
  /// A parameter that must be base64url text if it is present, decoded.
  func headerOctets(_ name: String) throws(JOSEError) -> [UInt8]? {
    guard let text = try headerString(name) else { return nil }
    guard let octets = try? Base64URL.decode(text) else {
      throw JOSEError(.headerInvalid, "the parameter is not base64url", name: name)
    }
    return octets
  }

  func headerString(_ name: String) throws(JOSEError) -> String? {
    guard let value = self[name] else { return nil }
    guard case .string(let string) = value else {
      throw JOSEError(.headerInvalid, "the parameter is no string", name: name)
    }
    return string
  }
}
