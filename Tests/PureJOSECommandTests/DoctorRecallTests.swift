import JOSE
import PureCrypto
import Synchronization
import Testing

@testable import PlatformSSOKit
@testable import PureJOSECommand

/// Servers with one fault each. What the doctor misses of them is printed, and must be nothing.
@Suite("jose psso doctor, recall")
struct DoctorRecallTests {
  /// What a fault changes of an answer.
  typealias Change = @Sendable (HTTPRequestValue, inout HTTPResponseValue) -> Void
  /// The same of the tokens or keys in it, and of how they are sealed.
  typealias Inside = @Sendable (inout JSONObject, inout SealedAnswer, SigningKey) throws -> Void

  struct Fault: Sendable {
    let name: String
    var change: Change = { _, _ in }
    var inside: Inside?
    /// What is not refused that the package's own provider refuses with one of these codes.
    var blindness: Set<ErrorCode> = []
  }

  /// The provider with a fault.
  final class Server: DoctorTransport {
    let base: OwnProvider
    let device: PlatformSSODevice
    let fault: Fault
    private let lastAnswer = Mutex<HTTPResponseValue?>(nil)
    /// The codes of what was refused.
    let codes = Mutex<Set<ErrorCode>>([])

    init(_ base: OwnProvider, _ device: PlatformSSODevice, _ fault: Fault) {
      (self.base, self.device, self.fault) = (base, device, fault)
    }

    func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue {
      var response = try await base.send(request)
      if response.status >= 400, request.method == "POST" {
        do throws(JOSEError) {
          _ = try await base.provider.checkedRequest(request)
        } catch {
          codes.withLock { _ = $0.insert(error.code) }
          if fault.blindness.contains(error.code), let last = lastAnswer.withLock(\.self) { response = last }
        }
      }
      if response.status == 200, let inside = fault.inside, let asked = try? device.sentRequest(request) {
        response = try attempt { try resealed(response, asked, inside) }
      }
      if response.status == 200, response.body.count(where: { $0 == 0x2E }) == 4 {
        lastAnswer.withLock { [response] in $0 = response }
      }
      fault.change(request, &response)
      return response
    }

    private func resealed(
      _ response: HTTPResponseValue, _ asked: DeviceRequest, _ inside: Inside
    ) throws -> HTTPResponseValue {
      var members = try device.unjudgedMembers(response, to: asked).members
      let isKey = asked.message == .key || asked.message == .keyExchange
      var sealed = SealedAnswer(
        type: (isKey ? MessageType.keyResponse : .loginResponse).name, partyVInfo: asked.agreementPartyVInfo.octets)
      try inside(&members, &sealed, base.provider.idTokenKey)
      var changed = response
      changed.body = Array(
        try sealed.token(
          members, to: P256AgreementPublicKey(x963Representation: device.keys.encryptionKeyX963Representation)
        )
        .utf8)
      return changed
    }
  }

  private func report(_ fault: Fault) async throws -> (DoctorReport, Server) {
    let (provider, subject) = try await OwnProvider.make(clock: .standing)
    let server = Server(provider, subject.device, fault)
    var run = DoctorRun(subject: subject, transport: server)
    return (try await run.examine(), server)
  }

  // MARK: Faults of answers

