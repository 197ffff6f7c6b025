import StrictJSON

/// Where the status of a token stands: the claim `status` with its `status_list`.
///
/// Source: draft-ietf-oauth-status-list §6.
public struct StatusReference: Hashable, Sendable {
  /// Where the list is, and what its token is about.
  public let uri: String
  /// Which status of the list is the token's, counted from 0.
  public let index: Int

  /// A place in a list. It is what ``claim`` makes a claim of.
  public init(uri: String, index: Int) { (self.uri, self.index) = (uri, index) }

  /// The place that a claims set names; nil if it has no `status`.
  ///
  /// - Throws: ``ErrorCode/claimInvalid`` for a `status` without a list, an index that is no whole number from 0 on,
  ///   and what is no URI.
  public init?(in claims: JSONObject) throws(JOSEError) {
    guard let status = claims["status"], status != .null else { return nil }
    let list = status.objectValue?["status_list"]?.objectValue
    guard let uri = list?["uri"]?.stringValue, let index = list?["idx"]?.numberValue?.exactly(Int.self) else {
      throw Self.invalid
    }
    try self.init(claimedURI: uri, index: index)
  }

  /// The same of claims that are read in place.
  init?(in claims: JSONView) throws(JOSEError) {
    guard let status = claims["status"], !status.isNull else { return nil }
    let list = status["status_list"]
    guard let uri = try? list?["uri"]?.string(), let index = try? list?["idx"]?.integer(Int.self) else {
      throw Self.invalid
    }
    try self.init(claimedURI: uri, index: index)
  }

  private init(claimedURI uri: String, index: Int) throws(JOSEError) {
    guard index >= 0, (try? URIComponents(parsing: uri)) != nil else { throw Self.invalid }
    (self.uri, self.index) = (uri, index)
  }

  /// The value of the claim `status`.
  public var claim: JSONValue {
    ["status_list": ["idx": .number(JSONNumber(Int64(index))), "uri": .string(uri)]]
  }

  private static var invalid: JOSEError {
    JOSEError(
      .claimInvalid, "a status is a place in a status list: a URI, and an index that is a whole number from 0 on",
      name: "status")
  }
}
