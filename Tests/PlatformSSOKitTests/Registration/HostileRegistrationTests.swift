import JOSE
import PlatformSSOKit
import PureCrypto
import StrictJSON
import Testing

/// What strangers and attackers post where registrations are read.
@Suite("Hostile and odd registrations")
struct HostileRegistrationTests {
  private func refusal(_ request: HTTPRequestValue, _ format: RegistrationFormat = .standard) -> String {
    do throws(JOSEError) {
      _ = try DeviceRegistration(from: request, format: format)
      return ""
    } catch {
      return "\(error.code) \(error.name ?? "")"
    }
  }

  private func request(_ format: RegistrationFormat) throws -> HTTPRequestValue {
    try DeviceRegistration(deviceID: "8A3F", keys: Fixture().device.keys, registrationToken: "token-1")
      .httpRequest(to: "https://idp.example.com/register", format: format)
  }

  @Test("A form with a field twice is refused, whichever comes first")
  func doubledFields() throws {
    let good = try request(.fleet)
    #expect(refusal(good, .fleet) == "")
    let fields = try good.form().fields
    for (name, value) in fields {
      let all = fields.map { ($0.name, $0.value) }
      for doubled in [all + [(name, value)], [(name, "x")] + all] {
        var request = good
        request.body = FormFields(doubled).encoded()
        #expect(refusal(request, .fleet) == "fieldDuplicated body", "\(name)")
      }
    }
    // The name of a field may be escaped; it is the same field.
    var escaped = good
    escaped.body += Array("&%64evice_uuid=other".utf8)
    #expect(refusal(escaped, .fleet) == "fieldDuplicated body")
  }

  @Test("A form is declared to be one, and JSON to be JSON")
  func contentTypes() throws {
    for type in ["", "application/json", "text/plain", "multipart/form-data; boundary=x"] {
      var request = try request(.fleet)
      try request.headers.set("Content-Type", type)
      #expect(refusal(request, .fleet) == "contentTypeInvalid ", "\(type)")
    }
    for type in ["", "application/x-www-form-urlencoded", "text/json", "application/jsonp"] {
      var request = try request(.standard)
      try request.headers.set("Content-Type", type)
      #expect(refusal(request) == "contentTypeInvalid ", "\(type)")
    }
    var request = try request(.standard)
    try request.headers.set("Content-Type", "Application/JSON; charset=utf-8")
    #expect(refusal(request) == "")
    // Two declarations are none.
    try request.headers.append("Content-Type", "application/json")
    #expect(refusal(request) == "contentTypeInvalid ")
    var form = try self.request(.fleet)
    form.headers.remove("Content-Type")
    #expect(refusal(form, .fleet) == "contentTypeInvalid ")
  }

  @Test("Bodies that are too long, broken or doubled in JSON")
  func bodies() throws {
    var form = try request(.fleet)
    let body = form.body
    form.body = body + Array("&x=".utf8) + [UInt8](repeating: 0x41, count: 64 << 10)
    #expect(refusal(form, .fleet) == "limitExceeded body")
    form.body = body + Array(String(repeating: "&a=1", count: 200).utf8)
    #expect(refusal(form, .fleet) == "limitExceeded body")
    for tail in ["&&", "&=", "&x", "&x=%", "&x=%4", "&x=%zz", "&x=%ff", "&x=\u{00E9}", "&x=a b"] {
      form.body = body + Array(tail.utf8)
      #expect(refusal(form, .fleet) == "malformed body", "\(tail)")
    }
    var json = try request(.standard)
    let object = String(decoding: json.body, as: UTF8.self)
    for broken in [
      object + " x", "[\(object)]", object.replacing("{", with: "{\"device_id\":\"other\",", maxReplacements: 1),
      "\u{FEFF}" + object, object.replacing("8A3F", with: "\\ud800"), "", "null",
    ] {
      json.body = Array(broken.utf8)
      #expect(refusal(json) == "malformed ", "\(broken.prefix(20))")
    }
  }

