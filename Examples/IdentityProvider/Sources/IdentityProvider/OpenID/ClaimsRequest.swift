import JOSE

/// The individual claims that a request asks for.
///
/// Source: OpenID Connect Core 1.0 §5.5.
struct ClaimsRequest: Sendable {
  /// For the userinfo endpoint.
  var userInfo: [String] = []
  /// For the ID token.
  var idToken: [String] = []

  /// The claims of both lists.
  var names: [String] { userInfo + idToken }

  /// The parameter `claims`.
  init(asked: JSONObject) {
    userInfo = asked["userinfo"]?.objectValue?.members.map(\.name) ?? []
    idToken = asked["id_token"]?.objectValue?.members.map(\.name) ?? []
  }

  /// Reads what ``json`` wrote.
  init(_ object: JSONObject?) {
    userInfo = object?.strings("userinfo") ?? []
    idToken = object?.strings("id_token") ?? []
  }

  var json: JSONObject { ["userinfo": .strings(userInfo), "id_token": .strings(idToken)] }
}
