import Foundation
import JOSE
import PlatformSSOKit
import PureCrypto
import Testing

@testable import PureJOSECommand

@Suite("jose psso")
struct PSSOVerbTests {
  /// One login: nonce, request, check, response, opened into `tokens.json`.
  private func logIn(_ shell: PSSOShell, by credential: String) throws {
    try shell.fetchNonce()
    let request = try shell.run(
      "login-request --config mac.json --nonce-request nonce-request.json", input: "nonce.json", output: "login.json")
    #expect(request.status == .done, "\(request.errors)")
    let checked = try shell.run("check-request --config idp.json", input: "login.json")
    #expect(checked.status == .done, "\(checked.errors)")
    let found = try JSONObject(parsing: checked.output)
    #expect(found["message"] == "login" && found["credential"] == .string(credential))
    #expect(found["device"] == "mac-1" && found["user"] == "jane@example.com")
    #expect(found["requested_groups"] == ["staff"])
    #expect(!checked.text.contains("correct horse"))
    let answered = try shell.run("respond --config idp.json", input: "login.json", output: "login-response.json")
    #expect(answered.status == .done && answered.errors.isEmpty, "\(answered.errors)")
    #expect(try shell.object("login-response.json")["status"] == 200)
    let opened = try shell.run(
      "open-response --config mac.json --request login.json", input: "login-response.json", output: "tokens.json")
    #expect(opened.status == .done, "\(opened.errors)")
    let tokens = try shell.object("tokens.json")
    #expect(tokens["message"] == "login" && tokens["unique_identifier"] == "5b1f8c3e")
    #expect(tokens["id_token_claims"]?.objectValue?["name"] == "Jane Example")
    #expect(tokens["refresh_token_expires_in"] == 28_800)
  }

  @Test("serve says where the server stands, and there it stands")
  func serve() throws {
    let run = CommandRun(["psso", "serve"])
    #expect(run.status == .usage && run.output.isEmpty)
    #expect(run.errors.joined().contains("--package-path Examples/PlatformSSOServer psso-serve"))
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let manifest = try String(
      contentsOf: root.appending(path: "Examples/PlatformSSOServer/Package.swift"), encoding: .utf8)
    #expect(manifest.contains("\"psso-serve\""))
  }

  @Test("A login in every method, from device to provider to device, through files")
  func logins() throws {
    let shell = try PSSOShell()
    try logIn(shell, by: "password")
    try shell.edit("mac.json") { $0["login"] = ["method": "userSecureEnclaveKey", "key": "user.jwk"] }
    try logIn(shell, by: "userSecureEnclaveKey")
    try shell.edit("mac.json") {
      $0["login"] = ["method": "smartCard", "key": "card.jwk", "certificate": "card.der"]
    }
    try logIn(shell, by: "smartCard")
    try shell.edit("mac.json") {
      $0["login"] = [
        "method": "webAuthorization", "callbackURL": "com.apple.platformsso://callback?code=code-1&state=s",
        "state": "s",
      ]
    }
    try logIn(shell, by: "webAuthorization")
    try shell.edit("mac.json") {
      $0["login"] = ["method": "password", "password": "correct horse"]
      var configuration = $0["loginConfiguration"]?.objectValue ?? [:]
      configuration["loginRequestEncryptionPublicKey"] = "idp-login.pub.jwk"
      configuration["loginRequestEncryptionAPVPrefix"] = "EXAMPLE"
      $0["loginConfiguration"] = .object(configuration)
    }
    try logIn(shell, by: "encryptedPassword")
  }

