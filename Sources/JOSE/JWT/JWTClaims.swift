import PureCrypto
import StrictJSON

/// The claims of tokens to be issued: who, for whom, for how long, and what else.
///
/// ```swift
/// var claims = JWTClaims(issuer: "https://idp.example.com", audience: "api", subject: "jane", lifetime: .seconds(600))
/// try claims.set("scope", to: "orders")
/// let token = try JWT.sign(claims, with: key)
/// ```
///
/// Times are made when a token is signed, so one value serves any number of tokens: each has its own `iat`, `exp` and
/// `jti`. For kinds of tokens that have a profile, begin with the constructor of that name, such as
/// ``accessToken(issuer:audience:subject:clientID:scope:lifetime:)``: its `typ` and claims are those that ``JWTPolicy``
/// of the same name demands.
public struct JWTClaims: Sendable {
  /// Who issues the token (`iss`).
  public var issuer: String
  /// `aud`: whom the tokens are for. A token without an audience is for everybody, so it can't be empty.
  public var audience: Audience
  /// `sub`, or nil for none.
  public var subject: String?
  /// From `iat` to `exp`, a second or more; a fraction is cut. Nil, of kinds that don't expire.
  package private(set) var lifetime: Duration?
  /// Whether `nbf` is written, which is `iat`.
  public var saysNotBefore = false
  /// `typ` of the header, or nil for none.
  public var type: String?
  /// Where "now" comes from.
  public var clock: WallClock = .system

  private var others: JSONObject = [:]
  /// Whether these are an ID token's, which OpenID Connect has rules for.
  var isIDToken = false

  /// Claims of this issuer for this audience.
  ///
  /// - Parameters:
  ///   - issuer: `iss`.
  ///   - audience: `aud`: one name or several.
  ///   - subject: `sub`.
  ///   - lifetime: from signing to `exp`, a second or more; a fraction of a second is cut.
  public init(issuer: String, audience: Audience, subject: String? = nil, lifetime: Duration) {
    self.init(issuer: issuer, audience: audience, subject: subject, lifetime: lifetime, type: "JWT", [:])
  }

  init(
    issuer: String, audience: Audience, subject: String?, lifetime: Duration?, type: String, _ others: JSONObject
  ) {
    (self.issuer, self.audience, self.subject, self.lifetime, self.type) = (issuer, audience, subject, lifetime, type)
    self.others = others
  }

  /// Sets a claim that isn't among the registered ones, which have members of their own here.
  ///
  /// - Throws: ``ErrorCode/callerMisuse`` if the name is `iss`, `sub`, `aud`, `exp`, `nbf`, `iat` or `jti`, or the
  ///   value does not encode.
  public mutating func set(_ name: String, to value: some Encodable) throws(JOSEError) {
    let encoded: JSONValue
    do {
      encoded = try StrictJSONEncoder().encodeValue(value)
    } catch {
      throw JOSEError(encodingClaims: error)
    }
    try set(name, to: encoded)
  }

  /// The same of a value that needs no encoding, which takes longer than all else that a token's claims do.
  package mutating func set(_ name: String, to value: JSONValue) throws(JOSEError) {
    guard !Self.registered.contains(name) else {
      throw JOSEError(.callerMisuse, "set a registered claim by its own property", name: name)
    }
    others[name] = value
  }

  /// A claim that isn't among the registered ones, or nil.
  public subscript(name: String) -> JSONValue? { others[name] }

  static let registered: [WireName] = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"]

