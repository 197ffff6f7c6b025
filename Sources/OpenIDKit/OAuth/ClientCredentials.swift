import JOSE

/// Who a client is, and how it proves that in each request.
struct ClientCredentials: Sendable {
  let clientID: String
  let authentication: OAuthTokenRefresher.ClientAuthentication

  /// Whether the form gets `client_id` by the way of proving.
  var isNamedInForm: Bool {
    if case .basic = authentication { false } else { true }
  }

  /// A form, with the proof in it or beside it.
  func request(_ fields: [(String, String)], to url: String) async throws -> HTTPRequestValue {
    var form = FormFields(fields)
    var headers = HTTPHeaderFields()
    try headers.append("Accept", "application/json")
    switch authentication {
    case .none:
      form.append("client_id", clientID)
    case .secretInForm(let secret):
      form.append("client_id", clientID)
      form.append("client_secret", secret)
    case .basic(let secret):
      // Both parts are form-encoded first (RFC 6749 §2.3.1).
      let credentials = PercentEncoding.encode(clientID) + ":" + PercentEncoding.encode(secret)
      try headers.append("Authorization", "Basic " + Base64.encode(Array(credentials.utf8)))
    case .fields(let make):
      form.append("client_id", clientID)
      for field in try await make() { form.append(field.name, field.value) }
    }
    return .post(form, to: url, headers: headers)
  }
}