  @Test("Refresh, key request and key exchange go on from a login's tokens")
  func afterLogin() throws {
    let shell = try PSSOShell()
    try logIn(shell, by: "password")
    func exchange(_ words: String, _ message: String, _ output: String) throws -> JSONObject {
      try shell.fetchNonce()
      let request = try shell.run(
        "\(words) --config mac.json --tokens tokens.json --nonce-request nonce-request.json", input: "nonce.json",
        output: "request.json")
      #expect(request.status == .done, "\(request.errors)")
      let checked = try shell.run("check-request --config idp.json", input: "request.json")
      #expect(try JSONObject(parsing: checked.output)["message"] == .string(message))
      try shell.run("respond --config idp.json", input: "request.json", output: "response.json")
      let opened = try shell.run(
        "open-response --config mac.json --request request.json", input: "response.json", output: output)
      #expect(opened.status == .done, "\(opened.errors)")
      let object = try shell.object(output)
      #expect(object["message"] == .string(message))
      return object
    }
    let refreshed = try exchange("refresh-request", "refresh", "tokens.json")
    #expect(refreshed["unique_identifier"] == "5b1f8c3e")
    let key = try exchange("key-request", "key", "key.json")
    // The same key for the same user and device, whenever it is asked for.
    let again = try exchange("key-request", "key", "key.json")
    #expect(key["public_key"] == again["public_key"] && key["key_context"] != nil)
    let exchanged = try exchange("key-exchange-request --key-response key.json", "keyExchange", "shared.json")
    let plain = try exchange("key-exchange-request", "keyExchange", "shared.json")
    #expect(exchanged["key"] == plain["key"])
    // The other key's private half gives the same secret.
    let other = try DecryptionKey(JWK(parsing: shell.read("other.jwk")))
    let point = try Base64.decode(key["public_key"]?.stringValue ?? "")
    #expect(exchanged["key"] == .string(try Self.sharedSecret(other, point)))
  }

  private static func sharedSecret(_ key: DecryptionKey, _ point: [UInt8]) throws -> String {
    let other = try P256PublicKey(x963Representation: point)
    return try key.sharedSecret(with: .ec(.p256(other))).withUnsafeBytes { Base64.encode($0) }
  }

  @Test("Two tenants' devices of one name have nothing of each other's")
  func tenants() throws {
    let shell = try PSSOShell()
    for name in ["other-signing", "other-encryption"] {
      let algorithm = name == "other-signing" ? "ES256" : "ECDH-ES"
      let key = CommandRun(["key", "generate", "--alg", algorithm, "--kid", name]).output
      try shell.write(key, "\(name).jwk")
      try shell.write(CommandRun(["key", "public"], input: key).output, "\(name).pub.jwk")
    }
    try shell.edit("idp.json") {
      $0["authorizationURL"] = "https://idp.example.com/authorize"
      $0["devices"] = [
        [
          "id": "mac-1", "signingKey": "device-signing.pub.jwk", "encryptionKey": "device-encryption.pub.jwk",
          "tenant": "t1",
        ],
        [
          "id": "mac-1", "signingKey": "other-signing.pub.jwk", "encryptionKey": "other-encryption.pub.jwk",
          "tenant": "t2",
        ],
      ]
    }
    try shell.write(shell.read("mac.json"), "second.json")
    try shell.edit("second.json") {
      ($0["deviceSigningKey"], $0["deviceEncryptionKey"]) = ("other-signing.jwk", "other-encryption.jwk")
    }
    /// A request of one of the Macs and what it makes of the answer; nil for a refusal.
    func ask(_ words: String, as mac: String) throws -> JSONObject? {
      try shell.run("nonce-request --config \(mac)", output: "nonce-request.json")
      try shell.run("respond --config idp.json", input: "nonce-request.json", output: "nonce.json")
      let request = try shell.run(
        "\(words) --config \(mac) --nonce-request nonce-request.json", input: "nonce.json", output: "request.json")
      #expect(request.status == .done, "\(request.errors)")
      try shell.run("respond --config idp.json", input: "request.json", output: "response.json")
      guard try shell.object("response.json")["status"] == 200 else { return nil }
      let opened = try shell.run(
        "open-response --config \(mac) --request request.json", input: "response.json", output: "opened.json")
      #expect(opened.status == .done, "\(opened.errors)")
      return try shell.object("opened.json")
    }
    // Each has its own tokens and keys.
    var keys: [JSONValue?] = []
    for (mac, tokens) in [("mac.json", "tokens-1.json"), ("second.json", "tokens-2.json")] {
      try shell.write(#require(try ask("login-request", as: mac)).serialized(), tokens)
      #expect(try ask("refresh-request --tokens \(tokens)", as: mac) != nil)
      let key = try #require(try ask("key-request --tokens \(tokens)", as: mac))
      try shell.write(key.serialized(), "key-\(tokens)")
      #expect(try ask("key-exchange-request --tokens \(tokens) --key-response key-\(tokens)", as: mac) != nil)
      keys.append(key["public_key"])
    }
    #expect(keys[0] != keys[1])
    // And nothing of the other's.
    #expect(try ask("refresh-request --tokens tokens-1.json", as: "second.json") == nil)
    #expect(try ask("key-request --tokens tokens-1.json", as: "second.json") == nil)
    #expect(
      try ask("key-exchange-request --tokens tokens-2.json --key-response key-tokens-1.json", as: "second.json") == nil)
    // The user's key on the first device of the name, and a code that the browser brought to it.
    for mac in ["mac.json", "second.json"] {
      try shell.edit(mac) { $0["login"] = ["method": "userSecureEnclaveKey", "key": "user.jwk"] }
      #expect(try (ask("login-request", as: mac) != nil) == (mac == "mac.json"))
    }
  }

