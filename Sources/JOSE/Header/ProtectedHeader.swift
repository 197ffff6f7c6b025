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
    guard parameters.count <= limits.headerMemberCount else {
      throw JOSEError(.limitExceeded, "the header has too many members", name: "headerMemberCount")
    }
    self.parameters = parameters
    guard let algorithm = try parameters.string(ifPresent: "alg", orThrow: .headerInvalid) ?? unprotectedAlgorithm
    else {
      throw JOSEError(.headerInvalid, "the parameter is absent", name: "alg")
    }
    self.algorithm = algorithm
    keyID = try parameters.string(ifPresent: "kid", orThrow: .headerInvalid)
    if let keyID, keyID.utf8.count > limits.keyIDByteCount {
      throw JOSEError(.limitExceeded, "the key identifier is too long", name: "keyIDByteCount")
    }
    type = try parameters.string(ifPresent: "typ", orThrow: .headerInvalid)
    contentType = try parameters.string(ifPresent: "cty", orThrow: .headerInvalid)
    critical = try CriticalHeader.check(parameters, understanding: understood, limits: limits)
    if parameters["b64"] != nil, !critical.containsBytes(of: "b64") {
      throw JOSEError(.headerInvalid, "the parameter must be listed as critical (RFC 7797 §6)", name: "b64")
    }
    switch parameters["b64"] {
    case nil, .bool(true): payloadEncoding = .base64url
    case .bool(false): payloadEncoding = .unencoded
    default: throw JOSEError(.headerInvalid, "the parameter is not a boolean", name: "b64")
    }
  }

  /// The same header with the algorithm of one recipient, which stands outside.
  init(_ header: ProtectedHeader, algorithm: String) {
    parameters = header.parameters
    self.algorithm = algorithm
    keyID = header.keyID
    type = header.type
    contentType = header.contentType
    critical = header.critical
    payloadEncoding = header.payloadEncoding
  }

  /// A parameter's value.
  public subscript(_ name: String) -> JSONValue? { parameters[name] }
}
