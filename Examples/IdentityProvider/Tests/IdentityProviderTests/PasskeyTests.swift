import HTTPTypes
import HummingbirdTesting
import JOSE
import PureCrypto
import Testing

@testable import IdentityProvider

/// An authenticator with one key, and everything about its answers that can be wrong.
struct Authenticator {
  let key = P256SigningKey()
  let id = RandomText.octets(20)
  var name = "op.example"
  var origin = World.issuer
  var flags: UInt8 = 0x05
  var signCount: UInt32 = 0
  var format = "none"
  var type: String?
  var crossOrigin = false

  func clientData(_ purpose: String, _ challenge: String) -> [UInt8] {
    let object: JSONObject = [
      "type": .string(type ?? "webauthn.\(purpose)"), "challenge": .string(challenge), "origin": .string(origin),
      "crossOrigin": .bool(crossOrigin), "other": "member",
    ]
    return object.serialized()
  }

  private func head(_ flags: UInt8) -> [UInt8] {
    Array(SHA2.SHA256.hash(name.utf8)) + [flags] + withUnsafeBytes(of: signCount.bigEndian, Array.init)
  }

  /// The key as COSE has it.
  var point: [UInt8] {
    let octets = key.publicKey.x963Representation
    var point: [UInt8] = [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]
    point += octets[1..<33]
    point += [0x22, 0x58, 0x20]
    return point + octets[33...]
  }

  /// - Parameter statement: in CBOR; an empty one unless given.
  func attestation(_ point: [UInt8]? = nil, model: UInt8 = 7, statement: [UInt8] = [0xA0]) -> [UInt8] {
    let data = attestedData(point, model: model)
    var object: [UInt8] = [0xA3]
    object += Self.text("fmt") + Self.text(format)
    object += Self.text("attStmt") + statement
    object += Self.text("authData") + [0x58, UInt8(data.count)]
    return object + data
  }

  private func attestedData(_ point: [UInt8]? = nil, model: UInt8) -> [UInt8] {
    var data = head(flags | 0x40)
    data += [UInt8](repeating: model, count: 16)
    data += [0, UInt8(id.count)]
    data += id
    return data + (point ?? self.point)
  }

  /// The statement of an attestation in the format "packed" by a key, the new one unless given.
  func packed(
    _ clientData: [UInt8], by other: P256SigningKey? = nil, algorithm: [UInt8] = [0x26], model: UInt8 = 0,
    more: [UInt8]? = nil
  ) -> [UInt8] {
    let octets = attestedData(model: model) + Array(SHA2.SHA256.hash(clientData))
    let signature = (other ?? key).signature(for: octets).derRepresentation
    var statement: [UInt8] = [more == nil ? 0xA2 : 0xA3]
    statement += Self.text("alg") + algorithm
    statement += Self.text("sig") + [0x58, UInt8(signature.count)] + signature
    return statement + (more ?? [])
  }

  /// A short text of CBOR.
  static func text(_ text: String) -> [UInt8] { [0x60 | UInt8(text.utf8.count)] + text.utf8 }

  var assertedData: [UInt8] { head(flags) }

  func signature(_ clientData: [UInt8]) -> [UInt8] {
    key.signature(for: assertedData + Array(SHA2.SHA256.hash(clientData))).derRepresentation
  }
}

@Suite struct PasskeyTests {
  private static let verifier = PasskeyVerifier(issuer: World.issuer)

  /// What becomes of a registration and a login by an authenticator.
  private static func refusal(_ change: (inout Authenticator) -> Void) -> (PasskeyRefusal?, PasskeyRefusal?) {
    var authenticator = Authenticator()
    change(&authenticator)
    func outcome(_ body: () throws(PasskeyRefusal) -> Void) -> PasskeyRefusal? {
      do {
        try body()
        return nil
      } catch {
        return error
      }
    }
    return (
      outcome { () throws(PasskeyRefusal) in
        _ = try verifier.challenge(in: authenticator.clientData("create", "c"), for: "create")
        _ = try verifier.registration(attestationObject: authenticator.attestation(), clientData: [])
      },
      outcome { () throws(PasskeyRefusal) in
        let client = authenticator.clientData("get", "c")
        _ = try verifier.challenge(in: client, for: "get")
        _ = try verifier.assertion(
          authenticatorData: authenticator.assertedData, clientData: client,
          signature: authenticator.signature(client), key: authenticator.key.publicKey)
      }
    )
  }