  @Test("A login by a browser from preauthentication to tokens, through files")
  func browser() throws {
    let shell = try PSSOShell()
    try shell.edit("idp.json") { $0["authorizationURL"] = "https://idp.example.com/authorize" }
    try shell.edit("mac.json") {
      var configuration = $0["loginConfiguration"]?.objectValue ?? [:]
      configuration["federationUserPreauthenticationURL"] = "https://idp.example.com/discovery"
      configuration["isFederated"] = ["account_type": "Federated"]
      $0["loginConfiguration"] = .object(configuration)
    }
    let asked = try shell.run("preauthentication-request --config mac.json", output: "asked.json")
    #expect(asked.status == .done, "\(asked.errors)")
    #expect(try shell.object("asked.json")["method"] == "GET")
    try shell.run("respond --config idp.json", input: "asked.json", output: "answer.json")
    let opened = try shell.run("open-response --config mac.json --request asked.json", input: "answer.json")
    let found = try JSONObject(parsing: opened.output)
    #expect(found["federated"] == true && found["authorization_url"] == "https://idp.example.com/authorize")
    #expect(found["response"]?.objectValue?["federation_protocol"] == "OIDC")
    let request = try shell.run("authorization-request --config mac.json", input: "answer.json", output: "request.json")
    #expect(request.status == .done, "\(request.errors)")
    let checked = try shell.run("check-request --config idp.json", input: "request.json")
    #expect(try JSONObject(parsing: checked.output)["login_hint"] == "jane@example.com")
    try shell.run("respond --config idp.json", input: "request.json", output: "redirect.json")
    let redirect = try shell.object("redirect.json")
    #expect(redirect["status"] == 303)
    let location = redirect["headers"]?.objectValue?["Location"]?.stringValue ?? ""
    #expect(location.hasPrefix("com.apple.platformsso://callback?code=code-1&state="))
    try shell.edit("mac.json") {
      $0["login"] = [
        "method": "webAuthorization", "callbackURL": .string(location),
        "state": .string(location.components(separatedBy: "state=").last ?? ""),
      ]
    }
    try logIn(shell, by: "webAuthorization")
    // What a browser brought to a tenant's device is good in that tenant alone.
    func move(to tenant: String) throws {
      try shell.edit("idp.json") { file in
        var device = file["devices"]?.arrayValue?.first?.objectValue ?? [:]
        device["tenant"] = .string(tenant)
        file["devices"] = [.object(device)]
      }
    }
    try move(to: "t1")
    try shell.run("respond --config idp.json", input: "request.json", output: "redirect.json")
    let tenants = try shell.object("redirect.json")["headers"]?.objectValue?["Location"]?.stringValue ?? ""
    #expect(tenants.hasPrefix("com.apple.platformsso://callback?code=code-1."))
    try shell.edit("mac.json") { file in
      var login = file["login"]?.objectValue ?? [:]
      login["callbackURL"] = .string(tenants)
      file["login"] = .object(login)
    }
    try logIn(shell, by: "webAuthorization")
    try move(to: "t2")
    try shell.fetchNonce()
    try shell.run(
      "login-request --config mac.json --nonce-request nonce-request.json", input: "nonce.json", output: "login.json")
    try shell.run("respond --config idp.json", input: "login.json", output: "login-response.json")
    #expect(try shell.object("login-response.json")["status"] != 200)
    // Who has no code logs in as everybody does.
    try shell.edit("idp.json") { $0["authorizationURL"] = nil }
    try shell.run("respond --config idp.json", input: "asked.json", output: "answer.json")
    let refused = try shell.run("authorization-request --config mac.json", input: "answer.json")
    #expect(refused.status == .invalid && refused.output.isEmpty && refused.errors.count == 1)
  }

