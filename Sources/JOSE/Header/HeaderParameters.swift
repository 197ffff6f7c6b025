import StrictJSON

/// What a sender writes into a protected header beside the parameters that follow from key and algorithm.
public struct HeaderParameters: Sendable {
  /// The type of the whole token (`typ`), such as `at+jwt`.
  public var type: String?
  /// The type of what is inside (`cty`): `JWT` for a nested token.
  public var contentType: String?
  /// `kid`. The key's own name if nil.
  public var keyID: String?
  /// `x5c`: certificates in DER, the sender's first.
  public var certificates: [[UInt8]]
  /// Further parameters, written last. They can't replace the others.
  public var additional: JSONObject
  /// Names of further parameters that the receiver must understand, written as `crit`.
  public var critical: [String]
  /// How the finished header becomes text, for protocols whose senders write their own way. Compact in this order if
  /// nil.
  package var rendering: (@Sendable (JSONObject) -> [UInt8])?

  /// No parameters but those given.
  public init(
    type: String? = nil, contentType: String? = nil, keyID: String? = nil, certificates: [[UInt8]] = [],
    additional: JSONObject = [:], critical: [String] = []
  ) {
    (self.type, self.contentType, self.keyID, self.certificates) = (type, contentType, keyID, certificates)
    (self.additional, self.critical) = (additional, critical)
  }

  /// Whether there is no parameter.
  var isEmpty: Bool {
    type == nil && contentType == nil && keyID == nil && certificates.isEmpty && additional.isEmpty && critical.isEmpty
      && rendering == nil
  }

  /// Adds these parameters to `header`, which holds those of key and algorithm.
  ///
  /// - Throws: ``ErrorCode/callerMisuse`` if an additional parameter is there already or belongs to the base
  ///   specifications, or if a critical name is not one of the additional parameters; ``ErrorCode/limitExceeded`` for
  ///   what the default ``Limits`` don't read.
  func append(
    to header: inout JSONObject, keyID defaultKeyID: String?, encoding: JWSPayloadEncoding = .base64url
  ) throws(JOSEError) {
    if encoding == .unencoded { header["b64"] = .bool(false) }
    if let type { header["typ"] = .string(type) }
    if let contentType { header["cty"] = .string(contentType) }
    if let keyID = keyID ?? defaultKeyID {
      try Self.requireReadable(keyID: keyID)
      header["kid"] = .string(keyID)
    }
    if !certificates.isEmpty { header["x5c"] = .array(certificates.map { .string(Base64.encode($0)) }) }
    for name in critical {
      guard additional[name] != nil, !CriticalHeader.registeredNames.contains(name) else {
        throw JOSEError(.callerMisuse, "a critical parameter must be one of the additional ones", name: "crit")
      }
    }
    let critical = (encoding == .unencoded ? ["b64"] : []) + critical
    guard critical.count <= Limits.default.criticalCount else {
      throw JOSEError.notReadable("a header has more critical parameters than are read", "criticalCount")
    }
    guard certificates.count <= Limits.default.certificateCount else {
      throw JOSEError.notReadable("a header has more certificates than are read", "certificateCount")
    }
    if !critical.isEmpty { header["crit"] = .array(critical.map { .string($0) }) }
    try Self.requireReadable(additional)
    for (name, value) in additional.members {
      guard header[name] == nil, !Self.reserved.contains(name) else {
        throw JOSEError(.callerMisuse, "an additional header parameter would replace one that is set", name: name)
      }
      header[name] = value
    }
  }

  /// Requires that parameters of the caller's own are neither too long nor nested too deep.
  static func requireReadable(_ parameters: JSONObject) throws(JOSEError) {
    guard !parameters.isEmpty else { return }
    let text = parameters.serialized()
    var budget = HeaderBudget(.default)
    try budget.write(text, memberCount: parameters.count)
    guard (try? JSONObject(parsing: text, within: Limits.default.headerJSON)) != nil else {
      throw JOSEError.notReadable("a header parameter is nested deeper than is read", "headerDepth")
    }
  }

  static func requireReadable(keyID: String) throws(JOSEError) {
    guard keyID.utf8.count <= Limits.default.keyIDByteCount else {
      throw JOSEError.notReadable("the key's name is longer than is read", "keyIDByteCount")
    }
  }

  /// The text of the header that ``append(to:keyID:encoding:)`` makes, in its order, if the parameters are but a few
  /// strings; otherwise nil.
  ///
  /// Nil also for what is longer than may be, which the other way refuses.
  func plainText(algorithm: String, keyID defaultKeyID: String?) -> [UInt8]? {
    guard certificates.isEmpty, additional.isEmpty, critical.isEmpty, rendering == nil else { return nil }
    let keyID = keyID ?? defaultKeyID
    guard keyID?.utf8.count ?? 0 <= Limits.default.keyIDByteCount else { return nil }
    var text = JSONObjectText(capacity: 128)
    text.append("alg", algorithm)
    if let type { text.append("typ", type) }
    if let contentType { text.append("cty", contentType) }
    if let keyID { text.append("kid", keyID) }
    let octets = text.finished()
    return octets.count <= Limits.default.headerByteCount ? octets : nil
  }

  /// Parameters that decide how a message is processed: they follow from key and algorithm, never from a caller's
  /// dictionary.
  static let reserved: [WireName] = [
    "alg", "enc", "zip", "crit", "b64", "epk", "apu", "apv", "iv", "tag", "p2s", "p2c",
    "ek", "psk_id",
  ]
}

extension JSONObject {
  /// The text of a finished protected header, compact in this order.
  ///
  /// - Throws: ``ErrorCode/limitExceeded`` if the default ``Limits`` don't read it.
  func protectedHeaderText() throws(JOSEError) -> [UInt8] {
    let text = serialized()
    var budget = HeaderBudget(.default)
    try budget.write(text, memberCount: count)
    return text
  }
}

extension JOSEError {
  /// A caller's wish to write what the default limits don't read.
  static func notReadable(_ text: StaticString, _ limit: String) -> JOSEError {
    JOSEError(.limitExceeded, text, name: limit, fault: .callerMisuse)
  }
}