  private static let changes: [Fault] = [
    Fault(
      name: "a wrong password is 403",
      change: { _, response in
        if response.status == 401 { response.status = 403 }
      }),
    Fault(
      name: "a wrong password is 400 without JSON",
      change: { _, response in
        if response.status == 401 { (response.status, response.body) = (400, Array("no".utf8)) }
      }),
    Fault(
      name: "everything is 401",
      change: { _, response in
        if response.status == 400 { response.status = 401 }
      }),
    Fault(
      name: "an unknown user is 404",
      change: { request, response in
        if String(decoding: payload(request), as: UTF8.self).contains("x-unknown\""), response.status >= 400 {
          response.status = 404
        }
      }),
    Fault(
      name: "an unknown user has another text",
      change: { request, response in
        if String(decoding: payload(request), as: UTF8.self).contains("x-unknown\""), response.status == 401 {
          response.body = Array(#"{"error":"invalid_grant","error_description":"no such user"}"#.utf8)
        }
      }),
    Fault(
      name: "a trace of Python",
      change: { _, response in
        if response.status == 400 { response.body = Array("Traceback (most recent call last):\n  File".utf8) }
      }),
    Fault(
      name: "a trace of Java",
      change: { _, response in
        if response.status == 400 { response.body = Array("x\n\tat org.example.Login.check(Login.java:12)".utf8) }
      }),
    Fault(
      name: "the password in a refusal",
      change: { _, response in
        if response.status == 401 { response.body = Array(#"{"error":"correct horsex"}"#.utf8) }
      }),
    Fault(
      name: "a page of HTML as association file",
      change: { request, response in
        if isAssociation(request) {
          response.body = Array("<html></html>".utf8)
          try? response.headers.set("Content-Type", "text/html")
        }
      }),
    Fault(
      name: "an association file as text",
      change: { request, response in
        if isAssociation(request) { try? response.headers.set("Content-Type", "text/plain") }
      }),
    Fault(
      name: "an association file without the team",
      change: { request, response in
        if isAssociation(request) { response.body = Array(#"{"authsrv":{"apps":["com.example.mac.ssoe"]}}"#.utf8) }
      }),
    Fault(
      name: "an association file behind a redirect",
      change: { request, response in
        if isAssociation(request) { response.status = 302 }
      }),
    Fault(
      name: "nonces that may be kept",
      change: { request, response in
        if isNonce(response) { try? response.headers.set("Cache-Control", "max-age=60") }
      }),
    Fault(
      name: "refusals with nothing in them and 200",
      change: { _, response in
        if response.status >= 400 { (response.status, response.body) = (200, []) }
      }),
    Fault(
      name: "refusals with 500",
      change: { _, response in
        if response.status == 400 { response.status = 500 }
      }),
    Fault(
      name: "refusals with a redirect",
      change: { request, response in
        if response.status == 400 { response.status = 302 }
      }),
    Fault(
      name: "responses of another media type",
      change: { request, response in
        if response.status == 200, request.method == "POST" { try? response.headers.set("Content-Type", "text/html") }
      }),
    Fault(
      name: "responses that may be kept",
      change: { request, response in
        if response.status == 200, request.method == "POST" { try? response.headers.set("Cache-Control", "public") }
      }),
    Fault(
      name: "an empty key set",
      change: { request, response in
        if request.url.hasSuffix("/jwks") { response.body = Array(#"{"keys":[]}"#.utf8) }
      }),
  ]

  private static let insides: [Fault] = [
    inside("apu of another key") { _, sealed, _ in
      sealed.partyUInfo = PartyUInfo.octets(
        ephemeralKeyX963Representation: P256AgreementPrivateKey().publicKey.x963Representation)
    },
    inside("apu with Apple for APPLE") { _, sealed, _ in
      sealed.partyUInfoName = "Apple"
    },
    inside("no apu") { _, sealed, _ in sealed.hasPartyUInfo = false },
    inside("apv of another nonce in the header alone") { _, sealed, _ in sealed.shownPartyVInfo = [1, 2, 3] },
    inside("apv of another nonce") { _, sealed, _ in
      (sealed.shownPartyVInfo, sealed.partyVInfo) = ([1, 2, 3], [1, 2, 3])
    },
    inside("epk with a zero in front") { _, sealed, _ in sealed.padding = [0] },
    inside("a vector of 16 octets") { _, sealed, _ in sealed.vectorCount = 16 },
    inside("typ of another message") { _, sealed, _ in sealed.type = "platformsso-login-request+jwt" },
    inside("an ID token of two seconds") { members, _, key in try changeIDToken(&members, key, "exp") { now in now + 2 }
    },
    inside("an ID token of fifty seconds") { members, _, key in
      try changeIDToken(&members, key, "exp") { now in now + 50 }
    },
    inside("an ID token that has expired") { members, _, key in
      try changeIDToken(&members, key, "exp") { now in now - 9 }
    },
    inside("a session of an hour") { members, _, _ in
      if members["refresh_token"] != nil { members["refresh_token_expires_in"] = 3600 }
    },
    inside("a refresh token that stays the same") { members, _, _ in
      if members["refresh_token"] != nil { members["refresh_token"] = "always-the-same" }
    },
    inside("no refresh token") { members, _, _ in if members["refresh_token"] != nil { members["refresh_token"] = nil }
    },
    inside("no ID token") { members, _, _ in members["id_token"] = nil },
    inside("no life of the session") { members, _, _ in
      (members["refresh_token_expires_in"], members["expires_in"]) = (nil, nil)
    },
    inside("a certificate that is none") { members, _, _ in
      if members["certificate"] != nil { members["certificate"] = "MIIB" }
    },
    inside("a key response without exp") { members, _, _ in
      if members["certificate"] != nil { members["exp"] = nil }
    },
    inside("any secret") { members, _, _ in
      if members["key"] != nil { members["key"] = .string(Base64.encode([UInt8](repeating: 7, count: 32))) }
    },
    inside("a secret of 31 octets") { members, _, _ in
      if let key = members["key"]?.stringValue {
        members["key"] = .string(Base64.encode(try Base64.decode(key).dropLast()))
      }
    },
  ]

  private static func inside(_ name: String, _ inside: @escaping Inside) -> Fault { Fault(name: name, inside: inside) }

  private static func changeIDToken(
    _ members: inout JSONObject, _ key: SigningKey, _ name: String, _ change: (Int) -> Int
  ) throws {
    guard let token = members["id_token"]?.stringValue, var claims = try UnverifiedJWS(parsing: token).unverifiedClaims
    else { return }
    claims[name] = .number(JSONNumber(change(WallClock.system.now.wholeSeconds)))
    members["id_token"] = .string(try JWT.sign(claims, with: key))
  }

  private static func payload(_ request: HTTPRequestValue) -> [UInt8] {
    let token = (try? request.form(acceptsDuplicates: true))?.values("assertion").first ?? ""
    return (try? UnverifiedJWS(parsing: token))?.unverifiedPayload ?? []
  }

  private static func isAssociation(_ request: HTTPRequestValue) -> Bool {
    request.url.hasSuffix("apple-app-site-association")
  }

  private static func isNonce(_ response: HTTPResponseValue) -> Bool {
    (try? JSONObject(parsing: response.body))?["Nonce"] != nil
  }

  // MARK: Tests

  @Test("Each planted fault is found")
  func recall() async throws {
    let (sound, server) = try await report(Fault(name: "none"))
    #expect(sound.count(.wrong) == 0 && sound.count(.lenient) == 0)
    // What is refused by a code that only a sound request's use of the store can have is no blindness of its own.
    let codes = server.codes.withLock(\.self)
    let blind = codes.map { Fault(name: "blind to \($0)", blindness: [$0]) }
    let faults = Self.changes + Self.insides + blind
    var missed: [String] = []
    for fault in faults where try await !isFound(fault) { missed.append(fault.name) }
    print("jose psso doctor: \(faults.count - missed.count) of \(faults.count) planted faults found")
    #expect(missed == [])
  }

  private func isFound(_ fault: Fault) async throws -> Bool {
    // Most faults a few requests show as well as many.
    if try await isFound(fault, isQuick: true) { return true }
    return try await isFound(fault, isQuick: false)
  }

  private func isFound(_ fault: Fault, isQuick: Bool) async throws -> Bool {
    let (provider, subject) = try await OwnProvider.make(clock: .standing)
    var extent = DoctorRun.Extent()
    extent.isQuick = isQuick
    var run = DoctorRun(
      subject: subject, transport: Server(provider, subject.device, fault), extent: extent)
    let report = try await run.examine()
    // One fault is told in a few lines.
    let text = report.text(showingEverything: false)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(fault.name): \(text)")
    return report.findings.contains { $0.verdict == .wrong || $0.verdict == .lenient }
  }

  @Test("Nonces that count or tell the time are found, and random ones are not suspected")
  func guessableNonces() {
    let time = 1_760_000_000_000_000
    for texts in [
      (0..<16).map { "\(1_000_000_000_000_000_000_000 as Double)\($0 + 100_000)" },
      (0..<16).map { String(repeating: "0", count: 26) + String(0xFFF0 + $0, radix: 16) },
      (0..<16).map { "nonce-of-the-server-\(time + $0 * 1734)" },
      (0..<16).map { Base64URL.encode(Array("nonce-of-the-server-\(time + $0 * 1734)".utf8)) },
    ] { #expect(DoctorRun.bits(thatDiffer: texts) < 64, "\(texts)") }
    for _ in 0..<200 {
      #expect(DoctorRun.bits(thatDiffer: (0..<16).map { _ in UUIDText.random() }) >= 64)
      let octets = (0..<16).map { _ in (0..<16).map { _ in UInt8.random(in: 0...255) } }
      #expect(DoctorRun.bits(thatDiffer: octets.map { Base64URL.encode($0) }) >= 64)
    }
  }
}

/// An answer as it is sealed for a Mac, each part of which can be made other than it should be.
struct SealedAnswer {
  var type: String
  var partyVInfo: [UInt8]
  /// `apv`, if another than the key is derived with.
  var shownPartyVInfo: [UInt8]?
  /// `apu`, if another than the right one.
  var partyUInfo: [UInt8]?
  var hasPartyUInfo = true
  /// The first field of `apu`.
  var partyUInfoName = "APPLE"
  /// Octets before the coordinates of `epk`.
  var padding: [UInt8] = []
  var vectorCount = 12
  private let ephemeral = P256AgreementPrivateKey()

  init(type: String, partyVInfo: [UInt8]) { (self.type, self.partyVInfo) = (type, partyVInfo) }

  func token(_ members: JSONObject, to recipient: P256AgreementPublicKey) throws -> String {
    let point = ephemeral.publicKey.x963Representation
    let right = LengthPrefixedFields.encode([Array(partyUInfoName.utf8), point])
    let partyUInfo = hasPartyUInfo ? partyUInfo ?? right : []
    var header: JSONObject = [
      "typ": .string(type), "alg": "ECDH-ES", "enc": "A256GCM",
      "epk": [
        "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(padding + point[1..<33])),
        "y": .string(Base64URL.encode(padding + point[33...])),
      ], "apv": .string(Base64URL.encode(shownPartyVInfo ?? partyVInfo)),
    ]
    if hasPartyUInfo { header["apu"] = .string(Base64URL.encode(partyUInfo)) }
    let info = KeyAgreement.otherInfo(
      algorithmID: "A256GCM", partyUInfo: partyUInfo, partyVInfo: partyVInfo, keyBitCount: 256)
    let key = try ephemeral.sharedSecret(with: recipient).concatKDFDerivedKey(otherInfo: info, bitCount: 256)
    let head = Base64URL.encode(header.serialized())
    let vector = (0..<vectorCount).map { _ in UInt8.random(in: 0...255) }
    let sealed = try AESGCM(key: key).seal(
      members.serialized(), authenticating: Array(head.utf8), anyInitializationVector: vector)
    return [
      head, "", Base64URL.encode(vector), Base64URL.encode(sealed.ciphertext),
      Base64URL.encode(sealed.authenticationTag),
    ]
    .joined(separator: ".")
  }
}