  @Test("A login that asks for a key gets one, and its context")
  func unlock() throws {
    let shell = try PSSOShell()
    let key = try DecryptionKey(JWK(parsing: shell.read("other.jwk")))
    let jwk = try shell.object("other.pub.jwk")
    let coordinates = try ["x", "y"].flatMap { try Base64URL.decode(jwk[$0]?.stringValue ?? "") }
    try shell.fetchNonce()
    try shell.run(
      "login-request --config mac.json --nonce-request nonce-request.json", input: "nonce.json", output: "login.json")
    // As macOS 27 asks.
    let signingKey = try SigningKey(JWK(parsing: shell.read("device-signing.jwk")), algorithm: .es256)
    try shell.edit("login.json") { request in
      guard let form = try? FormFields(decoding: Array((request["body"]?.stringValue ?? "").utf8)),
        let parsed = try? UnverifiedJWS(parsing: form.requiredValue("assertion")),
        var claims = try? JSONObject(parsing: parsed.unverifiedPayload)
      else { return }
      claims["other_publickey"] = .string(Base64.encode([4] + coordinates))
      guard
        let token = try? JWS.sign(
          claims.serialized(), with: signingKey,
          header: HeaderParameters(type: parsed.unverifiedHeader.type, keyID: parsed.unverifiedHeader.keyID))
      else { return }
      let fields = form.fields.map { ($0.name, $0.name == "assertion" ? token : $0.value) }
      request["body"] = .string(String(decoding: FormFields(fields).encoded(), as: UTF8.self))
    }
    try shell.run("respond --config idp.json", input: "login.json", output: "login-response.json")
    try shell.run(
      "open-response --config mac.json --request login.json", input: "login-response.json", output: "tokens.json")
    let tokens = try shell.object("tokens.json")
    #expect(tokens["key_context"]?.stringValue?.isEmpty == false, "\(tokens.names)")
    // By the same key as a key request's.
    try shell.fetchNonce()
    try shell.run(
      "key-request --config mac.json --tokens tokens.json --nonce-request nonce-request.json", input: "nonce.json",
      output: "request.json")
    try shell.run("respond --config idp.json", input: "request.json", output: "response.json")
    try shell.run("open-response --config mac.json --request request.json", input: "response.json", output: "key.json")
    let unlockKey = try Base64.decode(shell.object("key.json")["public_key"]?.stringValue ?? "")
    #expect(tokens["key"] == .string(try Self.sharedSecret(key, unlockKey)))
  }

