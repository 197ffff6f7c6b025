import Hummingbird
import JOSE
import JOSEHummingbird

/// Employees' cards: a section of the account page, and what a site needs to verify a card.
extension Provider {
  func addCardRoutes(to router: Router<ProviderContext>) {
    guard let cards, cards.areOffered else { return }
    router.get("/.well-known/jwt-vc-issuer") { _, _ in
      let members: JSONObject = ["issuer": .string(settings.issuer), "jwks_uri": .string(settings.issuer + "/jwks")]
      return Self.document(members.serialized(), "application/json", lifetime: 300)
    }
    router.get(RouterPath(EmployeeCards.listPath)) { _, _ in
      let list = try await cardStatuses.value {
        let key = try await keys.signingKey("ES256")
        return try await cards.list(signedWith: key) { try await sessions.isActive(userID: $0) }
      }
      return Self.document(Array(list.utf8), StatusList.mediaType, lifetime: EmployeeCards.timeToLive / 4)
    }
    action("/account/card", router) { form, login, request, context in
      try await giveCard(from: cards, form, login, request, context)
    }
    action("/account/card/withdraw", router) { form, login, request, context in
      // Also if the database's answer gets lost.
      defer { cardStatuses.forget() }
      guard try await cards.withdraw(form["card"], of: login.user.id) else {
        throw PageRefusal(text: "There is no such card any more. Go back and reload the page.")
      }
      await audit.record(.init("card.withdrawn", user: login.user.id, address: settings.source(of: request, context)))
      return nil
    }
  }

  private func giveCard(
    from cards: EmployeeCards, _ form: FormFields, _ login: Login, _ request: Request, _ context: ProviderContext
  ) async throws -> Response {
    let visit = Visit(request)
    guard let user = try await confirmedUser(form, login) else {
      await audit.record(.init("card.refused", user: login.user.id))
      return try await accountPage(login, visit, problem: "The password is wrong.").response(.forbidden)
    }
    let card: String
    do {
      card = try await cards.issue(
        to: user, walletKey: form["key"], signedWith: try await keys.signingKey("ES256"))
    } catch let refusal as EmployeeCards.Refusal {
      return try await accountPage(login, visit, problem: refusal.text).response(.badRequest)
    }
    await audit.record(.init("card.issued", user: login.user.id, address: settings.source(of: request, context)))
    return Page(
      title: "Your employee card", name: "card",
      body: """
        <p>Keep this text in your wallet. It is shown only now, and is of no use without your wallet's private key.</p>
        <p class="field"><label for="card">The card</label>\
        <textarea id="card" rows="12" readonly spellcheck="false">\(card)</textarea></p>
        <p><a href="/account">Done</a></p>
        """,
      navigation: navigation(login)
    ).response()
  }

  /// The section of the account page; nil if there are no cards.
  func cardSection(_ login: Login, _ visit: Visit) async throws -> HTML? {
    guard let cards, cards.areOffered else { return nil }
    let rows: [HTML] = try await cards.cards(of: login.user.id).map { card in
      """
      <tr><td><code>\(String(card.wallet.prefix(12)))</code></td><td>\(Self.text(card.createdAt))</td>\
      <td>\(Self.text(card.expiresAt))</td>\
      <td>\(button("Take back", "/account/card/withdraw", [("card", String(card.index))], visit))</td></tr>
      """
    }
    let password = HTML.field(
      "Password", name: "password", id: "password-card", type: "password", autocomplete: "current-password")
    return """
      <h2>Employee cards</h2>\(HTML.table(["Wallet’s key", "Since", "Until", ""], rows))
      <form method="post" action="/account/card">\(formField(visit))\
      \(HTML.lines("Public key of your wallet (a JWK, for ES256)", name: "key", value: ""))\
      \(password)<p><button type="submit" class="second">Get a card</button></p></form>
      """
  }
}

extension EmployeeCards.Refusal {
  /// What the user reads.
  fileprivate var text: String {
    switch self {
    case .unreadableKey: "This is no key: paste the JWK that your wallet shows, from { to }."
    case .privateKey:
      "This is a private key, which must not leave your wallet. Make another one, and paste its public half."
    case .otherKey: "Cards are bound to keys on the curve P-256, for ES256. Paste another public key."
    case .tooMany: "You have had too many cards lately. Use one that you have, or wait until some have expired."
    }
  }
}
