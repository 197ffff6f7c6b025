import JOSE
import StrictJSON

@testable import OpenIDKit

/// What a client's own check says of the ID tokens that exploring knows.
///
/// They are real ones, which the check judges by a `RemoteKeySet`, but once: exploring looks the verdicts up, so that
/// no way costs a signature.
struct ExploredVerdicts {
  /// An ID token that comes with a refresh.
  enum Token: CaseIterable {
    /// The login's, renewed.
    case renewed
    /// Another user's.
    case forged
    /// With `null` in place of what need not be there. That counts as absent.
    case withNull
    /// With `null` in place of the authorized party, which must be the login's.
    case withoutParty
    /// Signed with a key that the issuer has published since it was asked for its keys.
    case newKey

    fileprivate var changes: [String: JSONValue] {
      switch self {
      case .renewed, .newKey: [:]
      case .forged: ["sub": "mallory"]
      case .withNull: ["auth_time": .null, "nonce": .null, "acr": .null, "sid": .null, "at_hash": .null]
      case .withoutParty: ["azp": .null]
      }
    }
  }

  /// For how many seconds the issuer is not asked again for a key that is not known.
  static let cooldown: Double = RemoteKeySetPolicy.default.cooldown / Duration.seconds(1)

  /// What is said within the cooldown, and after it.
  private var early: [Token: IDTokenVerdict] = [:]
  private var late: [Token: IDTokenVerdict] = [:]

  /// The verdict on a token; nil if none has been given.
  func verdict(on token: Token, isLate: Bool) -> IDTokenVerdict? { isLate ? late[token] : early[token] }

  /// The verdicts of the check that an ``OpenIDClient`` makes at a refresh.
  static func judged() async throws -> ExploredVerdicts {
    let provider = try StandInProvider()
    let check = try await OpenIDClientTests.client(provider).idTokenCheck
    let newKey = try SigningKey.generate(.es256, keyID: "k2")
    let login = try JWT.sign(claims(of: provider), with: provider.key)
    func judge(_ tokens: [Token]) async throws -> [Token: IDTokenVerdict] {
      var verdicts: [Token: IDTokenVerdict] = [:]
      for token in tokens {
        var claims = claims(of: provider)
        for (name, value) in token.changes { claims[name] = value }
        let idToken = try JWT.sign(claims, with: token == .newKey ? newKey : provider.key)
        let renewed = TokenAnswer(accessToken: "at", expiresIn: .seconds(3600), refreshToken: nil, idToken: idToken)
        verdicts[token] = await check.verdict(on: renewed, continuing: login)
      }
      return verdicts
    }
    // The first check asks for the keys. Then the issuer publishes another.
    _ = try await judge([.renewed])
    let published = JWKSet([provider.key, newKey].compactMap { $0.verificationKey.publicJWK }).serialized()
    provider.fail { $0.keySetPage = String(decoding: published, as: UTF8.self) }
    var verdicts = ExploredVerdicts()
    verdicts.early = try await judge(Token.allCases)
    provider.clock.advance(cooldown)
    verdicts.late = try await judge(Token.allCases)
    return verdicts
  }

  private static func claims(of provider: StandInProvider) -> JSONObject {
    let now = provider.clock.date.wholeSeconds
    return [
      "iss": .string(provider.issuer), "sub": "alice", "aud": "site", "azp": "site",
      "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 300)), "auth_time": 1_759_999_900,
      "nonce": "n",
    ]
  }
}
