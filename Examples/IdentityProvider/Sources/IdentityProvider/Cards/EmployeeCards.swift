import JOSE
import PureCrypto

/// The cards that the provider has given out. A place in its status list is a record, and free again once the card has
/// expired.
struct EmployeeCards: Sendable {
  /// How long sites may go on with a list that they have: a card is refused this long after it was taken back.
  static let timeToLive = 300
  /// The herd that a card is one of.
  private static let placeCount = 1 << 20
  /// With this many cards there is no list, since of cards that are not looked at it would say that they are valid.
  private static let greatestCount = 1 << 17
  /// The cards that a user may have, those taken back among them.
  private static let greatestCountOfUser = 50
  /// Sites accept a card that has expired for as long as clocks may differ.
  private static let leeway = Duration.seconds(660)

  private let kind: StoredRecord.Kind
  private let issuer: String
  private let lifetime: Double
  private let records: any RecordStore
  private let clock: WallClock

  /// Why a card was not given.
  enum Refusal: Error {
    case unreadableKey
    case privateKey
    case otherKey
    case tooMany
  }

  /// - Parameter lifetime: of a card, in seconds.
  /// - Returns: nil if cards live for no time: then there are none.
  init?(issuer: String, lifetime: Double, records: any RecordStore, clock: WallClock) {
    guard lifetime > 0, let kind = StoredRecord.Kind(application: "employee-card") else { return nil }
    (self.kind, self.issuer, self.lifetime, self.records, self.clock) = (kind, issuer, lifetime, records, clock)
  }

  /// `vct` of the cards.
  var type: String { issuer + Self.typePath }

  static let typePath = "/employee-card"
  static let listPath = "/employee-card/statuses"

  /// Gives a user a card.
  ///
  /// - Parameters:
  ///   - walletKey: a JWK, as the user has pasted it: the public half of an ES256 key.
  ///   - key: the provider's.
  /// - Throws: ``Refusal``; what the database throws.
  func issue(to user: User, walletKey: String, signedWith key: SigningKey) async throws -> String {
    let holder = try Self.holder(walletKey)
    let card = try await place(for: user, wallet: holder.thumbprint())
    var claims: JSONObject = [
      "iss": .string(issuer), "vct": .string(type), "sub": .string(user.id),
      "iat": .number(JSONNumber(clock.now.wholeSeconds)), "exp": .number(JSONNumber(card.expiresAt.wholeSeconds)),
      "name": .string(user.displayName), "preferred_username": .string(user.username), "email": .string(user.email),
      "email_verified": .bool(user.isEmailVerified),
      "status": StatusReference(uri: issuer + Self.listPath, index: card.index).claim,
    ]
    for name in ["given_name", "family_name", "birthdate"] { claims[name] = user.claims[name] }
    // All that is about the user is the holder's to show; two decoys hide how much of it there is.
    let shown: Set = ["iss", "vct", "exp", "status"]
    let kept = claims.members.map(\.0).filter { !shown.contains($0) }
    return try SDJWT.issue(
      claims, disclosing: kept.map { ClaimPath([.member($0)]) }, decoys: 2, holder: holder, with: key,
      type: "dc+sd-jwt"
    ).compact
  }

  private static func holder(_ text: String) throws(Refusal) -> JWK {
    guard text.utf8.count <= 4096, let key = try? JWK(parsing: text) else { throw .unreadableKey }
    guard !key.isPrivate else { throw .privateKey }
    guard key.curve == .p256, (try? VerificationKey(key, algorithm: .es256)) != nil else { throw .otherKey }
    return key
  }

  private func place(for user: User, wallet: String) async throws -> EmployeeCard {
    let now = clock.now
    let owner = StoredRecord.Index("user", Array(user.id.utf8))
    for _ in 0..<16 {
      let index = RandomText.octets(4).reduce(0) { $0 << 8 | Int($1) } % Self.placeCount
      let card = EmployeeCard(
        index: index, userID: user.id, wallet: wallet, createdAt: now, expiresAt: now.advanced(by: .seconds(lifetime)))
      let record = StoredRecord(
        kind: kind, key: card.key, indexes: [Self.all, owner], createdAt: now,
        expiresAt: card.expiresAt.advanced(by: Self.leeway), document: card.document, attempt: RandomText.octets(16))
      let quota = RecordQuota(owner, limit: Self.greatestCountOfUser, now: now)
      switch try await records.commit([.insert(record, atMost: quota)]) {
      case .done: return card
      case .refused(change: _, .quotaReached): throw Refusal.tooMany
      case .refused: continue
      }
    }
    throw Refusal.tooMany
  }

  /// The user's cards that still count, the oldest first.
  func cards(of userID: String) async throws -> [EmployeeCard] {
    let owner = StoredRecord.Index("user", Array(userID.utf8))
    return try await records.records(kind, where: owner, limit: Self.greatestCountOfUser)
      .compactMap { EmployeeCard($0) }
      .filter { !$0.isWithdrawn && clock.now < $0.expiresAt }
  }

  /// Takes a card back. False if the user has none of this name.
  ///
  /// - Throws: what the database throws.
  func withdraw(_ name: String, of userID: String) async throws -> Bool {
    guard let index = Int(name) else { return false }
    for _ in 0..<8 {
      guard var record = try await records.record(kind, key: Array(String(index).utf8)),
        var card = EmployeeCard(record), card.userID == userID
      else { return false }
      if card.isWithdrawn { return true }
      card.isWithdrawn = true
      (record.document, record.attempt) = (card.document, RandomText.octets(16))
      if try await records.commit([.replace(record)]) == .done { return true }
    }
    return false
  }

  /// The statuses of all cards, signed.
  ///
  /// - Parameter isActive: whether a user still belongs to the company.
  /// - Throws: ``Refusal/tooMany``; what the database throws.
  func list(
    signedWith key: SigningKey, isActive: (_ userID: String) async throws -> Bool
  ) async throws -> String {
    // What ended before this moment is in it, however long it takes.
    let now = clock.now
    var list = try StatusList(bits: 1, count: Self.placeCount)
    let stored = try await records.records(kind, where: Self.all, limit: Self.greatestCount)
    guard stored.count < Self.greatestCount else { throw Refusal.tooMany }
    var known: [String: Bool] = [:]
    for record in stored {
      guard let card = EmployeeCard(record), !card.isWithdrawn else {
        if let index = EmployeeCard.index(record.key) { try list.set(.invalid, at: index) }
        continue
      }
      if known[card.userID] == nil { known[card.userID] = try await isActive(card.userID) }
      if known[card.userID] == false { try list.set(.invalid, at: card.index) }
    }
    return try list.signed(
      for: issuer + Self.listPath, timeToLive: .seconds(Self.timeToLive), with: key, clock: .fixed(at: now))
  }

  /// One value for all cards, by which they are found.
  private static let all = StoredRecord.Index("list", Array("1".utf8))
}
