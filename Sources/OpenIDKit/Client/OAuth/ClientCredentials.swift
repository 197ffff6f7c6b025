import JOSE

/// Who a client is, and how it proves that in each request.
package struct ClientCredentials: Sendable {
  let clientID: String
  let authentication: ClientAuthentication

  package init(clientID: String, authentication: ClientAuthentication) {
    (self.clientID, self.authentication) = (clientID, authentication)
  }

  /// The client's secret, if it has one, which no error may show.
  package var secrets: [String] {
    switch authentication {
    case .none, .fields: []
    case .basic(let secret), .secretInForm(let secret): [secret]
    }
  }

  /// A form, with the proof in it or beside it. A `client_id` that is in it stays.
  ///
  /// - Parameter accepted: what the answer may be.
  package func request(
    _ fields: FormFields, to url: String, accepting accepted: String = MediaType.json
  ) async throws -> HTTPRequestValue {
    var form = fields
    var headers = HTTPHeaderFields()
    try headers.append("Accept", accepted)
    try headers.append(HTTPHeaderFields.uncoded.name, HTTPHeaderFields.uncoded.value)
    // With `Basic`, the field itself names the client.
    let isNamedInForm = if case .basic = authentication { false } else { true }
    if isNamedInForm, form.values("client_id").isEmpty { form.append("client_id", clientID) }
    switch authentication {
    case .none: break
    case .secretInForm(let secret): form.append("client_secret", secret)
    case .basic(let secret):
      try headers.append("Authorization", AuthorizationCredentials.basic(clientID: clientID, secret: secret))
    case .fields(let make):
      for field in try await make() { form.append(field.name, field.value) }
    }
    return .post(form, to: url, headers: headers)
  }
}
