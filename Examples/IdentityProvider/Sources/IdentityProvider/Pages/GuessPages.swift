import Hummingbird
import JOSE

/// What a user is told of guesses at the account.
extension Provider {
  /// The page that the next login leads to first, if there were many guesses.
  ///
  /// - Parameter next: where the login goes on, a path of the provider's own.
  func pageOfGuesses(_ user: User, leadingTo next: String, _ visit: Visit) async throws -> String? {
    guard try await guesses.untold(of: user.id)?.needsPage == true else { return nil }
    var interaction = Interaction(visit: visit.name)
    interaction.next = next
    return "/login/told?request=\(try await interactions.add(interaction))"
  }

  func tellOfGuesses(_ request: Request) async throws -> Response {
    let (login, visit) = try await mustBeLoggedIn(request)
    let id = try query(request).values("request").first ?? ""
    guard try await interactions.interaction(id, visit: visit.name)?.next != nil else { throw Self.interactionOver }
    let text = try await guesses.untold(of: login.user.id).map { Self.text(of: $0, login.user) }
    return Page(
      title: "Attempts to log in as you", name: "guesses",
      body: """
        \(text)<form method="post" action="/login/told">\(formField(visit))\(HTML.hidden("request", id))\
        <p><button type="submit">Go on</button></p></form>
        """,
      navigation: navigation(login), formsLeadElsewhere: true
    ).response()
  }

  func toldOfGuesses(_ request: Request) async throws -> Response {
    let (form, visit) = try await pageForm(request)
    let (login, _) = try await mustBeLoggedIn(request)
    let id = form.values("request").first ?? ""
    guard let next = try await interactions.interaction(id, visit: visit.name)?.next,
      try await interactions.remove(id)
    else { throw Self.interactionOver }
    try await guesses.told(login.user.id)
    return redirect(to: next)
  }

  /// The part of the account page about guesses; nil if there were none.
  func guessSection(_ login: Login, _ visit: Visit) async throws -> HTML? {
    guard let untold = try await guesses.untold(of: login.user.id) else { return nil }
    return """
      <section><h2>Attempts to log in</h2>\(Self.text(of: untold, login.user))\
      <p>\(button("I have seen this", "/account/guesses", [], visit))</p></section>
      """
  }

  private static func text(of untold: GuessCounter.Untold, _ user: User) -> HTML {
    func line(_ count: Int, _ what: String) -> HTML? {
      count > 0 ? "<li>\(count) wrong \(what)\(count == 1 ? "" : "s")</li>" : nil
    }
    let advice: HTML =
      untold.codes > 0
      ? "<p>If the codes weren't yours, your password is known to others: change it.</p>"
      : user.hasSecondFactor
        ? "<p>If they weren't yours, your password is being guessed. Your second factor is asked for besides.</p>"
        : """
        <p>If they weren't yours, your password is being guessed. With a passkey or a second factor, a guess is not \
        enough, and you needn't wait for those who try.</p>
        """
    let (passwords, codes) = (line(untold.passwords, "password"), line(untold.codes, "code"))
    return "<ul>\(passwords)\(codes)</ul><p>The last one came on \(text(untold.last)).</p>\(advice)"
  }
}
