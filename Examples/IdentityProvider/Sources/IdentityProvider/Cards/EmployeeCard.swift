import JOSE

/// A card that a user keeps in a wallet: a credential of this provider (SD-JWT VC), which shows a site what it asks for
/// and no more.
struct EmployeeCard: Sendable {
  /// Its place in the status list, which is its name here.
  let index: Int
  let userID: String
  /// The thumbprint of the wallet's key.
  let wallet: String
  let createdAt: NumericDate
  let expiresAt: NumericDate
  var isWithdrawn = false

  /// The card as a record has it; nil for what is no card.
  init?(_ record: StoredRecord) {
    guard let index = Self.index(record.key), let document = try? JSONObject(parsing: record.document),
      let userID = document["user"]?.stringValue, let wallet = document["wallet"]?.stringValue,
      let expiresAt = record.expiresAt
    else { return nil }
    self.init(
      index: index, userID: userID, wallet: wallet, createdAt: record.createdAt, expiresAt: expiresAt,
      isWithdrawn: document["withdrawn"] == true)
  }

  init(
    index: Int, userID: String, wallet: String, createdAt: NumericDate, expiresAt: NumericDate,
    isWithdrawn: Bool = false
  ) {
    (self.index, self.userID, self.wallet) = (index, userID, wallet)
    (self.createdAt, self.expiresAt, self.isWithdrawn) = (createdAt, expiresAt, isWithdrawn)
  }

  var document: [UInt8] {
    let members: JSONObject = ["user": .string(userID), "wallet": .string(wallet), "withdrawn": .bool(isWithdrawn)]
    return members.serialized()
  }

  var key: [UInt8] { Self.key(index) }

  /// The key of the record for a place.
  static func key(_ index: Int) -> [UInt8] { Array(String(index).utf8) }

  /// The place that a record's key names.
  static func index(_ key: [UInt8]) -> Int? { String(validating: key, as: UTF8.self).flatMap { Int($0) } }
}
