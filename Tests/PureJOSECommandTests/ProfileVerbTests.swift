import JOSE
import Testing

@testable import PureJOSECommand

@Suite("jose jwt verify --profile")
struct ProfileVerbTests {
  private static let key = JWK.generate(.es256)
  private static let files = ["key": Array(key.serializedWithPrivateKey())]
  private static let issuer = "https://idp.example.com"

  /// A token of each profile as the library issues it, with what it is for.
  private static func claims(_ profile: JWTProfile) -> (claims: JWTClaims, issuer: String, audience: String) {
    let (client, api) = ("client-1", "https://api.example.com")
    return switch profile {
    case .accessToken:
      (
        .accessToken(
          issuer: issuer, audience: [api], subject: "jane", clientID: client, scope: nil, lifetime: .seconds(60)),
        issuer, api
      )
    case .idToken:
      (
        .idToken(issuer: issuer, clientID: client, subject: "jane", nonce: "n-1", lifetime: .seconds(60)), issuer,
        client
      )
    case .logoutToken: (.logoutToken(issuer: issuer, clientID: client, subject: "jane", sessionID: nil), issuer, client)
    case .introspection:
      (.introspection(issuer: issuer, audience: api, answer: ["active": true]), issuer, api)
    case .requestObject: (.requestObject(clientID: client, audience: issuer, parameters: [:]), client, issuer)
    case .securityEvent:
      (.securityEvent(issuer: issuer, audience: [api], events: ["urn:example:event": [:]]), issuer, api)
    case .clientAssertion: (.clientAssertion(clientID: client, audience: issuer), client, issuer)
    }
  }

  private static func token(_ profile: JWTProfile) throws -> String {
    try JWT.sign(claims(profile).claims, with: SigningKey(key))
  }

  private static func verify(_ token: String, as profile: JWTProfile, _ arguments: [String] = []) -> CommandRun {
    let (_, issuer, audience) = claims(profile)
    return CommandRun(
      ["jwt", "verify", "--key", "key", "--profile", profile.rawValue, "--iss", issuer, "--aud", audience] + arguments,
      input: token, files: files)
  }

  @Test("each profile takes its own kind", arguments: JWTProfile.allCases)
  func accepted(_ profile: JWTProfile) throws {
    let run = Self.verify(try Self.token(profile), as: profile, profile == .idToken ? ["--nonce", "n-1"] : [])
    #expect(run.status == .done && run.errors.isEmpty)
    #expect(try JSONObject(parsing: run.output)["iss"] != nil)
  }

  @Test("no profile takes another kind", arguments: JWTProfile.allCases, JWTProfile.allCases)
  func excluded(_ offered: JWTProfile, _ taken: JWTProfile) throws {
    guard offered != taken else { return }
    let run = Self.verify(try Self.token(offered), as: taken)
    #expect(run.status == .invalid && run.output.isEmpty && run.errors.count == 1)
  }

  @Test("what is wrong is named")
  func refusals() throws {
    let token = try Self.token(.idToken)
    #expect(Self.verify(token, as: .idToken, ["--nonce", "n-2"]).errors[0].contains("claimMismatch(nonce)"))
    #expect(Self.verify(token, as: .idToken, ["--at", "1"]).errors[0].contains("claimNotYetValid(iat)"))
    #expect(Self.verify(token, as: .idToken, ["--at", "9999999999"]).errors[0].contains("claimExpired(exp)"))
    #expect(Self.verify(token, as: .idToken, ["--require", "acr"]).errors[0].contains("claimMissing(acr)"))
    let access = try Self.token(.accessToken)
    #expect(Self.verify(access, as: .accessToken, ["--typ", "at+jwt", "--leeway", "0"]).status == .done)
    #expect(Self.verify(access, as: .accessToken, ["--typ", "JWT"]).status == .usage)
  }

  @Test("an unknown profile is wrong usage, and the nearest is named")
  func unknown() {
    let run = CommandRun(
      ["jwt", "verify", "--key", "key", "--iss", "i", "--aud", "a", "--profile", "acess-token"], input: "",
      files: Self.files)
    #expect(run.status == .usage && run.errors[0].contains("did you mean access-token?"))
  }
}
