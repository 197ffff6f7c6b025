import JOSE
import PlatformSSOKit
import PureCrypto
import Testing

/// What attackers and odd clients post, to every message of every product's provider.
@Suite("Hostile and odd requests under every preset")
struct HostileRequestTests {
  enum Message: CaseIterable {
    case serverNonce, passwordLogin, keyLogin, refresh, key, keyExchange
  }

  private func request(_ message: Message, _ fixture: Fixture) throws -> HTTPRequestValue {
    let device = fixture.device
    let user = PresetTests.user
    switch message {
    case .serverNonce:
      return device.serverNonceRequest()
    case .passwordLogin:
      return try device.loginRequest(of: user, by: .password("correct horse"), nonces: fixture.nonces()).httpRequest
    case .keyLogin:
      let key = try VectorKeys.signing("user-secure-enclave")
      return try device.loginRequest(of: user, by: .userSecureEnclaveKey(key), nonces: fixture.nonces()).httpRequest
    case .refresh:
      // Not every product's Macs refresh, but every provider is asked to.
      var mac = device
      mac.configuration.refreshEndpointURL =
        device.configuration.refreshEndpointURL ?? device.configuration.tokenEndpointURL
      return try mac.refreshRequest(refreshToken: "rt-000001", nonces: fixture.nonces()).httpRequest
    case .key:
      return try device.keyRequest(of: user, refreshToken: "rt-000001", nonces: fixture.nonces()).httpRequest
    case .keyExchange:
      return try device.keyRequest(
        of: user, refreshToken: "rt-000001", otherPublicKey: VectorKeys.point("peer-exchange"),
        keyContext: "c", nonces: fixture.nonces()
      ).httpRequest
    }
  }

  /// What the provider says of a request: nothing, or the refusal.
  private func refusal(
    _ message: Message, _ request: HTTPRequestValue, _ provider: IdentityProvider
  ) async -> JOSEError? {
    do throws(JOSEError) {
      switch message {
      case .serverNonce: _ = try provider.serverNonceResponse(to: request)
      case .passwordLogin, .keyLogin: _ = try await provider.loginRequest(from: request)
      case .refresh: _ = try await provider.refreshRequest(from: request)
      case .key, .keyExchange: _ = try await provider.keyEndpointRequest(from: request)
      }
      return nil
    } catch {
      return error
    }
  }

