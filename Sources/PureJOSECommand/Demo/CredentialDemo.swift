import JOSE
import StrictJSON
import Synchronization

/// Plays the life of an employee's card in one process: an employer that issues it, its holder's wallet, and a shop
/// that verifies what it is shown.
struct CredentialDemo {
  let console: Console

  /// Plays all scenes and shows what went over the wire.
  ///
  /// - Throws: ``CommandFailure/invalid(_:)`` if anything turns out otherwise than it must.
  func run() async throws(CommandFailure) {
    try await DemoTranscript.play(on: console) { transcript in
      let script = try CredentialDemoScript(transcript)
      try script.issue()
      try await script.present()
      try await script.refusals()
      try await script.revoke()
    }
  }
}

/// The employer: its keys, its metadata, and which of its cards are revoked.
private final class Employer: Sendable {
  static let url = "https://hr.example.com"
  static let list = url + "/statuslists/1"
  static let type = url + "/employee"

  let key: SigningKey
  private let keys: JWKSet
  private let clock: WallClock
  private let revoked = Mutex<Set<Int>>([])

  init(clock: WallClock) throws {
    let jwk = JWK.generate(.es256, keyID: "hr-1")
    key = try SigningKey(jwk)
    keys = JWKSet([jwk.publicKey].compactMap { $0 })
    self.clock = clock
  }

  func revoke(_ index: Int) { revoked.withLock { _ = $0.insert(index) } }

  /// What its web server answers.
  func answer(_ request: HTTPRequestValue) throws -> HTTPResponseValue {
    guard request.url.hasSuffix("/statuslists/1") else {
      let set = try JSONObject(parsing: keys.serialized())
      let metadata: JSONObject = ["issuer": .string(Self.url), "jwks": .object(set)]
      return HTTPResponseValue(status: 200, body: metadata.serialized())
    }
    var list = try StatusList(bits: 1, count: 1 << 20)
    for index in revoked.withLock({ $0 }) { try list.set(.invalid, at: index) }
    let token = try list.signed(for: Self.list, timeToLive: .seconds(300), with: key, clock: clock)
    let headers = try HTTPHeaderFields([("Content-Type", StatusList.mediaType)])
    return HTTPResponseValue(status: 200, headers: headers, body: Array(token.utf8))
  }
}

/// The scenes.
private final class CredentialDemoScript {
  private let transcript: DemoTranscript
  private let employer: Employer
  private let lists: StatusLists
  private let keys: RemoteKeySet
  private let policy: JWTPolicy
  /// Time passes where the script says so.
  private let now: Clock
  private let walletKey: JWK
  private let index = 4711
  private var card = ""

  private final class Clock: Sendable {
    let date: Mutex<NumericDate>
    init() { date = Mutex(WallClock.system.now) }
    var wall: WallClock { WallClock { self.date.withLock { $0 } } }
  }

