import Foundation
import GRDB
import GRDBStores
import JOSE
import PureCrypto

/// What waits for its user: an authorization request until somebody has logged in and agreed, a login until its second
/// factor.
struct Interaction: Codable, Sendable {
  private var parameters: String?
  var isPushed = false
  /// The browser that may go on with it.
  var visit: String
  /// Who has logged in for this very request, by ``Login/party``.
  var loggedIn: String?
  /// Who has agreed to this very request, by ``Login/party``.
  var consented: String?
  /// Who still has to give the second factor: after the password, by ``Provider/passwordGiven(by:)``, or beside a login
  /// that is there, by ``Login/party``.
  var pendingUser: String?
  /// The page of the provider's own that a login goes back to; nil for the account's.
  var next: String?
  /// Who probably logs in there.
  var loginHint: String?

  init(parameters: FormFields?, isPushed: Bool = false, visit: String) {
    self.parameters = parameters.map { String(decoding: $0.encoded(), as: UTF8.self) }
    (self.isPushed, self.visit) = (isPushed, visit)
  }

  /// The authorization request; nil for a login that begins here.
  var request: FormFields? { parameters.flatMap { try? FormFields(decoding: $0.utf8, acceptsDuplicates: true) } }
}

/// Interactions in the database, by the hashes of their names, for half an hour.
struct Interactions: Sendable {
  let database: ProviderDatabase
  let clock: WallClock
  static let lifetime = 1800.0

  func add(_ interaction: Interaction) async throws -> String {
    let id = RandomText.make()
    try await put(interaction, id)
    return id
  }

  func put(_ interaction: Interaction, _ id: String) async throws {
    let end = clock.now.advanced(by: .seconds(Self.lifetime)).secondsSince1970
    try await database.execute(
      "INSERT OR REPLACE INTO interactions (id, expiresAt, document) VALUES (?, ?, ?)",
      [Self.hash(id), end, Data(try StrictJSONEncoder().encode(interaction))])
  }

  /// The interaction of a name, if it is this browser's.
  func interaction(_ id: String, visit: String) async throws -> Interaction? {
    let now = clock.now.secondsSince1970
    let document = try await database.read { database in
      try Data.fetchOne(
        database, sql: "SELECT document FROM interactions WHERE id = ? AND expiresAt > ?",
        arguments: [Self.hash(id), now])
    }
    guard let interaction = try document.map({ try StrictJSONDecoder().decode(Interaction.self, from: $0) }),
      ConstantTime.equal(interaction.visit.utf8, visit.utf8)
    else { return nil }
    return interaction
  }

  /// Of two that remove it, one gets true.
  func remove(_ id: String) async throws -> Bool {
    try await database.execute("DELETE FROM interactions WHERE id = ?", [Self.hash(id)]) == 1
  }

  private static func hash(_ id: String) -> Data { Data(SHA2.SHA256.hash(id.utf8)) }
}
