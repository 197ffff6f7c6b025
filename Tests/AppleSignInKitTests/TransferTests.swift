import JOSE
import Foundation
import IdentityTesting
import StrictJSON
import Synchronization
import Testing

@testable import AppleSignInKit
import AppleSignInKitFoundation

/// An app changes teams, and an app signs in natively.
@Suite struct TransferTests {
  private static let clientID = "com.example.app"
  private static let newTeam = "NEWTEAM123"
  private static let newKeyID = "NEWKEY1234"
  private let fixture: Fixture
  private let newKey: SigningKey

  init() throws {
    fixture = try Fixture()
    newKey = try SigningKey.generate(.es256, keyID: Self.newKeyID)
  }

  private func standIn() throws -> AppleStandIn {
    let old = AppleStandInClient(
      clientID: Self.clientID, teamID: Fixture.teamID, redirectURIs: [], secretKeys: try fixture.client().secretKeys)
    let new = AppleStandInClient(
      clientID: Self.clientID, teamID: Self.newTeam, redirectURIs: [], secretKeys: [newKey.verificationKey])
    return AppleStandIn(
      service: fixture.service, clients: [old, new], signingKey: fixture.serviceKey, clock: fixture.clock)
  }

  private func newSigner() throws -> AppleClientSecretSigner {
    try AppleClientSecretSigner(
      key: newKey, teamID: Self.newTeam, keyID: Self.newKeyID, service: fixture.service, clock: fixture.clock)
  }

  private func identityToken(_ claims: JSONObject = [:]) throws -> String {
    var all = Fixture.claimsT
    for (name, value) in [
      ("at_hash", nil), ("aud", .string(Self.clientID)), ("sub", .string(fixture.user.subject(teamID: Fixture.teamID))),
      ("nonce", .string(AppleNonce(unchecked: "n", form: .sha256Hex).claim)),
    ] as [(String, JSONValue?)] { all[name] = value }
    for (name, value) in claims.members { all[name] = value }
    return try fixture.token(all)
  }

  // MARK: Native sign-in