  @Test("open-response shows every member of a response, tickets and access tokens among them")
  func everyMember() throws {
    let shell = try PSSOShell()
    try shell.edit("mac.json") {
      var configuration = $0["loginConfiguration"]?.objectValue ?? [:]
      configuration["kerberosTicketMappings"] = [["ticketKeyPath": "login_tgt"]]
      $0["loginConfiguration"] = .object(configuration)
    }
    try shell.fetchNonce()
    try shell.run(
      "login-request --config mac.json --nonce-request nonce-request.json", input: "nonce.json", output: "login.json")
    // A provider of the test's own, which sends more than ours.
    let sent = try shell.object("login.json")
    let form = try FormFields(decoding: Array((sent["body"]?.stringValue ?? "").utf8))
    let claims = try JSONObject(
      parsing: UnverifiedJWS(parsing: form.requiredValue("assertion")).unverifiedPayload)
    let crypto = claims["jwe_crypto"]?.objectValue ?? [:]
    let partyVInfo = try Base64URL.decode(crypto["apv"]?.stringValue ?? "")
    let now = WallClock.system.now.wholeSeconds
    let idToken = try JWT.sign(
      [
        "iss": "https://idp.example.com", "aud": "psso-client", "sub": "s", "nonce": claims["nonce"] ?? .null,
        "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 300)),
      ], with: SigningKey(JWK(parsing: shell.read("idp-token.jwk"))))
    let body: JSONObject = [
      "id_token": .string(idToken), "refresh_token": "r", "expires_in": "300", "access_token": "at-1",
      "session_key": "sk-1", "message": "clash",
      "login_tgt": [
        "messageBuffer": "AAEC", "realm": "EXAMPLE.COM", "serviceName": "krbtgt/EXAMPLE.COM", "clientName": "jane",
        "encryptionKeyType": 18, "sessionKey": "AwQF",
      ],
    ]
    let token = try JWE.encrypt(
      body.serialized(), to: EncryptionKey(JWK(parsing: shell.read("device-encryption.pub.jwk")), algorithm: .ecdhES),
      contentEncryption: .a256gcm, header: HeaderParameters(type: "platformsso-login-response+jwt"),
      agreementPartyUInfo: .madeFromEphemeralKey { PartyUInfo.octets(ephemeralKeyX963Representation: $0) },
      agreementPartyVInfo: .octets(partyVInfo))
    try shell.write((["status": 200, "body": .string(token)] as JSONObject).serialized(), "response.json")
    let opened = try shell.run("open-response --config mac.json --request login.json", input: "response.json")
    #expect(opened.status == .done, "\(opened.errors)")
    let shown = try JSONObject(parsing: opened.output)
    #expect(shown["access_token"] == "at-1" && shown["session_key"] == "sk-1")
    #expect(shown["message"] == "login" && shown["response.message"] == "clash")
    #expect(shown["login_tgt"] == body["login_tgt"])
    let ticket = shown["kerberos_tickets"]?.arrayValue?.first?.objectValue
    #expect(ticket?["realm"] == "EXAMPLE.COM" && ticket?["message_buffer"] == "AAEC")
    #expect(shown["header"]?.objectValue?["alg"] == "ECDH-ES")
  }

