import Hummingbird

/// What other parts of the server ask of logins.
extension Provider {
  /// Shows the login page, and comes back to a page of the provider's own once somebody has logged in.
  ///
  /// - Parameters:
  ///   - path: with the query; it begins with a slash.
  ///   - loginHint: stands in the field for the user's name.
  package func askForLogin(
    _ request: Request, returningTo path: String, loginHint: String? = nil
  ) async throws -> Response {
    let visit = Visit(request)
    var interaction = Interaction(parameters: nil, visit: visit.name)
    (interaction.next, interaction.loginHint) = (path, loginHint)
    let id = try await interactions.add(interaction)
    return visit.remembered(in: redirect(to: "/login?request=\(id)"))
  }
}