  @Test func `a native app's sign-in is one call`() async throws {
    let standIn = try standIn()
    let sent = Mutex<[FormFields]>([])
    let apple = AppleNativeSignIn(clientID: Self.clientID, signer: try fixture.signer()) { request in
      if let form = try? request.form() { sent.withLock { $0.append(form) } }
      return await standIn.handle(request)
    }
    let nonce = AppleNonce(unchecked: "n", form: .sha256Hex)
    let code = try #require(
      await standIn.nativeCode(clientID: Self.clientID, user: fixture.user, nonce: nonce.claim))
    let signIn = try await apple.finish(identityToken: identityToken(), authorizationCode: code, nonce: nonce)
    #expect(signIn.identity.subject == fixture.user.subject(teamID: Fixture.teamID))
    #expect(signIn.tokens.refreshToken != nil)
    // A native app has no redirect URI, and Apple refuses one.
    #expect(sent.withLock { $0.allSatisfy { $0.values("redirect_uri").isEmpty } && $0.count == 1 })
    let again = await failure {
      _ = try await apple.finish(identityToken: identityToken(), authorizationCode: code, nonce: nonce)
    }
    #expect(again?.name == "invalid_grant")
  }

  @Test func `a native app's credential goes to the server as JSON, with the name that comes once`() async throws {
    let standIn = try standIn()
    let apple = AppleNativeSignIn(clientID: Self.clientID, signer: try fixture.signer()) { await standIn.handle($0) }
    let nonce = AppleNonce(unchecked: "n", form: .sha256Hex)
    let code = try #require(
      await standIn.nativeCode(clientID: Self.clientID, user: fixture.user, nonce: nonce.claim))
    let sent = AppleCredential(
      identityToken: try identityToken(), authorizationCode: code, user: "u", givenName: "Ja\u{200B}ne",
      email: "no address")
    let body = try JSONEncoder().encode(sent)
    let credential = try JSONDecoder().decode(AppleCredential.self, from: body)
    let signIn = try await apple.finish(credential, nonce: nonce)
    #expect(credential == sent)
    #expect(signIn.user?.givenName == "Jane")
    #expect(signIn.user?.familyName == nil && signIn.user?.email == nil)
    #expect(AppleUser(givenName: "", familyName: "\u{202E}", email: nil) == nil)
    #expect("\(sent)" == "AppleCredential(redacted)" && Mirror(reflecting: sent).children.isEmpty)
  }

  @Test func `an invalid identity token or code is refused before the code is sent to Apple`() async throws {
    let standIn = try standIn()
    let codes = Mutex(0)
    let apple = AppleNativeSignIn(clientID: Self.clientID, signer: try fixture.signer()) { request in
      if request.method == "POST" { codes.withLock { $0 += 1 } }
      return await standIn.handle(request)
    }
    let nonce = AppleNonce(unchecked: "n", form: .sha256Hex)
    let cases: [(JSONObject, AppleNonce?, ErrorCode)] = [
      (["aud": "com.example.web"], nonce, .claimMismatch), (["nonce": "n"], nonce, .nonceMismatch),
      ([:], nil, .nonceMismatch), (["exp": 1], nonce, .claimExpired),
      (["iss": "https://evil.example"], nonce, .claimMismatch),
      (["c_hash": "another"], nonce, .claimMismatch),
    ]
    for (claims, nonce, code) in cases {
      let error = await failure {
        _ = try await apple.finish(
          identityToken: identityToken(claims), authorizationCode: Fixture.code, nonce: nonce)
      }
      #expect(error?.code == code)
    }
    for code in ["", "a b", "\u{E9}", String(repeating: "c", count: 1025)] {
      let error = await failure {
        _ = try await apple.finish(identityToken: identityToken(), authorizationCode: code, nonce: nonce)
      }
      #expect(error?.code == .authorizationCodeInvalid)
    }
    #expect(codes.withLock { $0 } == 0)
  }

  @Test func `a code of another user than the identity token's is refused`() async throws {
    let standIn = try standIn()
    let apple = AppleNativeSignIn(clientID: Self.clientID, signer: try fixture.signer()) { await standIn.handle($0) }
    let nonce = AppleNonce(unchecked: "n", form: .sha256Hex)
    let other = AppleStandInUser(id: "u2", givenName: "Eve", familyName: "E", email: "eve@example.com")
    let code = try #require(await standIn.nativeCode(clientID: Self.clientID, user: other, nonce: nonce.claim))
    let error = await failure {
      _ = try await apple.finish(identityToken: identityToken(), authorizationCode: code, nonce: nonce)
    }
    #expect(error?.code == .subjectMismatch)
  }

  // MARK: Transfer

  @Test func `a transfer subject leads from a user of the old team to the same user of the new team`() async throws {
    let standIn = try standIn()
    let tokens = Mutex(0)
    let transport: HTTPTransport = { request in
      if let form = try? request.form(), form.values("scope") == ["user.migration"] { tokens.withLock { $0 += 1 } }
      return await standIn.handle(request)
    }
    let native = AppleNativeSignIn(clientID: Self.clientID, signer: try fixture.signer(), transport: transport)
    let nonce = AppleNonce(unchecked: "n", form: .sha256Hex)
    let code = try #require(
      await standIn.nativeCode(clientID: Self.clientID, user: fixture.user, nonce: nonce.claim))
    let subject = try await native.finish(identityToken: identityToken(), authorizationCode: code, nonce: nonce)
      .identity.subject
    let giving = AppleTransferClient(clientID: Self.clientID, signer: try fixture.signer(), transport: transport)
    let transferSubject = try await giving.transferSubject(of: subject, forTeam: Self.newTeam)
    #expect(try await giving.transferSubject(of: subject, forTeam: Self.newTeam) == transferSubject)
    let taking = AppleTransferClient(clientID: Self.clientID, signer: try newSigner(), transport: transport)
    let user = try await taking.user(transferSubject: transferSubject)
    #expect(user.subject == fixture.user.subject(teamID: Self.newTeam) && user.subject != subject)
    #expect(user.isPrivateEmail && user.email?.hasSuffix("@privaterelay.appleid.com") == true)
    // One access token serves for many users, one for each team.
    #expect(tokens.withLock { $0 } == 2)
    #expect(await failure { _ = try await taking.user(transferSubject: "unknown") }?.code == .serverRefused)
    #expect(await failure { _ = try await giving.user(transferSubject: transferSubject) }?.code == .serverRefused)
    #expect(!"\(user)".contains(user.subject))
  }

  /// A client that gets a token, and for its users one answer.
  private func client(
    _ answer: HTTPResponseValue, _ sent: @escaping @Sendable (HTTPRequestValue) -> Void = { _ in }
  ) throws -> AppleTransferClient {
    AppleTransferClient(clientID: Self.clientID, signer: try fixture.signer()) { request in
      sent(request)
      guard !request.url.hasSuffix("usermigrationinfo") else { return answer }
      return HTTPResponseValue(
        status: 200, body: Array(#"{"access_token":"at","token_type":"Bearer","expires_in":3600}"#.utf8))
    }
  }

  @Test func `the messages of a transfer, as documented`() async throws {
    let sent = Mutex<[HTTPRequestValue]>([])
    let bare = HTTPResponseValue(
      status: 200, body: Array(#"{"sub":"s","transfer_sub":"t","is_private_email":"yes"}"#.utf8))
    let client = try client(bare) { request in sent.withLock { $0.append(request) } }
    #expect(try await client.transferSubject(of: "s", forTeam: Self.newTeam) == "t")
    #expect(try await client.user(transferSubject: "t").subject == "s")
    let requests = sent.withLock { $0 }
    try #require(requests.count == 3)
    let token = try requests[0].form()
    #expect(token.values("grant_type") == ["client_credentials"] && token.values("scope") == ["user.migration"])
    #expect(requests[1].url == "https://appleid.apple.com/auth/usermigrationinfo")
    #expect(requests[1].headers.values("Authorization") == ["Bearer at"])
    #expect(try requests[1].form().fields.map(\.name) == ["sub", "target", "client_id", "client_secret"])
    #expect(try requests[1].form().values("target") == [Self.newTeam])
    #expect(try requests[2].form().fields.map(\.name) == ["transfer_sub", "client_id", "client_secret"])
    for team in ["", "newteam123", "NEWTEAM12"] {
      #expect(await failure { _ = try await client.transferSubject(of: "s", forTeam: team) }?.code == .teamIDInvalid)
    }
    for subject in ["", String(repeating: "s", count: 256)] {
      #expect(await failure { _ = try await client.user(transferSubject: subject) }?.code == .fieldInvalid)
    }
    #expect(sent.withLock { $0.count } == 3)
  }

  @Test func `each malformed or failed response to a transfer request has its own error`() async throws {
    let cases: [(Int, String, ErrorCode)] = [
      (200, "", .malformed), (200, "[]", .malformed), (200, "{}", .fieldMissing),
      (200, #"{"sub":1}"#, .claimInvalid), (200, #"{"sub":""}"#, .fieldInvalid),
      (200, #"{"sub":"s","email":1}"#, .claimInvalid), (200, #"{"sub":"s","sub":"t"}"#, .malformed),
      (400, #"{"error":"invalid_request"}"#, .serverRefused), (400, "<html>", .serverUnavailable),
      (500, #"{"error":"invalid_request"}"#, .serverUnavailable), (302, "", .serverUnavailable),
      (429, #"{"error":"x"}"#, .serverUnavailable), (403, #"{"error":"Forbidden"}"#, .serverUnavailable),
    ]
    for (status, body, code) in cases {
      let client = try client(HTTPResponseValue(status: status, body: Array(body.utf8)))
      #expect(await failure { _ = try await client.user(transferSubject: "t") }?.code == code)
    }
  }

  @Test func `an access token that has ended is replaced once`() async throws {
    let standIn = try standIn()
    let refused = Mutex(0)
    let taking = AppleTransferClient(clientID: Self.clientID, signer: try newSigner()) { request in
      guard request.url.hasSuffix("usermigrationinfo") else { return await standIn.handle(request) }
      refused.withLock { $0 += 1 }
      return HTTPResponseValue(status: 401, body: Array(#"{"error":"invalid_token"}"#.utf8))
    }
    #expect(await failure { _ = try await taking.user(transferSubject: "t") }?.code == .serverRefused)
    #expect(refused.withLock { $0 } == 2)
  }

  @Test func `a client secret that Apple refuses is made anew for the next user`() async throws {
    let secrets = Mutex<[String]>([])
    let clock = ManualClock(1_760_000_100)
    let client = AppleTransferClient(clientID: Self.clientID, signer: try Fixture().signer(clock: clock.wallClock)) {
      let secret = try $0.form().values("client_secret").first ?? ""
      secrets.withLock { $0.append(secret) }
      return HTTPResponseValue(status: 400, body: Array(#"{"error":"invalid_client"}"#.utf8))
    }
    for _ in 0..<2 {
      #expect(await failure { _ = try await client.user(transferSubject: "t") }?.name == "invalid_client")
      clock.move(to: 1_760_000_110)
    }
    // Each is asked once more with another secret.
    #expect(secrets.withLock { Set($0).count == 4 && $0.count == 4 })
  }
}
