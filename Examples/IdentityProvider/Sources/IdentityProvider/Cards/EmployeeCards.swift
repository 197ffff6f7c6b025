import JOSE
import PureCrypto

/// The cards that the provider has given out. A place in its status list is a record, and free again once the card has
/// expired.
struct EmployeeCards: Sendable {
  /// How many seconds a list says something: after this time, a card that was taken back is refused.
  static let timeToLive = 300
  /// The herd that a card is one of.
  private static let placeCount = 1 << 20
  /// The places that are read at once. No more records can be in such a part of the list.
  private static let partCount = 1 << 16
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

  /// - Parameter lifetime: of a card, in seconds; 0 if none is given out.
  init?(issuer: String, lifetime: Double, records: any RecordStore, clock: WallClock) {
    guard let kind = StoredRecord.Kind(application: "employee-card") else { return nil }
    (self.kind, self.issuer, self.lifetime, self.records, self.clock) = (kind, issuer, lifetime, records, clock)
  }

  /// Whether users get cards.
  var areOffered: Bool { lifetime > 0 }

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
    // All that is about the user is the holder's to show. There are always as many digests, however much it is.
    let shown: Set = ["iss", "vct", "exp", "status"]
    let kept = claims.members.map(\.0).filter { !shown.contains($0) }
    return try SDJWT.issue(
      claims, disclosing: kept.map { ClaimPath([.member($0)]) }, decoys: max(1, 12 - kept.count), holder: holder,
      with: key, type: "dc+sd-jwt"
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
        kind: kind, key: card.key, indexes: [Self.part(index), owner], createdAt: now,
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
    return try await records.records(kind, where: owner, limit: 4 * Self.greatestCountOfUser)
      .compactMap { EmployeeCard($0) }
      .filter { !$0.isWithdrawn && clock.now < $0.expiresAt }
  }

  /// Takes all cards of a user back.
  ///
  /// - Throws: what the database throws.
  func withdrawAll(of userID: String) async throws {
    for card in try await cards(of: userID) { _ = try await withdraw(String(card.index), of: userID) }
  }

  /// Takes a card back. False if the user has none of this name, or has it no more.
  ///
  /// - Throws: what the database throws.
  func withdraw(_ name: String, of userID: String) async throws -> Bool {
    guard let index = Int(name) else { return false }
    for _ in 0..<8 {
      guard var record = try await records.record(kind, key: EmployeeCard.key(index)),
        var card = EmployeeCard(record), card.userID == userID
      else { return false }
      if card.isWithdrawn { return false }
      card.isWithdrawn = true
      (record.document, record.attempt) = (card.document, RandomText.octets(16))
      if try await records.commit([.replace(record)]) == .done { return true }
    }
    return false
  }

  /// The statuses of all cards, signed.
  ///
  /// - Parameter isActive: whether a user still belongs to the company.
  /// - Throws: what the database throws.
  func list(
    signedWith key: SigningKey, isActive: @escaping @Sendable (_ userID: String) async throws -> Bool
  ) async throws -> String {
    // What ended before this moment is in it, however long it takes.
    let now = clock.now
    var list = try StatusList(bits: 1, count: Self.placeCount)
    for part in stride(from: 0, to: Self.placeCount, by: Self.partCount) {
      var cards: [String: [Int]] = [:]
      for record in try await records.records(kind, where: Self.part(part), limit: Self.partCount) {
        if let card = EmployeeCard(record), !card.isWithdrawn {
          cards[card.userID, default: []].append(card.index)
        } else if let index = EmployeeCard.index(record.key) {
          try list.set(.invalid, at: index)
        }
      }
      let users = Array(cards.keys)
      for start in stride(from: 0, to: users.count, by: Self.width) {
        let ended = try await withThrowingTaskGroup(of: String?.self) { group in
          for user in users[start..<min(start + Self.width, users.count)] {
            group.addTask { try await isActive(user) ? nil : user }
          }
          return try await group.reduce(into: [String]()) { ended, user in if let user { ended.append(user) } }
        }
        for index in ended.flatMap({ cards[$0] ?? [] }) { try list.set(.invalid, at: index) }
      }
    }
    let time = Duration.seconds(Self.timeToLive)
    return try list.signed(
      for: issuer + Self.listPath, timeToLive: time, lifetime: time, with: key, clock: .fixed(at: now))
  }

  /// Users that are asked about at once.
  private static let width = 16

  /// The part of the list that a card is in, by which its record is found.
  private static func part(_ index: Int) -> StoredRecord.Index {
    .init("list", Array(String(index / partCount).utf8))
  }
}
