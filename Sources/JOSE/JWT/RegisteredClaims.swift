import StrictJSON

/// The registered claims of a JWT, each of its legal type.
///
/// Source: RFC 7519 §4.1.
public struct RegisteredClaims: Sendable, Hashable {
  /// `iss`: who issued the token.
  public var issuer: String?
  /// `sub`: whom it is about.
  public var subject: String?
  /// `aud`: whom it is for. A single string is an array of one.
  public var audience: [String]?
  /// `exp`: from when on it must not be accepted.
  public var expiration: NumericDate?
  /// `nbf`: from when on it may be accepted.
  public var notBefore: NumericDate?
  /// `iat`: when it was issued.
  public var issuedAt: NumericDate?
  /// `jti`: its unique name.
  public var tokenID: String?

  /// Reads the registered claims. Each that is present must have its legal type, whether anybody asks for it or not: a malformed claim
  /// must not look like an absent one.
  ///
  /// - Throws: ``JOSEErrorCode/claimInvalid``.
  public init(_ claims: JSONObject) throws(JOSEError) {
    let document = try JSONDocument(parsingClaims: claims.serialized(), within: .default)
    try self.init(document.root)
  }

  /// Reads the registered claims of a parsed claims set without making values of the others.
  init(_ claims: JSONView) throws(JOSEError) {
    issuer = try Self.string(claims, "iss")
    subject = try Self.string(claims, "sub")
    audience = try Self.audience(claims)
    expiration = try Self.date(claims, "exp")
    notBefore = try Self.date(claims, "nbf")
    issuedAt = try Self.date(claims, "iat")
    tokenID = try Self.string(claims, "jti")
  }

  private static func string(_ claims: JSONView, _ name: StaticString) throws(JOSEError) -> String? {
    do throws(JSONError) {
      return try claims.string(ofMember: name)
    } catch {
      throw JOSEError(.claimInvalid, "the claim is not a string", name: "\(name)")
    }
  }

  private static func date(_ claims: JSONView, _ name: StaticString) throws(JOSEError) -> NumericDate? {
    do throws(JSONError) {
      return try claims.double(ofMember: name).map { NumericDate(saturating: $0) }
    } catch {
      throw JOSEError(.claimInvalid, "the claim is not a date", name: "\(name)")
    }
  }

  private static func audience(_ claims: JSONView) throws(JOSEError) -> [String]? {
    guard let value = claims["aud"] else { return nil }
    if value.kind == .string { return [try audienceName(value)] }
    guard value.kind == .array else { throw invalidAudience }
    var audience: [String] = []
    for element in value.elements { audience.append(try audienceName(element)) }
    guard !audience.isEmpty else { throw invalidAudience }
    return audience
  }

  private static func audienceName(_ value: JSONView) throws(JOSEError) -> String {
    guard let name = try? value.string() else { throw invalidAudience }
    return name
  }

  private static var invalidAudience: JOSEError {
    JOSEError(.claimInvalid, "the claim is neither a string nor an array of strings", name: "aud")
  }
}