  @Test(
    "A signing key of another algorithm is written as what it is, or refused, and never as an empty block",
    arguments: RegistrationFormat.allCases, [SignatureAlgorithm.es384, .ed25519])
  func otherAlgorithms(_ format: RegistrationFormat, _ algorithm: SignatureAlgorithm) throws {
    let fixture = try Fixture()
    var registration = try DeviceRegistration(deviceID: "8A3F", keys: fixture.device.keys)
    let key = try RegisteredKey(signingKey: SigningKey.generate(algorithm).verificationKey)
    registration.signingKey = key
    let canHold = format == .standard || format == .authentik || format == .twocanoes
    guard canHold else {
      #expect(throws: JOSEError(.keyMismatch, "", name: format.signingKeyMember)) {
        try registration.httpRequest(to: "https://idp.example.com/register", format: format)
      }
      return
    }
    let request = try registration.httpRequest(to: "https://idp.example.com/register", format: format)
    #expect(!String(decoding: request.body, as: UTF8.self).contains("KEY-----\\n-----END"))
    // By default a provider registers keys on P-256 alone.
    #expect(refusal(request, format) == "keyInvalid ")
    let read = try DeviceRegistration(from: request, format: format, signatureAlgorithms: [.es256, algorithm])
    #expect(read.signingKey == key && read.signingKey.keyID == key.keyID)
    let other: SignatureAlgorithm = algorithm == .es384 ? .ed25519 : .es384
    #expect(throws: JOSEError(.keyInvalid, "")) {
      try DeviceRegistration(from: request, format: format, signatureAlgorithms: [.es256, other])
    }
    #expect(throws: JOSEError(.keyInvalid, "")) {
      try DeviceRegistration(from: self.request(format), format: format, signatureAlgorithms: [algorithm])
    }
  }

  @Test("Keys of users and for encryption are on P-256, whatever devices sign with")
  func roles() throws {
    let other = try RegisteredKey(signingKey: SigningKey.generate(.ed25519).verificationKey)
    var registration = try DeviceRegistration(deviceID: "8A3F", keys: Fixture().device.keys)
    registration.encryptionKey = other
    for format in RegistrationFormat.allCases {
      #expect(throws: JOSEError.self) {
        try registration.httpRequest(to: "https://idp.example.com/register", format: format)
      }
      #expect(throws: JOSEError.self) {
        try UserRegistration(userKey: other).httpRequest(to: "https://idp.example.com/user", format: format)
      }
    }
    // As somebody may write it who doesn't ask this package.
    var request = try request(.standard)
    var body = try JSONObject(parsing: request.body)
    let spki = Ed25519PrivateKey().publicKey.derRepresentation
    body["encryption_key"] = .string(Base64.encode(spki))
    request.body = body.serialized()
    #expect(throws: JOSEError(.keyInvalid, "")) {
      try DeviceRegistration(from: request, signatureAlgorithms: [.es256, .ed25519])
    }
  }

  @Test("A thousand registrations of one signing key under many names at once leave one device")
  func concurrent() async throws {
    let registry = DeviceRegistry(records: MemoryRecordStore())
    let keys = try DeviceKeys.generate()
    let kept = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<1000 {
        group.addTask {
          let registration = try? DeviceRegistration(deviceID: "mac-\(number)", keys: keys)
          guard let registration else { return false }
          return (try? await registry.register(registration, tenant: "t\(number % 7)")) != nil
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(kept == 1)
    var count = 0
    for number in 0..<7 { count += try await registry.entries(tenant: "t\(number)").count }
    #expect(count == 1)
  }
}

extension RegistrationFormat {
  /// What the format calls the signing key.
  fileprivate var signingKeyMember: String {
    switch self {
    case .standard: "signing_key"
    case .keycloak, .twocanoes: "DeviceSigningKey"
    case .authentik, .fleet: "device_signing_key"
    }
  }
}
