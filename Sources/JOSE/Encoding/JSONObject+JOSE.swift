import StrictJSON

extension Limits {
  package var headerJSON: JSONLimits { json(byteCount: headerByteCount, depth: headerDepth) }
  package var claimsJSON: JSONLimits { json(byteCount: claimsByteCount, depth: claimsDepth) }
  /// A JSON serialization: a header may lie in an array of an object.
  package var messageJSON: JSONLimits { json(byteCount: messageByteCount, depth: headerDepth + 3) }
  package var keyJSON: JSONLimits { json(byteCount: headerByteCount, depth: headerDepth) }
  package var keySetJSON: JSONLimits { json(byteCount: keySetByteCount, depth: headerDepth) }

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
    do throws(JSONError) {
      try self.init(parsing: json, limits: limits)
    } catch {
      throw JOSEError(json: error)
    }
  }
}

extension JSONDocument {
  /// Parses a claims set, which must be an object.
  init(parsingClaims json: some Collection<UInt8>, within limits: JSONLimits) throws(JOSEError) {
    do throws(JSONError) {
      try self.init(parsing: json, limits: limits)
    } catch {
      throw JOSEError(json: error)
    }
    guard root.kind == .object else { throw JOSEError(.malformed, "the claims are no JSON object") }
  }
}

extension JOSEError {
  package init(json error: JSONError) {
    if error.code == .limitExceeded {
      self.init(.limitExceeded, "the JSON text is too long, too deep or too wide", name: "json")
    } else {
      self.init(.malformed, "not a JSON object as required")
    }
  }
}