  private static let shop = "https://shop.example.com"
  private static let query = #"""
    {"credentials": [{"id": "card", "format": "dc+sd-jwt", "meta": {"vct_values": ["https://hr.example.com/employee"]},
                      "claims": [{"path": ["given_name"]}, {"path": ["address", "city"], "values": ["London"]}]}]}
    """#

  init(_ transcript: DemoTranscript) throws {
    let (now, employer): (Clock, Employer)
    now = Clock()
    employer = try Employer(clock: now.wall)
    let send: HTTPTransport = { request in
      transcript.message("request to the employer", request)
      let response = try employer.answer(request)
      transcript.message("the employer's answer", response)
      return response
    }
    (self.transcript, self.employer, self.now) = (transcript, employer, now)
    walletKey = JWK.generate(.es256)
    keys = RemoteKeySet(issuer: Employer.url, metadata: .credential, clock: now.wall, transport: send)
    let ofLists = JWTPolicy(issuer: .notChecked, audience: .notChecked, clock: now.wall)
    lists = StatusLists(
      verifier: RemoteJWTVerifier(keys: keys, algorithms: [.es256], policy: ofLists), transport: send)
    var policy = JWTPolicy(
      issuer: .anyOf([Employer.url]), audience: .notChecked, type: .anyOf(["dc+sd-jwt"]), clock: now.wall)
    policy.status = .required(lists)
    self.policy = policy
  }

  func issue() throws {
    transcript.scene("The employer issues a card")
    let claims: JSONObject = [
      "iss": .string(Employer.url), "vct": .string(Employer.type),
      "exp": .number(JSONNumber(now.wall.now.advanced(by: .seconds(90 * 86_400)).wholeSeconds)),
      "given_name": "Ada", "birthdate": "1815-12-10", "address": ["street": "St James's Square 12", "city": "London"],
      "status": StatusReference(uri: Employer.list, index: index).claim,
    ]
    let token = try SDJWT.issue(
      claims, disclosing: ["given_name", "birthdate", ["address", "street"]], decoys: 2,
      holder: walletKey.publicKey, with: employer.key, type: "dc+sd-jwt")
    card = token.compact
    transcript.message("card", disclosing: card)
    let signed = try UnverifiedJWS(parsing: String(card.prefix { $0 != "~" })).unverifiedClaims
    try transcript.check("what is signed holds neither name nor birth date", signed?["given_name"] == nil)
    try transcript.check("its holder can keep three claims", try token.disclosedPaths().count == 3)
  }

  /// A presentation of the card to the shop.
  private func presentation(_ paths: [ClaimPath], nonce: String, key: JWK? = nil) throws -> String {
    let shown = try SDJWT(parsing: card).presenting(paths)
    return try shown.bound(to: Self.shop, nonce: nonce, with: SigningKey(key ?? walletKey), clock: now.wall).compact
  }

  private func verified(_ text: String, nonce: String, type: String = Employer.type) async throws
    -> VerifiedSDJWT<JSONObject>
  {
    var verifier = RemoteSDJWTVerifier(
      verifier: RemoteJWTVerifier(keys: keys, algorithms: [.es256], policy: policy),
      keyBinding: .required(audience: Self.shop, nonce: nonce))
    verifier.credentialTypes = [type]
    return try await verifier.verify(text)
  }

  func present() async throws {
    transcript.scene("A shop asks for a first name, and the holder shows it")
    let query = try CredentialQuery(parsing: Self.query.utf8)
    let text = try presentation(["given_name"], nonce: "n-1")
    let answer: JSONObject = ["card": [.string(text)]]
    transcript.message("presentation", disclosing: text)
    for (name, presented) in try query.presentations(in: answer) {
      let card = try await verified(presented, nonce: "n-1")
      try query.require(card, for: name)
      try transcript.check("the name is there", card.claims["given_name"] == "Ada")
      try transcript.check("birth date and street are not", card.claims["birthdate"] == nil)
      try transcript.check("the holder's key is at hand, for this shop and this time", card.keyBinding != nil)
    }
    try transcript.check("the employer's list says that the card is valid", true)
  }

  func refusals() async throws {
    transcript.scene("What the shop refuses")
    let query = try CredentialQuery(parsing: Self.query.utf8)
    func refused(_ what: String, _ code: ErrorCode, _ body: () async throws -> Void) async throws {
      var found: ErrorCode?
      do { try await body() } catch { found = (error as? JOSEError)?.code }
      try transcript.check("\(what): \(found?.description ?? "accepted")", found == code)
    }
    let good = try presentation(["given_name"], nonce: "n-1")
    let unbound = try SDJWT(parsing: card).presenting(["given_name"]).compact
    try await refused("the same presentation for another nonce", .claimMismatch) {
      _ = try await self.verified(good, nonce: "n-2")
    }
    try await refused("a card without its holder", .claimMismatch) {
      _ = try await self.verified(unbound, nonce: "n-1")
    }
    let stolen = try presentation(["given_name"], nonce: "n-1", key: JWK.generate(.es256))
    try await refused("a card in other hands", .signatureInvalid) { _ = try await self.verified(stolen, nonce: "n-1") }
    try await refused("a card of another kind", .claimMismatch) {
      _ = try await self.verified(good, nonce: "n-1", type: "https://hr.example.com/visitor")
    }
    let parts = good.split(separator: "~", omittingEmptySubsequences: false)
    let other = Base64URL.encode(#"["salt","given_name","Eve"]"#.utf8)
    let forged = ([parts[0], Substring(other)] + parts.dropFirst(2)).joined(separator: "~")
    try await refused("another name in place of the one that was signed", .malformed) {
      _ = try await self.verified(forged, nonce: "n-1")
    }
    let nameless = try presentation([], nonce: "n-1")
    try await refused("a card that keeps what was asked for", .claimMissing) {
      try query.require(try await self.verified(nameless, nonce: "n-1"), for: "card")
    }
  }

  func revoke() async throws {
    transcript.scene("The employer takes the card back")
    employer.revoke(index)
    _ = try await verified(try presentation(["given_name"], nonce: "n-3"), nonce: "n-3")
    try transcript.check("while the list may be kept, the card is accepted still", true)
    now.date.withLock { $0 = $0.advanced(by: .seconds(300)) }
    let text = try presentation(["given_name"], nonce: "n-4")
    var refusal: JOSEError?
    do { _ = try await verified(text, nonce: "n-4") } catch { refusal = error as? JOSEError }
    try transcript.check(
      "five minutes later it is refused: \(refusal?.code.description ?? "accepted")", refusal?.code == .statusRefused)
  }
}
