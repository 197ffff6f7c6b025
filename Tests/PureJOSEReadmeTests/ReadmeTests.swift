import Foundation
import JOSE
import Testing

@Suite("README")
struct ReadmeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test("the samples in the README are the ones that this target compiles", arguments: ["ServerSample", "AppSample"])
  func samples(_ name: String) throws {
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    let file = Self.root.appending(path: "Tests/PureJOSEReadmeTests/\(name).swift")
    let sample = try String(contentsOf: file, encoding: .utf8)
    #expect(readme.contains("```swift\n\(sample)```"))
    #expect(sample.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
  }

  @Test("the server sample lets the right token in and no other")
  func server() throws {
    let issuer = try SigningKey.generate(.es256, keyID: "2026-01")
    let keySet = JWKSet([try #require(issuer.verificationKey.publicJWK)]).serialized()
    let authenticator = try Authenticator(keySet: keySet)
    var claims: JSONObject = [
      "iss": "https://idp.example.com", "aud": "https://api.example.com", "sub": "jane", "client_id": "shop",
      "jti": "1", "scope": "orders", "iat": .number(JSONNumber(WallClock.system.now.wholeSeconds)),
      "exp": .number(JSONNumber(WallClock.system.now.wholeSeconds + 300)),
    ]
    let token = try JWT.sign(claims, with: issuer, type: "at+jwt")
    #expect(authenticator.session(authorization: "Bearer " + token)?.sub == "jane")
    #expect(authenticator.session(authorization: token) == nil)
    #expect(authenticator.session(authorization: "Bearer " + token.dropLast()) == nil)
    claims["aud"] = "https://other.example.com"
    #expect(
      authenticator.session(authorization: "Bearer " + (try JWT.sign(claims, with: issuer, type: "at+jwt"))) == nil)
  }

  @Test("the app sample signs and opens")
  func app() throws {
    let messenger = Messenger()
    let keys = try JWKSet(parsing: messenger.publicKeys)
    let request = try JWS.verify(messenger.request("tea"), with: keys, algorithms: [.es256])
    #expect(request.header.type == "order+jwt")
    let recipient = try EncryptionKey(#require(keys.keys.last))
    #expect(try messenger.open(JWE.encrypt(Array("thanks".utf8), to: recipient)) == Array("thanks".utf8))
  }
}
