import JOSE
import PureCrypto
import StrictJSON

/// The form in which a provider keeps one user's login on one registered device: a family of refresh tokens, with what
/// else the user holds there.
///
/// A request with a token is signed by the device's key, so that a copy of the token is useless elsewhere. A Mac
/// that lost an answer comes with the token before, and this ends nothing: after its grace it is refused, and the user
/// logs in. RFC 9700 §4.14.2 asks for one of the two, rotation with a look for reuse or tokens bound to their sender.
struct DeviceLoginRecord: Hashable, Codable {
  static let kind = StoredRecord.Kind(library: "device-login")

  /// A refresh token; only its hash is kept.
  struct Token: Hashable, Codable {
    /// SHA-256 in base64url.
    var hash: String
    var givenAt: NumericDate
    var expiresAt: NumericDate
    var replacedAt: NumericDate?

    /// Whether the token is honoured: the current one until it expires, one that was replaced for a moment more.
    func isHonoured(at now: NumericDate, grace: Duration) -> Bool {
      expiresAt > now && (replacedAt.map { now < $0.advanced(by: grace) } ?? true)
    }
  }

  /// The token that serves now.
  func currentToken(at now: NumericDate) -> Token? {
    tokens.first.flatMap { $0.replacedAt == nil && $0.expiresAt > now ? $0 : nil }
  }

  var userName: String
  /// ``RegisteredDevice/registrationID``.
  var registration: String
  var tenant: String?
  var userKey: RegisteredKey?
  /// The unlock key as ``KeyContexts`` encrypted it.
  var unlockKey: String?
  /// The newest first. At most the first one is current.
  var tokens: [Token] = []

  /// A user who holds nothing yet.
  init(_ userName: String, on device: RegisteredDevice, registration: String) {
    (self.userName, self.registration, tenant) = (userName, registration, device.tenant)
  }

  init(_ record: StoredRecord) throws(JOSEError) {
    guard let login = try? StrictJSONDecoder().decode(Self.self, from: record.document) else {
      throw JOSEError(.storeUnavailable, "the record of a login can't be read")
    }
    self = login
  }

  /// Whether nothing is left to keep.
  var isEmpty: Bool { userKey == nil && unlockKey == nil && tokens.isEmpty }

  /// Makes a token the current one. The one before counts as replaced; how long that one is still good is the
  /// provider's configuration to say, an hour at most, and never longer than until it expires by itself.
  mutating func replaceToken(by hash: [UInt8], expiration: NumericDate, now: NumericDate) {
    if tokens.first?.replacedAt == nil, !tokens.isEmpty { tokens[0].replacedAt = now }
    let (oldest, name) = (now.advanced(by: -3600), WireName(Base64URL.encode(hash)))
    tokens = tokens.filter { $0.hash != name && $0.expiresAt > now && $0.replacedAt.map { $0 > oldest } ?? true }
    tokens = [Token(hash: name.text, givenAt: now, expiresAt: expiration)] + tokens.prefix(31)
  }

  /// The record, as a store keeps it in place of a version.
  func record(_ registration: [UInt8], version: UInt64, now: NumericDate) throws -> StoredRecord {
    let hashes = tokens.compactMap { try? Base64URL.decode($0.hash) }
    return StoredRecord(
      kind: Self.kind, key: Self.key(userName, registration), version: version,
      indexes: [Self.index(user: userName, tenant), Self.index(registration)] + hashes.map(Self.index(token:)),
      createdAt: now, expiresAt: userKey == nil && unlockKey == nil ? tokens.map(\.expiresAt).max() : nil,
      document: try StrictJSONEncoder().encode(self), attempt: SystemRandom.bytes(count: 16))
  }

  static func key(_ userName: String, _ registration: [UInt8]) -> [UInt8] {
    Array(SHA2.SHA256.hash(LengthPrefixedFields.encode([registration, Array(userName.utf8)])))
  }

  /// All that a user of a tenant holds.
  static func index(user userName: String, _ tenant: String?) -> StoredRecord.Index {
    StoredRecord.Index("user", DeviceRecord.name(userName, tenant).value)
  }

  /// All that belongs to a registration of a device.
  static func index(_ registration: [UInt8]) -> StoredRecord.Index { StoredRecord.Index("registration", registration) }

  static func index(token hash: [UInt8]) -> StoredRecord.Index { StoredRecord.Index("token", hash, isUnique: true) }
}

/// What the code of a login by a browser is bound to.
struct DeviceCode: Codable {
  static let kind = StoredRecord.Kind(library: "device-code")

  let userName: String
  let tenant: String?
  /// ``RegisteredDevice/registrationID`` of the device that asked; nil if none is known.
  let registration: String?
  let state: String?
  /// What the login was for. Apple calls a login the default: a page that was asked for no scope logs in, no more.
  let scope: String

  init(userName: String, tenant: String?, registration: String?, state: String?, scope: AuthorizationScope?) {
    (self.userName, self.tenant, self.registration) = (userName, tenant, registration)
    (self.state, self.scope) = (state, (scope ?? .login).purpose)
  }

  /// Whether this is the code that a request should have. Texts are compared as bytes.
  func isFor(_ other: DeviceCode) -> Bool {
    WireName(userName) == other.userName && OptionalText(tenant) == OptionalText(other.tenant)
      && OptionalText(state) == OptionalText(other.state) && WireName(scope) == other.scope
      && (registration == nil || OptionalText(registration) == OptionalText(other.registration))
  }
}
