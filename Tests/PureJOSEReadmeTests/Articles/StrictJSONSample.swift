import StrictJSON

struct Account: Codable {
  let id: UInt64
  let name: String
}

func readAccount(_ bytes: [UInt8]) throws -> Account {
  // Refused: a name twice in one object, bad UTF-8, too much depth or size, a number that UInt64 can't hold exactly.
  let account = try StrictJSONDecoder().decode(Account.self, from: bytes)
  let object = try JSONObject(parsing: bytes)
  print(object["id"] as Any, account.name)
  return account
}
