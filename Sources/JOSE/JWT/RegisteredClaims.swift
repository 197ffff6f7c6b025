import StrictJSON

/// The registered claims of a JWT, each of its legal type.
///
/// Source: RFC 7519 §4.1.
public struct RegisteredClaims: Sendable, Hashable {
  /// `iss`, to be compared with the issuers that are accepted.
  package private(set) var issuerName: WireName?
  /// `sub`, to be compared with other subjects.
  package private(set) var subjectName: WireName?
  /// `iss`: who issued the token.
  public var issuer: String? {
    get { issuerName?.text }
    set { issuerName = newValue.map { WireName($0) } }
  }
  /// `sub`: whom it is about.
  public var subject: String? {
    get { subjectName?.text }
    set { subjectName = newValue.map { WireName($0) } }
  }
  /// `aud`: whom it is for. A single string is an array of one.
  public var audience: [String]? {
    get { audienceNames.names?.map(\.text) }
    set { audienceNames = AudienceNames(newValue?.map { WireName($0) }) }
  }
  /// The same without an array for one name, as most tokens have it.
  private(set) var audienceNames: AudienceNames
  /// `exp`: from when on it must not be accepted.
  public var expiration: NumericDate?
  /// `nbf`: from when on it may be accepted.
  public var notBefore: NumericDate?
  /// `iat`: when it was issued.
  public var issuedAt: NumericDate?
  /// `jti`: its unique name.
  public var tokenID: String? {
    get { tokenName?.text }
    set { tokenName = newValue.map { WireName($0) } }
  }
  /// `jti` as `==` compares it.
  private var tokenName: WireName?
  /// Whether there is a `cnf`, whatever it says: the token is bound to a key (RFC 7800).
  private(set) var hasConfirmation: Bool

  /// Reads the registered claims. Each that is present must have its legal type, whether anybody asks for it or not: a
  /// malformed claim must not look like an absent one. `null` says nothing, and is as good as no claim, but for `cnf`:
  /// a token that may be bound to a key is no bearer token.
  ///
  /// - Throws: ``ErrorCode/claimInvalid``.
  package init(_ claims: JSONObject) throws(JOSEError) {
    var document = try JSONDocument(parsingClaims: claims.serialized(), within: .default)
    try self.init(&document)
  }

  /// Reads the registered claims of a parsed claims set without making values of the others. The document keeps the
  /// strings for its decoder.
  ///
  /// - Parameter datesMayBeText: whether a date may be a string of 1 to 15 decimal digits, as some Macs and their
  ///   servers write it.
  init(_ claims: inout JSONDocument, datesMayBeText: Bool = false) throws(JOSEError) {
    let places = Places(claims)
    issuerName = try Self.string(&claims, places.issuer, "iss").map { WireName($0) }
    subjectName = try Self.string(&claims, places.subject, "sub").map { WireName($0) }
    audienceNames = try Self.audience(&claims, places.audience)
    expiration = try Self.date(&claims, places.expiration, "exp", mayBeText: datesMayBeText)
    notBefore = try Self.date(&claims, places.notBefore, "nbf", mayBeText: datesMayBeText)
    issuedAt = try Self.date(&claims, places.issuedAt, "iat", mayBeText: datesMayBeText)
    tokenName = try Self.string(&claims, places.tokenID, "jti").map { WireName($0) }
    hasConfirmation = places.confirmation != nil
  }

  private static func string(
    _ claims: inout JSONDocument, _ place: JSONPlace?, _ name: StaticString
  ) throws(JOSEError) -> String? {
    guard let place else { return nil }
    do throws(JSONError) {
      return try claims.keptString(at: place)
    } catch {
      guard claims.kind(at: place) != .null else { return nil }
      throw JOSEError(.claimInvalid, "the claim is not a string", name: "\(name)")
    }
  }

  private static func date(
    _ claims: inout JSONDocument, _ place: JSONPlace?, _ name: StaticString, mayBeText: Bool
  ) throws(JOSEError) -> NumericDate? {
    guard let place else { return nil }
    do throws(JSONError) {
      return NumericDate(saturating: try claims.double(at: place))
    } catch {
      if mayBeText, let text = try? claims.keptString(at: place), let date = NumericDate(decimalDigits: text) {
        return date
      }
      guard claims.kind(at: place) != .null else { return nil }
      throw JOSEError(
        .claimInvalid, "the claim is not a date: a JWT has the number of seconds since 1970, not text", name: "\(name)")
    }
  }

  private static func audience(_ claims: inout JSONDocument, _ place: JSONPlace?) throws(JOSEError) -> AudienceNames {
    guard let place else { return .absent }
    if let name = try? claims.keptString(at: place) { return .one(WireName(name)) }
    guard claims.kind(at: place) != .null else { return .absent }
    guard claims.kind(at: place) == .array else { throw invalidAudience }
    var audience: [WireName] = []
    for element in claims.view(at: place).elements {
      guard let name = try? element.string() else { throw invalidAudience }
      audience.append(WireName(name))
    }
    guard !audience.isEmpty else { throw invalidAudience }
    return AudienceNames(audience)
  }

  private static var invalidAudience: JOSEError {
    JOSEError(.claimInvalid, "the claim is neither a string nor an array of strings", name: "aud")
  }
}

/// The names in `aud`. Each list has one form only, so that lists are equal when their forms are.
enum AudienceNames: Sendable, Hashable {
  case absent
  case one(WireName)
  /// None, or more than one.
  case list([WireName])

  init(_ names: [WireName]?) {
    self = names.map { $0.count == 1 ? .one($0[0]) : .list($0) } ?? .absent
  }

  var names: [WireName]? {
    switch self {
    case .absent: nil
    case .one(let name): [name]
    case .list(let names): names
    }
  }

  /// Whether some name is one of these.
  func containsAny(of accepted: [String]) -> Bool {
    switch self {
    case .absent: false
    case .one(let name): accepted.contains(name)
    case .list(let names): names.contains(where: accepted.contains)
    }
  }
}

/// Where the registered claims are in a claims set, found in one pass.
private struct Places {
  var issuer: JSONPlace?
  var subject: JSONPlace?
  var audience: JSONPlace?
  var expiration: JSONPlace?
  var notBefore: JSONPlace?
  var issuedAt: JSONPlace?
  var tokenID: JSONPlace?
  var confirmation: JSONPlace?

  init(_ claims: JSONDocument) {
    unsafe claims.forEachMember { name, place in unsafe note(name, place) }
  }

  @inline(__always)
  private mutating func note(_ name: UnsafeBufferPointer<UInt8>, _ place: JSONPlace) {
    // All of these names have three letters.
    guard name.count == 3 else { return }
    switch unsafe (name[0], name[1], name[2]) {
    case (0x69, 0x73, 0x73): issuer = place  // iss
    case (0x73, 0x75, 0x62): subject = place  // sub
    case (0x61, 0x75, 0x64): audience = place  // aud
    case (0x65, 0x78, 0x70): expiration = place  // exp
    case (0x6E, 0x62, 0x66): notBefore = place  // nbf
    case (0x69, 0x61, 0x74): issuedAt = place  // iat
    case (0x6A, 0x74, 0x69): tokenID = place  // jti
    case (0x63, 0x6E, 0x66): confirmation = place  // cnf
    default: break
    }
  }
}
