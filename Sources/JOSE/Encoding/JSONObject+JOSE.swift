import PureCrypto
import StrictJSON

extension Limits {
  package var headerJSON: JSONLimits { json(byteCount: headerByteCount, depth: headerDepth) }
  /// Claims: some have many values, but none has more than one for eight octets.
  package var claimsJSON: JSONLimits {
    var limits = json(byteCount: claimsByteCount, depth: claimsDepth)
    limits.maximumElementCount = max(claimsByteCount / 8, 1024)
    return limits
  }
  /// A JSON serialization: a header may lie in an array of an object. What isn't text is header, and takes an octet
  /// each at least.
  package var messageJSON: JSONLimits {
    var limits = json(byteCount: messageByteCount, depth: min(headerDepth, JSONLimits.greatestDepth) + 3)
    limits.maximumElementCount = max(headerByteCount, 1024)
    return limits
  }
  package var keyJSON: JSONLimits { json(byteCount: headerByteCount, depth: headerDepth) }
  /// A key set. A key has fewer than 64 members, so a value with more is not one.
  package var keySetJSON: JSONLimits {
    var limits = json(byteCount: keySetByteCount, depth: headerDepth)
    let (count, overflow) = keySetKeyCount.multipliedReportingOverflow(by: 64)
    limits.maximumElementCount = overflow ? .max : max(count, 1024)
    return limits
  }

  private func json(byteCount: Int, depth: Int) -> JSONLimits {
    var limits = JSONLimits.default
    limits.maximumByteCount = byteCount
    limits.maximumDepth = depth
    limits.maximumMemberCount = objectMemberCount
    return limits
  }
}

extension JSONObject {
  /// Parses an object, with errors in JOSE's terms.
  package init(parsing json: some Collection<UInt8>, within limits: JSONLimits) throws(JOSEError) {
    ParseCount.note(.json)
    do throws(JSONError) {
      try self.init(parsing: json, limits: limits)
    } catch {
      throw JOSEError(json: error)
    }
  }
}

/// Members of a known type. What is wrong with one is an error with the code given and the member's name.
extension JSONObject {
  /// The string of this name, or nil when there is no such member.
  package func string(ifPresent name: String, orThrow code: ErrorCode) throws(JOSEError) -> String? {
    guard let value = self[name] else { return nil }
    guard case .string(let string) = value else { throw JOSEError(code, "the member is not a string", name: name) }
    return string
  }

  /// The string of this name.
  package func string(_ name: String, orThrow code: ErrorCode) throws(JOSEError) -> String {
    guard let string = try string(ifPresent: name, orThrow: code) else {
      throw JOSEError(code, "the member is absent", name: name)
    }
    return string
  }

  /// The octets of base64url text of this name, or nil when there is no such member.
  package func octets(ifPresent name: String, orThrow code: ErrorCode) throws(JOSEError) -> [UInt8]? {
    guard let text = try string(ifPresent: name, orThrow: code) else { return nil }
    guard let octets = try? Base64URL.decode(text) else {
      throw JOSEError(code, "the member is not base64url", name: name)
    }
    return octets
  }

  /// The octets of base64url text of this name.
  package func octets(_ name: String, orThrow code: ErrorCode) throws(JOSEError) -> [UInt8] {
    guard let octets = try octets(ifPresent: name, orThrow: code) else {
      throw JOSEError(code, "the member is absent", name: name)
    }
    return octets
  }

  /// The octets of base64url text of this name as a secret: decoded straight into memory that is wiped.
  package func secretOctets(_ name: String, orThrow code: ErrorCode) throws(JOSEError) -> SecretBytes {
    let text = try string(name, orThrow: code)
    guard let octets = try? Base64URL.decodeSecret(utf8: text.utf8) else {
      throw JOSEError(code, "the member is not base64url", name: name)
    }
    return octets
  }

  /// The object of this name, or nil when there is no such member.
  package func object(ifPresent name: String, orThrow code: ErrorCode) throws(JOSEError) -> JSONObject? {
    guard let value = self[name] else { return nil }
    guard case .object(let object) = value else { throw JOSEError(code, "the member is not an object", name: name) }
    return object
  }
}

extension JSONDocument {
  /// Parses a claims set, which must be an object.
  init(parsingClaims json: some Collection<UInt8>, within limits: JSONLimits) throws(JOSEError) {
    try JOSEError.require(json.count, within: limits, named: "claimsByteCount")
    ParseCount.note(.json)
    do throws(JSONError) {
      try self.init(parsing: json, limits: limits)
    } catch {
      throw JOSEError(json: error)
    }
    guard rootKind == .object else { throw JOSEError(.malformed, "the claims are not a JSON object") }
  }

  /// Parses a claims set, which must be an object.
  init(parsingClaims json: UnsafeRawBufferPointer, within limits: JSONLimits) throws(JOSEError) {
    try JOSEError.require(json.count, within: limits, named: "claimsByteCount")
    ParseCount.note(.json)
    do throws(JSONError) {
      try unsafe self.init(parsing: json.bindMemory(to: UInt8.self), limits: limits)
    } catch {
      throw JOSEError(json: error)
    }
    guard rootKind == .object else { throw JOSEError(.malformed, "the claims are not a JSON object") }
  }
}

extension JOSEError {
  /// Requires that a text is no longer than its limit, which the error names.
  static func require(_ byteCount: Int, within limits: JSONLimits, named name: String) throws(JOSEError) {
    guard byteCount <= limits.maximumByteCount else {
      throw JOSEError(.limitExceeded, "the JSON text is too long", name: name)
    }
  }

  package init(json error: JSONError) {
    if error.code == .limitExceeded {
      self.init(.limitExceeded, error.text ?? "the JSON text is too long, too deep or too wide", name: "json")
    } else {
      self.init(.malformed, error.text ?? "a JSON object in braces { } is required, and this is another value")
    }
  }
}