  @Test("The nonce response opens, and a response may be what curl writes")
  func curl() throws {
    let shell = try PSSOShell()
    try shell.fetchNonce()
    let opened = try shell.run("open-response --config mac.json --request nonce-request.json", input: "nonce.json")
    let nonce = try JSONObject(parsing: opened.output)["nonce"]?.stringValue ?? ""
    #expect(!nonce.isEmpty)
    try shell.write(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/2 200 \r\ncontent-type: application/json\r\n\r\n{\"Nonce\":\"\(nonce)\"}",
      "nonce.json")
    let request = try shell.run("login-request --config mac.json", input: "nonce.json", output: "login.json")
    #expect(request.status == .done, "\(request.errors)")
    let configuration = try shell.run("curl", input: "login.json")
    #expect(try shell.run("curl -- login.json").output == configuration.output)
    #expect(configuration.text.contains("url = \"https://idp.example.com/psso/token\"\n"))
    #expect(configuration.text.contains("header = \"Accept: application/platformsso-login-response+jwt\"\n"))
    #expect(configuration.text.contains("data-raw = \"platform_sso_version=1.0&grant_type="))
    for text in ["HTTP/1.1 x\r\n\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nx\r\n\r\n", "{}", "{\"status\":9}"] {
      try shell.write(text, "nonce.json")
      let refused = try shell.run("login-request --config mac.json", input: "nonce.json")
      #expect(refused.status == .invalid && refused.output.isEmpty && refused.errors.count == 1)
    }
  }

  @Test("The provider answers what it refuses with an error, and says why on standard error")
  func refusals() throws {
    let shell = try PSSOShell()
    try shell.edit("mac.json") { $0["login"] = ["method": "password", "password": "wrong"] }
    try shell.fetchNonce()
    try shell.run(
      "login-request --config mac.json --nonce-request nonce-request.json", input: "nonce.json", output: "login.json")
    let checked = try shell.run("check-request --config idp.json", input: "login.json")
    #expect(checked.status == .invalid && checked.output.isEmpty)
    #expect(checked.errors == ["jose: passwordRejected(password): the password is wrong"])
    let answered = try shell.run("respond --config idp.json", input: "login.json", output: "response.json")
    #expect(answered.status == .done)
    #expect(answered.errors == ["jose: refused: passwordRejected(password): the password is wrong"])
    #expect(try shell.object("response.json")["status"] == 401)
    let opened = try shell.run("open-response --config mac.json --request login.json", input: "response.json")
    #expect(opened.status == .invalid && opened.errors.count == 1 && opened.errors[0].contains("credentialRejected"))
    // A request id other than the nonce request's.
    try shell.edit("mac.json") { $0["login"] = ["method": "password", "password": "correct horse"] }
    try shell.run("login-request --config mac.json", input: "nonce.json", output: "login.json")
    #expect(
      try shell.run("check-request --config idp.json", input: "login.json").errors[0].contains("serverNonceInvalid"))
    // Another Mac's response.
    try logIn(shell, by: "password")
    let response = try shell.read("login-response.json")
    try logIn(shell, by: "password")
    try shell.write(response, "login-response.json")
    let foreign = try shell.run("open-response --config mac.json --request login.json", input: "login-response.json")
    #expect(foreign.status == .invalid && foreign.errors[0].contains("partyInfoMismatch"))
    // Tokens of a user who has been struck off.
    try shell.edit("idp.json") { $0["users"] = [] }
    try shell.fetchNonce()
    try shell.run(
      "refresh-request --config mac.json --tokens tokens.json --nonce-request nonce-request.json",
      input: "nonce.json", output: "request.json")
    #expect(
      try shell.run("check-request --config idp.json", input: "request.json").errors[0]
        .contains("refreshTokenRejected"))
  }

  @Test("What is unknown, missing or of another type in a configuration is named, and no value is shown")
  func configurations() throws {
    let secret = "s3cr3t-value"
    func refusal(_ name: String, _ words: String, _ change: (inout JSONObject) -> Void) throws -> String {
      let shell = try PSSOShell()
      try shell.fetchNonce()
      try shell.edit(name, change)
      let run = try shell.run(words, input: "nonce.json")
      #expect(run.status == .usage && run.output.isEmpty && run.errors.count == 1)
      #expect(!run.errors.joined().contains(secret))
      return run.errors.first ?? ""
    }
    func device(_ change: (inout JSONObject) -> Void) throws -> String {
      try refusal("mac.json", "login-request --config mac.json", change)
    }
    func provider(_ change: (inout JSONObject) -> Void) throws -> String {
      try refusal("idp.json", "respond --config idp.json", change)
    }
    func inside(_ name: String, _ change: @escaping (inout JSONObject) -> Void) -> (inout JSONObject) -> Void {
      { object in
        var inner = object[name]?.objectValue ?? [:]
        change(&inner)
        object[name] = .object(inner)
      }
    }
    #expect(try device { $0["extra"] = .string(secret) }.contains("extra in the configuration is unknown"))
    #expect(
      try device(inside("loginConfiguration") { $0["clientId"] = .string(secret) })
        .contains("loginConfiguration.clientId in the configuration is unknown"))
    #expect(try device(inside("user") { $0["x\u{1B}"] = 1 }).contains("user.a member in the configuration is unknown"))
    #expect(try device(inside("login") { $0["extra"] = .string(secret) }).contains("login.extra"))
    #expect(try device(inside("loginConfiguration") { $0["clientID"] = nil }).contains("clientID is missing"))
    #expect(try device(inside("loginConfiguration") { $0["issuer"] = 5 }).contains("issuer in the configuration must"))
    #expect(
      try device(inside("loginConfiguration") { $0["isBuiltForMacOS13"] = .string(secret) })
        .contains("isBuiltForMacOS13 in the configuration must"))
    #expect(
      try device(inside("loginConfiguration") { $0["customLoginRequestValues"] = ["a": 1] }).contains("hold strings"))
    #expect(
      try device(inside("loginConfiguration") { $0["customLoginRequestClaims"] = ["extra": 1] })
        .contains("loginConfiguration.customLoginRequestClaims.extra"))
    #expect(try device { $0["deviceSigningKey"] = nil }.contains("deviceSigningKey is missing"))
    #expect(try device { $0["deviceSigningKey"] = "none.jwk" }.contains("none.jwk can't be read"))
    #expect(try device { $0["deviceSigningKey"] = ["kty": "EC", "d": .string(secret)] }.contains("deviceSigningKey"))
    #expect(try device { $0["deviceSigningKey"] = "device-signing.pub.jwk" }.contains("a public key can't sign"))
    #expect(try device { $0["deviceEncryptionKey"] = "idp-secret.jwk" }.contains("deviceEncryptionKey"))
    #expect(try device { $0["login"] = nil }.contains("login is missing"))
    #expect(try device(inside("login") { $0["method"] = .string(secret) }).contains("login.method"))
    #expect(try device { $0["user"] = nil }.contains("user is missing"))
    #expect(try device { $0["groups"] = [1] }.contains("groups in the configuration must be an array of strings"))
    #expect(try device { $0["otherKey"] = "idp-secret.jwk" }.contains("otherKey"))
    #expect(try device { $0["identityProviderKeys"] = 1 }.contains("identityProviderKeys"))

    #expect(try provider { $0["extra"] = .string(secret) }.contains("extra in the configuration is unknown"))
    for subject in ["", "   ", "jos\u{E9}", "a\u{1}"] {
      let text = try provider { file in
        var user = file["users"]?.arrayValue?.first?.objectValue ?? [:]
        user["subject"] = .string(subject)
        file["users"] = [.object(user)]
      }
      #expect(text.contains("users[0].subject in the configuration"))
    }
    for (former, present) in [
      ("certificateForm", "writesCertificateArray"), ("shortCoordinates", "acceptsShortCoordinates"),
      ("refreshWithoutEndpoint", "refreshesAtTokenEndpoint"),
      ("refreshAudience", "namesTokenEndpointInRefreshRequests"), ("extensionSDK", "isBuiltForMacOS13"),
      ("federationType", "isFederated or authorizationURL"),
    ] {
      let text = "loginConfiguration.\(former) in the configuration is called \(present) now"
      #expect(try device(inside("loginConfiguration") { $0[former] = 1 }).contains(text))
    }
    #expect(
      try device {
        $0["login"] = ["method": "webAuthorization", "callbackURL": "com.apple.platformsso://callback?code=code-1"]
      }.contains("login.state is missing in the configuration"))
    #expect(try provider { $0["secret"] = "idp-token.jwk" }.contains("secret in the configuration must be"))
    #expect(try provider { $0["secret"] = ["kty": "oct", "k": "c2hvcnQ"] }.contains("32 octets"))
    #expect(try provider { $0["devices"] = [["id": "x"]] }.contains("devices[0].signingKey is missing"))
    #expect(try provider { $0["users"] = [["name": "x", "y": 1]] }.contains("users[0].y in the configuration"))
    #expect(try provider { $0["refreshTokenLifetime"] = 0 }.contains("refreshTokenLifetime"))
    #expect(try provider { $0["serverNonceLifetime"] = 1e9 }.contains("serverNonceLifetime"))
    #expect(
      try provider(inside("identityProvider") { $0["clientRequestID"] = "x" }).contains("notChecked or required"))
    #expect(try provider(inside("identityProvider") { $0["limits"] = [:] }).contains("identityProvider.limits"))
    #expect(try provider { $0["loginRequestDecryptionKeys"] = ["idp-login.pub.jwk"] }.contains("Keys.0"))
  }

  @Test("The configurations that the article shows understand each other")
  func article() throws {
    let shell = try PSSOShell()
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let article = try String(
      contentsOf: root.appending(path: "Sources/PlatformSSOKit/PlatformSSOKit.docc/CommandLine.md"), encoding: .utf8)
    let configurations = article.components(separatedBy: "```json\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    #expect(configurations.count == 2)
    try shell.write(configurations[0], "mac.json")
    try shell.write(configurations[1], "idp.json")
    for (name, other) in [("idp-token", "idp"), ("idp-secret", "secret")] {
      try shell.write(shell.read("\(name).jwk"), "\(other).jwk")
    }
    try logIn(shell, by: "password")
  }

  @Test("Wrong usage")
  func usage() throws {
    let shell = try PSSOShell()
    for words in [
      "", "mex-request --config mac.json", "nonce-request", "nonce-request --config -",
      "nonce-request --config none.json", "nonce-request --config mac.json extra", "curl a b",
      "open-response --config mac.json",
      "refresh-request --config mac.json", "nonce-request --config idp.json", "respond --config mac.json",
      "refresh-request --config mac.json --tokens mac.json",
    ] {
      let run = try shell.run(words)
      #expect(run.status == .usage && run.output.isEmpty && run.errors.count == 1, "\(words)")
    }
    try shell.write("{\"a\":1,\"a\":2}", "mac.json")
    #expect(try shell.run("nonce-request --config mac.json").errors[0].contains("not a strict JSON object"))
    // A word's own help says where the files are described.
    for (words, text) in [("--help", "loginConfiguration"), ("login-request --help", "jose psso --help")] {
      let help = try shell.run(words)
      #expect(help.status == .done && help.text.contains(text))
    }
    #expect(CommandRun(["--help"]).text.contains("jose psso"))
  }

  @Test("Every property of the configurations has a member of its name")
  func complete() throws {
    let shell = try PSSOShell()
    let help = try shell.run("--help").text
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 132 })
    // Names of both configurations are those of the types: Mirror lists them.
    for (name, file, object) in [
      ("LoginConfiguration", "mac.json", "loginConfiguration"),
      ("IdentityProviderConfiguration", "idp.json", "identityProvider"),
    ] {
      let names = try Self.properties(of: name)
      #expect(names.count > 10)
      for property in names where !["limits", "loginRequestDecryptionKeys"].contains(property) {
        let shell = try PSSOShell()
        try shell.fetchNonce()
        try shell.edit(file) {
          var inner = $0[object]?.objectValue ?? [:]
          inner[property] = .null
          $0[object] = .object(inner)
        }
        let run = try shell.run(file == "mac.json" ? "nonce-request --config mac.json" : "respond --config idp.json")
        // Refused for its type, not for its name.
        #expect(run.errors.first.map { !$0.contains("unknown") } ?? false, "\(property)")
      }
    }
  }

  private static func properties(of name: String) throws -> [String] {
    let value: Any =
      name == "LoginConfiguration"
      ? LoginConfiguration(clientID: "", issuer: "", audience: "", tokenEndpointURL: "", jwksEndpointURL: "")
      : IdentityProviderConfiguration(issuer: "", clientIDs: [], audience: "", tokenEndpointURL: "")
    return Mirror(reflecting: value).children.compactMap(\.label)
  }
}
