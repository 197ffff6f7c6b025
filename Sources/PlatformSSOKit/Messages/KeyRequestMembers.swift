/// Values of the members of key requests and key exchange requests.
enum KeyRequestMembers {
  static let version = "1.0"
  static let keyRequest = "key_request"
  static let keyExchange = "key_exchange"
  /// The only purpose known.
  static let userUnlock = "user_unlock"
}
