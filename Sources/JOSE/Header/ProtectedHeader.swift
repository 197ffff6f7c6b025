import StrictJSON

/// A header that the signature or the authentication tag covers.
///
/// Until a token has been verified, everything in it is the sender's claim: `kid`, `jwk`, `x5c` and the rest choose
/// nothing by themselves.
///
/// Source: RFC 7515 §4, RFC 7516 §4.
public struct ProtectedHeader: Sendable {
  /// What copies of a header share: each costs one reference, however many texts there are.
  private final class Contents: Sendable {
    let parameters: JSONObject
    let algorithm: WireName
    let keyID: WireName?
    let type: String?
    let contentType: String?
    let critical: [WireName]
    let payloadEncoding: JWSPayloadEncoding
    // Asked of every token; many have the same header.
    let statesPayloadEncoding: Bool
    let saysNestedJWT: Bool

    init(
      parameters: JSONObject, algorithm: WireName, keyID: WireName?, type: String?, contentType: String?,
      critical: [WireName], payloadEncoding: JWSPayloadEncoding
    ) {
      statesPayloadEncoding = parameters.contains("b64")
      saysNestedJWT = contentType.map { TypePolicy.isSameMediaType($0, "JWT") } ?? false
      (self.parameters, self.algorithm, self.keyID, self.type) = (parameters, algorithm, keyID, type)
      (self.contentType, self.critical, self.payloadEncoding) = (contentType, critical, payloadEncoding)
    }
  }

  private let contents: Contents

  /// All parameters, in the order read.
  public var parameters: JSONObject { contents.parameters }

  /// `alg`, as written.
  public var algorithm: String { contents.algorithm.text }

  /// `alg`, to be compared with the names of algorithms.
  package var algorithmName: WireName { contents.algorithm }

  /// `kid`: a hint which key was used.
  public var keyID: String? { contents.keyID?.text }

  /// `kid`, to be compared with the names of keys.
  package var keyName: WireName? { contents.keyID }

  /// `typ`: the media type of the whole message.
  public var type: String? { contents.type }

  /// `cty`: the media type of the payload.
  public var contentType: String? { contents.contentType }

  /// `crit`: extensions that must be understood. Empty if absent.
  public var critical: [String] { contents.critical.map(\.text) }

  /// `crit`, to be compared with the extensions that are understood.
  package var criticalNames: [WireName] { contents.critical }

  /// `b64`: how the payload of a JWS enters its signature.
  var payloadEncoding: JWSPayloadEncoding { contents.payloadEncoding }

  /// Whether there is a `b64`, whatever it says.
  var statesPayloadEncoding: Bool { contents.statesPayloadEncoding }

  /// Whether `cty` says that the content is a JWT: by its media type, with or without `application/`, in any case of
  /// ASCII letters.
  var saysNestedJWT: Bool { contents.saysNestedJWT }

  /// Reads a decoded header.
  ///
  /// - Parameter understood: extension names that `crit` may list, or nil to leave that to ``requireUnderstood(_:)``.
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
    guard let algorithm = try parameters.string(ifPresent: "alg", orThrow: .headerInvalid) ?? unprotectedAlgorithm
    else {
      throw JOSEError(.headerInvalid, "the parameter is absent", name: "alg")
    }
    let keyID = try parameters.string(ifPresent: "kid", orThrow: .headerInvalid)
    if let keyID, keyID.utf8.count > limits.keyIDByteCount {
      throw JOSEError(.limitExceeded, "the key identifier is too long", name: "keyIDByteCount")
    }
    let type = try parameters.string(ifPresent: "typ", orThrow: .headerInvalid)
    let contentType = try parameters.string(ifPresent: "cty", orThrow: .headerInvalid)
    let critical = try CriticalHeader.names(parameters, limits: limits)
    if let understood { try CriticalHeader.requireUnderstood(critical, by: understood) }
    if parameters["b64"] != nil, !critical.contains("b64") {
      throw JOSEError(.headerInvalid, "the parameter must be listed as critical (RFC 7797 §6)", name: "b64")
    }
    let payloadEncoding: JWSPayloadEncoding
    switch parameters["b64"] {
    case nil, .bool(true): payloadEncoding = .base64url
    case .bool(false): payloadEncoding = .unencoded
    default: throw JOSEError(.headerInvalid, "the parameter is not a boolean", name: "b64")
    }
    contents = Contents(
      parameters: parameters, algorithm: WireName(algorithm), keyID: keyID.map { WireName($0) }, type: type,
      contentType: contentType, critical: critical, payloadEncoding: payloadEncoding)
  }

  /// The same header with the algorithm of one recipient, which stands outside.
  init(_ header: ProtectedHeader, algorithm: String) {
    contents = Contents(
      parameters: header.parameters, algorithm: WireName(algorithm), keyID: header.keyName, type: header.type,
      contentType: header.contentType, critical: header.criticalNames, payloadEncoding: header.payloadEncoding)
  }

  /// Requires that the caller understands what `crit` names, of a header that was read without asking.
  func requireUnderstood(_ understood: [String]) throws(JOSEError) {
    try CriticalHeader.requireUnderstood(criticalNames, by: understood)
  }

  /// A parameter's value.
  public subscript(_ name: String) -> JSONValue? { parameters[name] }
}
