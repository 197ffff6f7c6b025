import JOSE
import PureCrypto
import SQLStores

/// What waits for its user beside an authorization request, which the provider of the protocol keeps itself: a login
/// for its second factor or for the page that it goes back to, a logout for the session's cookie.
struct Interaction: Codable, Sendable {
  private var parameters: String?
  /// The browser that may go on with it, or ``anyBrowser``.
  var visit: String
  /// For a request that any page could send by a link, too. No browser has this name, so that only a logout goes on
  /// with it.
  static let anyBrowser = ""
  /// The user whose second factor is missing: ``Provider/passwordGiven(by:)`` after the password, or ``Login/party``
  /// with an existing login.
  var pendingUser: String?
  /// The page of the provider's own that a login goes back to; nil for the account's.
  var next: String?
  /// The user who will probably log in.
  var loginHint: String?

  /// - Parameter parameters: a logout request.
  init(_ parameters: FormFields? = nil, visit: String) {
    self.parameters = parameters.map { String(decoding: $0.encoded(), as: UTF8.self) }
    self.visit = visit
  }

  /// The logout request; nil for a login.
  var request: FormFields? { parameters.flatMap { try? FormFields(decoding: $0.utf8, acceptsDuplicates: true) } }
}

/// Interactions in the database, by the hashes of their names, for half an hour.
struct Interactions: Sendable {
  let database: any SQLDriver
  let clock: WallClock
  static let lifetime = 1800.0

  func add(_ interaction: Interaction) async throws -> String {
    let id = RandomText.make()
    try await put(interaction, id)
    return id
  }

  func put(_ interaction: Interaction, _ id: String) async throws {
    let end = clock.now.advanced(by: .seconds(Self.lifetime))
    try await database.run(
      """
      INSERT INTO interactions (id, expiresAt, document) VALUES (?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET expiresAt = excluded.expiresAt, document = excluded.document
      """, [Self.hash(id), .date(end), .octets(try StrictJSONEncoder().encode(interaction))])
  }

  /// The interaction of a name, if it belongs to this browser.
  func interaction(_ id: String, visit: String) async throws -> Interaction? {
    let row = try await database.row(
      "SELECT document FROM interactions WHERE id = ? AND expiresAt > ?", [Self.hash(id), .date(clock.now)])
    guard let interaction = try row.map({ try StrictJSONDecoder().decode(Interaction.self, from: $0[0].bytes) }),
      ConstantTime.equal(interaction.visit.utf8, visit.utf8)
    else { return nil }
    return interaction
  }

  /// Removes an interaction. If two callers do so at once, only one gets true.
  func remove(_ id: String) async throws -> Bool {
    try await database.run("DELETE FROM interactions WHERE id = ?", [Self.hash(id)]).count == 1
  }

  private static func hash(_ id: String) -> SQLValue { .octets(Array(SHA2.SHA256.hash(id.utf8))) }
}
