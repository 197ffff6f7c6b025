import JOSE

/// The claims that a request asks for one by one.
///
/// Source: OpenID Connect Core 1.0 §5.5.
struct ClaimsRequest: Sendable {
  /// For the userinfo endpoint.
  var userInfo: [String] = []
  /// For the ID token.
  var idToken: [String] = []

  /// The claims that users have, once each.
  var names: [String] {
    let known = Scopes.claims.flatMap(\.value)
    return known.filter { userInfo.contains($0) || idToken.contains($0) }
  }

  /// Nil for what is no request. Claims that there are not are ignored.
  init?(_ text: String?) {
    guard let text else { return }
    guard text.utf8.count <= 8192, let object = try? JSONObject(parsing: Array(text.utf8)) else { return nil }
    for (member, path) in Self.places {
      guard let value = object[member], !value.isNull else { continue }
      guard let asked = value.objectValue else { return nil }
      self[keyPath: path] = asked.names
    }
  }

  private static var places: [(String, WritableKeyPath<ClaimsRequest, [String]>)] {
    [("userinfo", \.userInfo), ("id_token", \.idToken)]
  }

  /// What ``json`` wrote.
  init(_ object: JSONObject?) {
    userInfo = object?.strings("userinfo") ?? []
    idToken = object?.strings("id_token") ?? []
  }

  var json: JSONObject { ["userinfo": .strings(userInfo), "id_token": .strings(idToken)] }
}