  @Test func `each fault of a passkey response is refused with its own error`() {
    #expect(Self.refusal { _ in } == (nil, nil))
    #expect(Self.refusal { $0.type = "webauthn.other" } == (.otherPurpose, .otherPurpose))
    #expect(Self.refusal { $0.crossOrigin = true } == (.otherPurpose, .otherPurpose))
    #expect(Self.refusal { $0.origin = "https://op.example.evil" } == (.otherOrigin, .otherOrigin))
    #expect(Self.refusal { $0.name = "evil.example" } == (.otherName, .otherName))
    #expect(Self.refusal { $0.flags = 0x04 } == (.userNotPresent, .userNotPresent))
    #expect(Self.refusal { $0.flags = 0x01 } == (.userNotVerified, .userNotVerified))
    #expect(Self.refusal { $0.flags = 0x15 } == (.backupStateImpossible, .backupStateImpossible))
    #expect(Self.refusal { $0.flags = 0x1D } == (nil, nil))
    #expect(Self.refusal { $0.format = "packed" } == (.attestationPresent, nil))
    // Bits that announce more than comes.
    #expect(Self.refusal { $0.flags = 0x85 } == (.malformed, .malformed))
  }

  /// Browsers leave it in place where the model is unknown.
  @Test func `a passkey's valid self-attestation is accepted, and every other attestation is refused`() throws {
    var authenticator = Authenticator()
    authenticator.format = "packed"
    let client = authenticator.clientData("create", "c")
    func refusal(
      _ statement: [UInt8], _ authenticator: Authenticator, model: UInt8 = 0, client other: [UInt8]? = nil
    ) -> PasskeyRefusal? {
      do throws(PasskeyRefusal) {
        let object = authenticator.attestation(model: model, statement: statement)
        _ = try Self.verifier.registration(attestationObject: object, clientData: other ?? client)
        return nil
      } catch {
        return error
      }
    }
    let good = authenticator.packed(client)
    #expect(refusal(good, authenticator) == nil)
    #expect(refusal(authenticator.packed(client, model: 7), authenticator, model: 7) == nil)
    // By another key, of another model, for another challenge, and octets that are no signature.
    #expect(refusal(authenticator.packed(client, by: P256SigningKey()), authenticator) == .signatureInvalid)
    #expect(refusal(good, authenticator, model: 7) == .signatureInvalid)
    let other = authenticator.clientData("create", "d")
    #expect(refusal(good, authenticator, client: other) == .signatureInvalid)
    #expect(refusal(authenticator.packed(other), authenticator) == .signatureInvalid)
    let (algorithm, signature) = (Authenticator.text("alg"), Authenticator.text("sig"))
    let whole: [UInt8] = [0xA2] + algorithm + [0x26] + signature
    #expect(refusal(whole + [0x41, 0], authenticator) == .signatureInvalid)
    // EdDSA, RS256, a text; a member or both missing; a text for a signature.
    for algorithm: [UInt8] in [[0x27], [0x39, 0x01, 0x00], Authenticator.text("ES256")] {
      #expect(refusal(authenticator.packed(client, algorithm: algorithm), authenticator) == .attestationPresent)
    }
    for statement: [UInt8] in [
      [0xA0], [0xA1] + algorithm + [0x26], [0xA1] + signature + [0x40], whole + [0x60],
    ] { #expect(refusal(statement, authenticator) == .attestationPresent) }
    // With a chain of certificates, an empty one included, or the name of a key for a group.
    for more: [UInt8] in [
      Authenticator.text("x5c") + [0x81, 0x41, 0x30], Authenticator.text("x5c") + [0x80],
      Authenticator.text("x5c") + [0xF6], Authenticator.text("ecdaaKeyId") + [0x41, 1],
    ] { #expect(refusal(authenticator.packed(client, more: more), authenticator) == .attestationPresent) }
    for format in ["none", "fido-u2f", "tpm", "apple", "android-key", "Packed", ""] {
      authenticator.format = format
      #expect(refusal(good, authenticator) == .attestationPresent, "\(format)")
    }
  }

  @Test func `a key must be of ES256 and on its curve`() throws {
    let authenticator = Authenticator()
    for (index, octet) in [(2, UInt8(3)), (4, 0x27), (6, 2), (76, authenticator.point[76] ^ 1)] {
      var point = authenticator.point
      point[index] = octet
      #expect(throws: PasskeyRefusal.keyUnsuitable) {
        try Self.verifier.registration(attestationObject: authenticator.attestation(point), clientData: [])
      }
    }
  }

  @Test func `the name is the issuer's host`() {
    for (issuer, origin, name) in [
      ("https://login.example.com", "https://login.example.com", "login.example.com"),
      ("https://localhost:8443/idp", "https://localhost:8443", "localhost"),
      ("http://127.0.0.1:8080", "http://127.0.0.1:8080", "127.0.0.1"), ("nonsense", "nonsense", ""),
    ] {
      let verifier = PasskeyVerifier(issuer: issuer)
      #expect(verifier.origin == origin && verifier.name == name)
    }
  }

  @Test func `CBOR values are parsed, and malformed or unsupported ones are refused`() throws {
    #expect(try CBORValue(parsing: [0x18, 0x64]) == .integer(100))
    #expect(try CBORValue(parsing: [0x39, 0x01, 0x00]) == .integer(-257))
    #expect(try CBORValue(parsing: [0x82, 0x61, 0x61, 0xF5]) == .array([.text("a"), .bool(true)]))
    #expect(try CBORValue(parsing: [0xA1, 0x01, 0x41, 0xFF])[.integer(1)] == .octets([0xFF]))
    for octets: [UInt8] in [
      [], [0x18], [0x5F, 0x41, 0x00, 0xFF], [0xA2, 0x01, 0x00, 0x01, 0x00], [0x81, 0x81, 0x81, 0x81, 0x00],
      [0x00, 0x00],
      [0x61, 0xFF], [0x1B] + [UInt8](repeating: 0xFF, count: 8), [0x9B] + [UInt8](repeating: 0xFF, count: 8),
      [0x3B] + [UInt8](repeating: 0xFF, count: 8), [0x5B, 0x7F] + [UInt8](repeating: 0xFF, count: 7),
      [0xBA, 0, 0, 1, 0],
      [0xFB, 0, 0, 0, 0, 0, 0, 0, 0], [0xC0, 0x00], [0x1C], [0xF7],
    ] {
      #expect(throws: CBORValue.Malformed.self) { try CBORValue(parsing: octets) }
    }
  }

  /// What anybody may send never ends the program, and what was changed on its way counts for nothing.
  @Test func `a passkey response with changed octets never traps and never verifies`() throws {
    let authenticator = Authenticator()
    let (attestation, client) = (authenticator.attestation(), authenticator.clientData("get", "c"))
    var signing = authenticator
    signing.format = "packed"
    let packed = signing.attestation(model: 0, statement: signing.packed(client))
    let (data, signature) = (authenticator.assertedData, authenticator.signature(client))
    let key = authenticator.key.publicKey
    var generator = SystemRandomNumberGenerator()
    func changed(_ octets: [UInt8]) -> [UInt8] {
      var octets = octets
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let index = Int.random(in: 0..<octets.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: octets[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: octets[index] = UInt8.random(in: .min ... .max, using: &generator)
        case 2: octets.insert(UInt8.random(in: .min ... .max, using: &generator), at: index)
        default: octets.removeLast(min(octets.count - 1, Int.random(in: 1...8, using: &generator)))
        }
      }
      return octets
    }
    for _ in 0..<5000 {
      _ = try? Self.verifier.registration(attestationObject: changed(attestation), clientData: client)
      _ = try? Self.verifier.registration(attestationObject: changed(packed), clientData: client)
      _ = try? Self.verifier.challenge(in: changed(client), for: "get")
      _ = try? CBORValue(parsing: changed(authenticator.point))
    }
    for _ in 0..<300 {
      let (otherData, otherClient, other) = (changed(data), changed(client), changed(signature))
      for (data, client, signature, isChanged) in [
        (otherData, client, signature, otherData != data), (data, otherClient, signature, otherClient != client),
        (data, client, other, other != signature),
      ] where isChanged {
        #expect(throws: PasskeyRefusal.self, "\(data) \(client) \(signature)") {
          try Self.verifier.assertion(authenticatorData: data, clientData: client, signature: signature, key: key)
        }
      }
    }
  }

