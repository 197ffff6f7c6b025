import Hummingbird
import JOSE
import JOSEHummingbird

/// Takes the cards that the provider gives its employees (SD-JWT VC): a visitor shows a name, and nothing else.
///
/// The provider is asked for its keys and for its list of cards that were taken back, both of which are kept for a
/// while, so it does not learn who shows a card.
struct CardDesk: Sendable {
  /// What a visitor must show, as a wallet reads it (OpenID for Verifiable Presentations, §6).
  private let query: CredentialQuery
  private let verifier: RemoteJWTVerifier
  private let type: String
  private let site: String

  private let visits = Shelf<String>(capacity: 10_000)
  private let cookie = HostCookie("card", lifetime: 600)

  init(provider: Provider, site: String) throws(JOSEError) {
    let issuer = provider.metadata.issuer
    (type, self.site) = (issuer + "/employee-card", site)
    let wanted: JSONObject = [
      "id": "card", "format": "dc+sd-jwt", "meta": ["vct_values": [.string(type)]], "claims": [["path": ["name"]]],
    ]
    query = try CredentialQuery(parsing: (["credentials": [.object(wanted)]] as JSONObject).serialized())
    let keys = RemoteKeySet(
      issuer: issuer, metadata: .credential, plainHTTP: .loopback, transport: provider.send)
    let lists = StatusLists(
      verifier: RemoteJWTVerifier(
        keys: keys, algorithms: [.es256],
        policy: JWTPolicy(issuer: .notChecked, audience: .notChecked, leeway: .seconds(60))),
      plainHTTP: .loopback, transport: provider.send)
    var policy = JWTPolicy(
      issuer: .anyOf([issuer]), audience: .notChecked, type: .anyOf(["dc+sd-jwt"]), leeway: .seconds(60))
    policy.status = .required(lists)
    verifier = RemoteJWTVerifier(keys: keys, algorithms: [.es256], policy: policy)
  }

  /// Asks for a card. The nonce ties what is shown to this visit.
  func ask() async -> (content: Page.Content, cookie: HostCookie, name: String) {
    let nonce = RandomName.make()
    return (.cardAsked(audience: site, nonce: nonce), cookie, await visits.insert(nonce))
  }

  /// Looks at the card that a form brings. Each nonce is good for one look.
  func look(at request: Request) async -> Page.Content {
    guard let name = cookie.value(in: request), let nonce = await visits.take(name) else {
      return .trouble("This page is too old, or another browser’s. Go back and begin again.")
    }
    do {
      let card = try await card(in: request, nonce: nonce)
      return .card(name: card.claims["name"]?.stringValue ?? "", isAlone: card.disclosedPaths.count == 1)
    } catch let error as JOSEError where error.fault == .unavailable {
      return .trouble("Whether the card is still good can’t be told right now. Try again later.")
    } catch let error as JOSEError {
      switch error.code {
      case .statusRefused: return .trouble("This card was taken back.")
      case .claimExpired where error.name == "exp": return .trouble("This card has expired.")
      default: return .trouble("This is not the card that was asked for: \(error.name ?? error.code.description).")
      }
    } catch {
      return .trouble("The form could not be read. Go back and begin again.")
    }
  }

  private func card(in request: Request, nonce: String) async throws -> VerifiedSDJWT<JSONObject> {
    let form = try await HTTPRequestValue(request).form()
    let text = form.values("card").first ?? ""
    var desk = RemoteSDJWTVerifier(verifier: verifier, keyBinding: .required(audience: site, nonce: nonce))
    desk.credentialTypes = [type]
    let card = try await desk.verify(String(text.filter { !$0.isWhitespace }))
    try query.require(card, for: "card")
    return card
  }
}