  /// Runs a changed request of each kind, and requires that it is taken, or refused as a faulty request and not as a
  /// wrong credential.
  private func examine(
    _ preset: PlatformSSOPreset, messages: [Message] = Message.allCases, isTaken: Bool, _ title: String,
    _ change: (inout HTTPRequestValue) throws -> Void
  ) async throws {
    let fixture = try await PresetTests().fixture(preset)
    for message in messages {
      var request = try request(message, fixture)
      try change(&request)
      let refusal = await refusal(message, request, fixture.provider)
      #expect((refusal == nil) == isTaken, "\(title), \(message): \(refusal.map { "\($0)" } ?? "taken")")
      guard let refusal else { continue }
      #expect(
        [400, 405, 413, 415].contains(fixture.provider.errorResponse(for: refusal).status), "\(title), \(message)")
    }
  }

  private static let signed = Message.allCases.filter { $0 != .serverNonce }
  private static let deciding = ["grant_type", "platform_sso_version", "assertion", "request"]

  @Test(
    "A request with a duplicate field that decides something is refused",
    arguments: PlatformSSOPreset.allCases)
  func doubledFields(_ preset: PlatformSSOPreset) async throws {
    for isFirst in [true, false] {
      for name in Self.deciding {
        try await examine(preset, messages: name == "grant_type" ? Message.allCases : Self.signed, isTaken: false, name)
        {
          request in
          let fields = try request.form().fields
          // `assertion` beside `request` is a second request too.
          let value = fields.first { $0.name == name }?.value ?? "e30.e30.AA"
          let more = (name, value)
          let all = fields.map { ($0.name, $0.value) }
          request.body = FormFields(isFirst ? [more] + all : all + [more]).encoded()
        }
      }
    }
    try await examine(preset, isTaken: false, "escaped name") { $0.body += Array("&%67rant%5Ftype=srv_challenge".utf8) }
    // What decides nothing may be there as often as anybody likes.
    try await examine(preset, isTaken: true, "unknown fields") {
      $0.body += Array("&x=1&x=2&%E2%82%AC=&client_info=1&client_info=2".utf8)
    }
  }

  @Test(
    "A request with another method or media type, or a malformed or huge body, is refused",
    arguments: PlatformSSOPreset.allCases)
  func noForm(_ preset: PlatformSSOPreset) async throws {
    for method in ["GET", "PUT", "post", "POST ", ""] {
      try await examine(preset, isTaken: false, "method \(method)") { $0.method = method }
    }
    for type in [
      "", "application/json", "text/plain", "multipart/form-data; boundary=a", "application/x-www-form-urlencodedx",
    ] {
      try await examine(preset, isTaken: false, "type \(type)") { try $0.headers.set("Content-Type", type) }
    }
    try await examine(preset, isTaken: false, "no type") { $0.headers.remove("Content-Type") }
    try await examine(preset, isTaken: false, "two types") { try $0.headers.append("Content-Type", "text/plain") }
    try await examine(preset, isTaken: false, "a huge field") {
      $0.body += Array("&x=".utf8) + [UInt8](repeating: 0x41, count: 64 << 10)
    }
    try await examine(preset, isTaken: false, "many fields") {
      $0.body += Array(String(repeating: "&a=", count: 128).utf8)
    }
    for tail in [
      "&&", "&&a=1", "&=1", "&a", "&a=%", "&a=%2", "&a=%gg", "&a=%ff", "&a=%ed%a0%80", "&a=b c", "&a=\n", "&a=é",
    ] {
      try await examine(preset, isTaken: false, "tail \(tail)") { $0.body += Array(tail.utf8) }
    }
    try await examine(preset, isTaken: false, "nothing") { $0.body = [] }
    try await examine(preset, isTaken: false, "zeros") { $0.body = [UInt8](repeating: 0, count: 4096) }
  }

  @Test("A request with a wrong field value or a malformed token is refused", arguments: PlatformSSOPreset.allCases)
  func values(_ preset: PlatformSSOPreset) async throws {
    func change(
      _ name: String, _ messages: [Message], isTaken: Bool = false, _ value: (String) -> String?
    ) async throws {
      try await examine(preset, messages: messages, isTaken: isTaken, name) { request in
        let fields = try request.form().fields.compactMap { field in
          field.name == name ? value(field.value).map { (field.name, $0) } : (field.name, field.value)
        }
        request.body = FormFields(fields).encoded()
      }
    }
    try await change("grant_type", [.serverNonce]) { _ in nil }
    for other in ["", "password", "refresh_token", "SRV_CHALLENGE", "srv_challenge ", "authorization_code"] {
      try await change("grant_type", Message.allCases) { _ in other }
    }
    for other in ["", "0.9", "3.0", "1.00", "2", "1,0", "one"] {
      try await change("platform_sso_version", Self.signed) { _ in other }
    }
    try await change("platform_sso_version", [.passwordLogin, .keyLogin, .refresh]) { _ in "2.0" }
    try await change("platform_sso_version", [.key, .keyExchange]) { _ in "1.0" }
    try await change("platform_sso_version", [.passwordLogin, .keyLogin, .refresh], isTaken: true) { _ in "1" }
    let spoiled: [(String) -> String] = [
      { _ in "" }, { $0 + "." }, { "." + $0 }, { $0 + " " }, { "\n" + $0 }, { $0 + "=" }, { $0 + "AA" },
      { String($0.dropLast()) }, { $0.replacing(".", with: "..") }, { $0 + "." + $0 }, { $0.uppercased() },
      { _ in "e30.e30." }, { _ in String(repeating: "A", count: 60_000) },
      { _ in String(repeating: ".", count: 30_000) },
      { "Bearer " + $0 }, { #"{"payload":"e30","protected":"e30","signature":"\#($0)"}"# },
    ]
    for name in ["assertion", "request"] {
      let fixture = try await PresetTests().fixture(preset)
      let used = try request(.refresh, fixture).form().fields.contains { $0.name == name }
      guard used else { continue }
      for spoil in spoiled { try await change(name, Self.signed) { spoil($0) } }
      try await change(name, Self.signed) { _ in nil }
    }
  }

  @Test("Other spellings of the same form are the same request", arguments: PlatformSSOPreset.allCases)
  func spellings(_ preset: PlatformSSOPreset) async throws {
    func rewrite(_ title: String, _ change: @escaping (String) -> String) async throws {
      try await examine(preset, isTaken: true, title) {
        $0.body = Array(change(String(decoding: $0.body, as: UTF8.self)).utf8)
      }
    }
    try await rewrite("colons as they are") { $0.replacing("%3A", with: ":") }
    try await rewrite("small hexadecimal digits") { $0.replacing("%3A", with: "%3a").replacing("%2F", with: "%2f") }
    try await rewrite("escaped names") { $0.replacing("grant_type=", with: "%67rant%5ftype=") }
    try await rewrite("escaped dots and underscores") {
      $0.replacing(".", with: "%2E").replacing("srv_", with: "srv%5F")
    }
    try await rewrite("the other way round") { $0.split(separator: "&").reversed().joined(separator: "&") }
    for type in [
      "application/x-www-form-urlencoded; charset=utf-8", "APPLICATION/X-WWW-FORM-URLENCODED",
      "application/x-www-form-urlencoded ;charset=UTF-8",
    ] {
      try await examine(preset, isTaken: true, type) { try $0.headers.set("Content-Type", type) }
    }
    try await examine(preset, isTaken: true, "names of header fields in capitals") { request in
      let fields = request.headers.fields.map { ($0.name.uppercased(), $0.value) }
      request.headers = try HTTPHeaderFields(fields)
    }
  }

  @Test("client-request-id: one, of 1 to 128 characters, where it counts", arguments: PlatformSSOPreset.allCases)
  func clientRequestIDs(_ preset: PlatformSSOPreset) async throws {
    let rule = try await PresetTests().fixture(preset).provider.configuration.clientRequestID
    let isLax = rule == .notChecked
    try await examine(preset, isTaken: isLax, "none") { $0.headers.remove("client-request-id") }
    try await examine(preset, isTaken: isLax, "two") { try $0.headers.append("Client-Request-Id", "B") }
    try await examine(preset, isTaken: isLax, "129 characters") {
      try $0.headers.set("client-request-id", String(repeating: "A", count: 129))
    }
    try await examine(preset, isTaken: isLax, "empty") { try $0.headers.set("client-request-id", "") }
    try await examine(preset, messages: Self.signed, isTaken: rule != .boundToServerNonce, "another") {
      try $0.headers.set("client-request-id", "A")
    }
    try await examine(preset, isTaken: true, "small letters") {
      let value = $0.headers.values("client-request-id").first ?? ""
      try $0.headers.set("client-request-id", value.lowercased())
    }
  }

  @Test(
    "Of fifty copies of a request at once one is taken; fifty requests are all taken",
    arguments: PlatformSSOPreset.allCases)
  func concurrent(_ preset: PlatformSSOPreset) async throws {
    let fixture = try await PresetTests().fixture(preset)
    let provider = fixture.provider
    for message in Self.signed {
      let copy = try request(message, fixture)
      let taken = await count(50) { _ in await refusal(message, copy, provider) == nil }
      #expect(taken == 1, "\(message)")
    }
    let requests = try (0..<50).map { try request(Self.signed[$0 % Self.signed.count], fixture) }
    let taken = await count(50) { index in
      await refusal(Self.signed[index % Self.signed.count], requests[index], provider) == nil
    }
    #expect(taken == 50)
  }

  private func count(_ number: Int, _ isTaken: @escaping @Sendable (Int) async -> Bool) async -> Int {
    await withTaskGroup(of: Bool.self) { group in
      for index in 0..<number { group.addTask { await isTaken(index) } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
  }
}