  // MARK: Over HTTP

  /// What a page's script would read.
  private static func options(_ page: TestResponse) throws -> JSONObject {
    let text = try #require(
      page.text.split(separator: "data-passkey=\"").dropFirst().first?.split(separator: "\"").first)
    return try JSONObject(parsing: Array(text.replacing("&quot;", with: "\"").utf8))
  }

  private static func register(
    _ authenticator: Authenticator, _ browser: TestBrowser, password: String = World.password, signed: Bool = false
  ) async throws -> TestResponse {
    let page = try await browser.open("/account")
    let challenge = try #require(try options(page)["challenge"]?.stringValue)
    var form = FormFields()
    let client = authenticator.clientData("create", challenge)
    let object = authenticator.attestation(
      model: signed ? 0 : 7, statement: signed ? authenticator.packed(client) : [0xA0])
    form.append("attestation", Base64URL.encode(object))
    form.append("client", Base64URL.encode(client))
    form.append("name", "Key <b>")
    form.append("password", password)
    return try await browser.submit(page, "/account/passkey/add", form)
  }

  private static func logIn(
    _ authenticator: Authenticator, _ page: TestResponse, _ browser: TestBrowser, user: String,
    challenge other: String? = nil
  ) async throws -> TestResponse {
    let own = try #require(try options(page)["challenge"]?.stringValue)
    let challenge = other ?? own
    let client = authenticator.clientData("get", challenge)
    var form = FormFields()
    form.append("credential", Base64URL.encode(authenticator.id))
    form.append("authenticator", Base64URL.encode(authenticator.assertedData))
    form.append("client", Base64URL.encode(client))
    form.append("signature", Base64URL.encode(authenticator.signature(client)))
    form.append("user", Base64URL.encode(user.utf8))
    return try await browser.submit(page, "/login/passkey", form)
  }

  @Test func `a passkey that attests to itself is added, and logs in`() async throws {
    try await World.run { world in
      var authenticator = Authenticator()
      authenticator.format = "packed"
      let browser = TestBrowser(world)
      _ = try await browser.logIn(try await browser.open("/login"))
      #expect(try await Self.register(authenticator, browser).status == .badRequest)
      #expect(try await Self.register(authenticator, browser, signed: true).status == .ok)
      let other = TestBrowser(world)
      let page = try await other.open("/login")
      #expect(try await Self.logIn(authenticator, page, other, user: world.user.id).page == "account")
    }
  }

  @Test func `a passkey is added with the password, and logs in in its place`() async throws {
    try await World.run { world in
      var authenticator = Authenticator()
      let owner = TestBrowser(world)
      _ = try await owner.logIn(try await owner.open("/login"))
      #expect(try await Self.register(authenticator, owner, password: "wrong").status == .forbidden)
      let added = try await Self.register(authenticator, owner)
      #expect(added.status == .ok && added.text.contains("Key &lt;b&gt;"))
      #expect(try await Self.register(authenticator, owner).status == .badRequest)

      let browser = TestBrowser(world)
      var page = try await browser.open("/login")
      authenticator.signCount = 5
      #expect(try await Self.logIn(authenticator, page, browser, user: world.user.id).page == "account")
      var methods: [[String]] = []
      for entry in try await world.provider.browsers.sessions(userID: world.user.id) {
        methods.append(try await world.provider.sessions.session(id: entry.id)?.authenticationMethods ?? [])
      }
      #expect(methods.count == 2 && methods.contains(["pop", "user", "mfa"]))

      // The same challenge again, a counter that stands, another user, another browser's challenge.
      authenticator.signCount = 6
      #expect(try await Self.logIn(authenticator, page, browser, user: world.user.id).status == .unauthorized)
      authenticator.signCount = 5
      let other = TestBrowser(world)
      page = try await other.open("/login")
      #expect(try await Self.logIn(authenticator, page, other, user: world.user.id).status == .unauthorized)
      authenticator.signCount = 7
      page = try await other.open("/login")
      #expect(try await Self.logIn(authenticator, page, other, user: "somebody").status == .unauthorized)
      let foreign = try await TestBrowser(world).open("/login")
      let challenge = try #require(try Self.options(foreign)["challenge"]?.stringValue)
      let stolen = try await Self.logIn(authenticator, page, other, user: world.user.id, challenge: challenge)
      #expect(stolen.status == .unauthorized)
      let reasons = try await world.provider.audit.entries(named: "login.failed").compactMap(\.event.detail)
      #expect(
        reasons == [
          "passkey challengeUnknown", "passkey otherUser", "passkey counterWentBack", "passkey challengeUnknown",
        ])

      // Left for five minutes, and a user who is disabled.
      page = try await other.open("/login")
      world.wait(301)
      #expect(try await Self.logIn(authenticator, page, other, user: world.user.id).status == .unauthorized)
      try await world.provider.users.setEnabled(false, of: world.user.id)
      page = try await other.open("/login")
      #expect(try await Self.logIn(authenticator, page, other, user: world.user.id).status == .unauthorized)
      try await world.provider.users.setEnabled(true, of: world.user.id)

      page = try await owner.open("/account")
      page = try await owner.submit(page, "/account/passkey/remove", FormFields())
      #expect(page.page == "account")
      #expect(try await world.provider.passkeys.passkeys(of: world.user.id).isEmpty)
      page = try await other.open("/login")
      #expect(try await Self.logIn(authenticator, page, other, user: world.user.id).status == .unauthorized)
    }
  }
}