  /// The claims of one token that is issued now.
  ///
  /// - Throws: ``ErrorCode/callerMisuse`` if issuer or audience is empty, the lifetime is not 1 second or more, or an
  ///   ID token would say what OpenID Connect forbids.
  public func issued() throws(JOSEError) -> JSONObject {
    guard !issuer.isEmpty else { throw JOSEError(.callerMisuse, "the issuer is empty", name: "iss") }
    guard !audience.names.isEmpty, !audience.names.contains(where: \.isEmpty) else {
      throw JOSEError(.callerMisuse, "the audience is empty", name: "aud")
    }
    let names = audience.names.map { JSONValue.string($0) }
    var claims: JSONObject = ["iss": .string(issuer), "aud": names.count == 1 ? names[0] : .array(names)]
    if let subject { claims["sub"] = .string(subject) }
    let now = clock.now.wholeSeconds
    claims["iat"] = .number(JSONNumber(now))
    if saysNotBefore { claims["nbf"] = .number(JSONNumber(now)) }
    if let lifetime {
      guard lifetime >= .seconds(1) else {
        throw JOSEError(.callerMisuse, "a token lives for a second at least", name: "exp")
      }
      claims["exp"] = .number(JSONNumber(NumericDate(now).advanced(by: lifetime).wholeSeconds))
    }
    claims["jti"] = .string(Base64URL.encode(SystemRandom.bytes(count: 16)))
    for (name, value) in others.members { claims[name] = value }
    if isIDToken { try IDTokenDraft.requireLegal(claims) }
    return claims
  }
}

extension JWT {
  /// Signs claims as of now and returns a compact token, whose `typ` they name.
  ///
  /// - Parameters:
  ///   - claims: the claims, whose times are made now.
  ///   - key: the issuer's. Its algorithm and its name are written as `alg` and `kid`.
  ///   - header: further header parameters. `alg`, `kid` and `typ` come from the key and the claims.
  /// - Throws: as ``JWTClaims/issued()`` and ``JWS/sign(_:with:header:)``.
  public static func sign(
    _ claims: JWTClaims, with key: SigningKey, header: HeaderParameters = HeaderParameters()
  ) throws(JOSEError) -> String {
    try sign(claims.issued(), with: key, type: claims.type, header: header)
  }

  /// Signs claims as of now and encrypts the signed token: a nested JWT, for ``NestedJWTVerifier``.
  ///
  /// - Parameters:
  ///   - claims: the claims, whose times are made now.
  ///   - signingKey: the issuer's.
  ///   - encryptionKey: the receiver's.
  ///   - contentEncryption: as in
  ///     ``JWE/encrypt(_:to:contentEncryption:header:agreementPartyUInfo:agreementPartyVInfo:)``.
  ///   - header: further header parameters of the signed token.
  ///   - encryptionHeader: further header parameters of the encryption, whose `cty` is always `JWT`.
  /// - Throws: as ``JWTClaims/issued()`` and
  ///   ``signAndEncrypt(_:with:to:contentEncryption:type:header:encryptionHeader:)``.
  public static func signAndEncrypt(
    _ claims: JWTClaims, with signingKey: SigningKey, to encryptionKey: EncryptionKey,
    contentEncryption: ContentEncryptionAlgorithm? = nil, header: HeaderParameters = HeaderParameters(),
    encryptionHeader: HeaderParameters = HeaderParameters()
  ) throws(JOSEError) -> String {
    try signAndEncrypt(
      claims.issued(), with: signingKey, to: encryptionKey, contentEncryption: contentEncryption, type: claims.type,
      header: header, encryptionHeader: encryptionHeader)
  }

  /// Encrypts claims as of now without signing them, for ``EncryptedJWTVerifier``.
  ///
  /// - Parameters:
  ///   - claims: the claims, whose times are made now.
  ///   - key: a shared secret, or with `anonymously` a public key.
  ///   - contentEncryption: as in
  ///     ``JWE/encrypt(_:to:contentEncryption:header:agreementPartyUInfo:agreementPartyVInfo:)``.
  ///   - header: further header parameters.
  ///   - anonymously: whether the key may be a public one, for which everybody can encrypt.
  /// - Throws: as ``JWTClaims/issued()`` and
  ///   ``encrypt(_:to:contentEncryption:type:header:anonymously:)``.
  public static func encrypt(
    _ claims: JWTClaims, to key: EncryptionKey, contentEncryption: ContentEncryptionAlgorithm? = nil,
    header: HeaderParameters = HeaderParameters(), anonymously: Bool = false
  ) throws(JOSEError) -> String {
    try encrypt(
      claims.issued(), to: key, contentEncryption: contentEncryption, type: claims.type, header: header,
      anonymously: anonymously)
  }
}
