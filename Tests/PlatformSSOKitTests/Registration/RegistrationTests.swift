import JOSE
@testable import PlatformSSOKit
import PureCrypto
import Testing

@Suite("Registration and the device registry")
struct RegistrationTests {
  private func named(_ code: ErrorCode, _ name: String? = nil) -> JOSEError {
    JOSEError(code, "", name: name)
  }

  private func registration(_ keys: DeviceKeys? = nil) throws -> DeviceRegistration {
    let keys = try keys ?? Fixture().device.keys
    var registration = try DeviceRegistration(
      deviceID: "8A3F", serialNumber: "C02ABC123", udid: "00008103-0001", keys: keys, registrationToken: "token-1")
    registration.nonce = "n"
    registration.accessToken = "at"
    registration.attestation = [[1, 2, 3], [4]]
    registration.authenticationMethod = .password
    return registration
  }

  @Test("What one format writes it reads again", arguments: RegistrationFormat.allCases)
  func formats(_ format: RegistrationFormat) throws {
    let written = try registration()
    let request = try written.httpRequest(to: "https://idp.example.com/register", format: format)
    #expect(request.method == "POST")
    let read = try DeviceRegistration(from: request, format: format)
    #expect(read.signingKey == written.signingKey && read.encryptionKey == written.encryptionKey)
    switch format {
    case .standard: #expect(read == written)
    case .keycloak:
      #expect(read.attestation == written.attestation && read.accessToken == "at" && read.nonce == "n")
      #expect(read.authenticationMethod == .password)
    case .authentik: #expect(read.deviceID == nil && read.registrationToken == nil)
    case .fleet: #expect(read.deviceID == "8A3F" && read.registrationToken == "token-1")
    case .twocanoes: #expect(read.deviceID == "8A3F" && read.registrationToken == nil)
    }
    #expect(!"\(written)".contains("token-1"))
    var dumped = ""
    dump(written, to: &dumped)
    #expect(!dumped.contains("token-1"))
    let key = UserRegistration(
      userKey: try RegisteredKey(x963Representation: VectorKeys.point("user-secure-enclave")), deviceID: "8A3F",
      accessToken: "at", nonce: "n", attestation: [[9]])
    #expect(try UserRegistration(from: key.httpRequest(to: "https://x/", format: format), format: format) == key)
  }

  @Test("Keycloak is told how users log in, by its own words, and which request the nonce came from")
  func keycloakMethod() throws {
    let words: [(ExtensibleSSOProfile.AuthenticationMethod?, String)] = [
      (.password, "PASSWORD"), (.userSecureEnclaveKey, "SECURE_ENCLAVE"), (.openID, "OPENID"),
      (.smartCard, "SECURE_ENCLAVE"), (nil, "SECURE_ENCLAVE"),
    ]
    for (method, word) in words {
      var registration = try registration()
      registration.authenticationMethod = method
      let request = try registration.httpRequest(to: "https://x/enroll", format: .keycloak, clientRequestID: "C-1")
      #expect(try JSONObject(parsing: request.body)["registrationMethod"] == .string(word))
      #expect(request.headers.values("client-request-id") == ["C-1"])
      let read = try DeviceRegistration(from: request, format: .keycloak)
      #expect(read.authenticationMethod == (word == "SECURE_ENCLAVE" ? .userSecureEnclaveKey : method))
    }
    var request = try registration().httpRequest(to: "https://x/enroll", format: .keycloak)
    #expect(request.headers.values("client-request-id").isEmpty)
    var body = try JSONObject(parsing: request.body)
    body["registrationMethod"] = "SMOKE_SIGNALS"
    request.body = body.serialized()
    let changed = request
    #expect(throws: named(.claimInvalid, "registrationMethod")) {
      try DeviceRegistration(from: changed, format: .keycloak)
    }
    #expect(throws: named(.callerMisuse, "client-request-id")) {
      try registration().httpRequest(to: "https://x/", format: .keycloak, clientRequestID: "a\r\nb: c")
    }
  }

  @Test("A key may be a JWK, whose kid is its identifier, and nothing private or of another curve")
  func jsonWebKeys() throws {
    let keys = try Fixture().device.keys
    func jwk(_ point: [UInt8], _ more: JSONObject = [:]) -> JSONObject {
      var object: JSONObject = [
        "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point[1..<33])),
        "y": .string(Base64URL.encode(point[33...])),
      ]
      for (name, value) in more.members { object[name] = value }
      return object
    }
    func read(_ signing: JSONObject, identifier: JSONValue? = nil) throws -> DeviceRegistration {
      var request = try registration().httpRequest(to: "https://x/")
      var body = try JSONObject(parsing: request.body)
      body["signing_key"] = .object(signing)
      body["signing_key_id"] = identifier
      body["encryption_key"] = .object(jwk(keys.encryptionKeyX963Representation, ["use": "enc", "alg": "ECDH-ES"]))
      request.body = body.serialized()
      return try DeviceRegistration(from: request)
    }
    let point = keys.signingKeyX963Representation
    let named = try read(jwk(point, ["kid": .string(keys.signingKeyID.text), "use": "sig"]))
    #expect(named.signingKey.x963Representation == point)
    #expect(named.encryptionKey.x963Representation == keys.encryptionKeyX963Representation)
    #expect(try read(jwk(point), identifier: .string(keys.signingKeyID.text)).signingKey == named.signingKey)
    #expect(throws: self.named(.claimMissing, "signing_key_id")) { try read(jwk(point)) }
    #expect(throws: self.named(.keyIdentifierInvalid, "kid")) {
      try read(jwk(point, ["kid": .string(keys.encryptionKeyID.text)]))
    }
    let kid = JSONValue.string(keys.signingKeyID.text)
    let secret = P256PrivateKey().rawRepresentation.withUnsafeBytes { Base64URL.encode($0) }
    for wrong: JSONObject in [
      jwk(point, ["d": .string(secret)]), jwk(point, ["crv": "P-384"]), jwk(point, ["x": "AA"]), [:],
      ["kty": "oct", "k": "AAAA"],
    ] {
      #expect(throws: self.named(.keyInvalid)) { try read(wrong, identifier: kid) }
    }
  }

  @Test("A registration with a fault is refused by name")
  func faults() throws {
    func error(_ change: (inout JSONObject) -> Void) throws -> JOSEError? {
      var request = try registration().httpRequest(to: "https://idp.example.com/register")
      var body = try JSONObject(parsing: request.body)
      change(&body)
      request.body = body.serialized()
      do throws(JOSEError) {
        _ = try DeviceRegistration(from: request)
        return nil
      } catch { return error }
    }
    #expect(try error { _ in } == nil)
    for name in ["signing_key", "signing_key_id", "encryption_key", "encryption_key_id"] {
      #expect(try error { $0[name] = nil } == named(.claimMissing, name))
      #expect(try error { $0[name] = 1 } == named(.claimInvalid, name))
    }
    #expect(try error { $0["signing_key_id"] = $0["encryption_key_id"] } == named(.keyIdentifierInvalid, "kid"))
    #expect(try error { $0["signing_key_id"] = "x" } == named(.keyIdentifierInvalid, "kid"))
    let p384 = P384PrivateKey().publicKey
    for text in [
      "", "!", Base64.encode([4] + [UInt8](repeating: 1, count: 64)), Base64.encode(p384.x963Representation),
      Base64.encode(p384.derRepresentation),
    ] {
      let found = try error { $0["signing_key"] = .string(text) }
      #expect(found?.code == (text.isEmpty ? .claimInvalid : .keyInvalid))
    }
    #expect(
      try error {
        $0["encryption_key"] = $0["signing_key"]
        $0["encryption_key_id"] = $0["signing_key_id"]
      } == named(.keyInvalid, "encryption_key"))
    #expect(try error { $0["attestation"] = ["!"] } == named(.claimInvalid, "attestation"))
    #expect(
      try error { $0["attestation"] = .array(.init(repeating: "AA==", count: 9)) }
        == named(.claimInvalid, "attestation"))
    var request = try registration().httpRequest(to: "https://idp.example.com/register")
    request.method = "GET"
    #expect(throws: named(.methodNotAllowed)) { try DeviceRegistration(from: request) }
    request.method = "POST"
    var coded = request
    try coded.headers.append("Content-Encoding", "gzip")
    #expect(throws: named(.contentTypeInvalid)) { try DeviceRegistration(from: coded) }
    request.body = Array("[]".utf8)
    #expect(throws: named(.malformed)) { try DeviceRegistration(from: request) }
    request.headers = HTTPHeaderFields()
    #expect(throws: named(.contentTypeInvalid)) { try DeviceRegistration(from: request) }
    request.body = [UInt8](repeating: 0x20, count: 65 << 10)
    #expect(throws: named(.limitExceeded, "body")) { try DeviceRegistration(from: request) }
  }

  @Test("Tenants don't see each other's devices, and a signing key is one device's")
  func tenants() async throws {
    let registry = DeviceRegistry(records: MemoryRecordStore())
    let first = try await registry.register(registration(), tenant: "a")
    #expect(first.id == "8A3F" && first.tenant == "a" && first.serialNumber == "C02ABC123")
    #expect(try await registry.device(id: "8A3F", tenant: "a") == first)
    #expect(try await registry.device(id: "8A3F", tenant: "b") == nil)
    #expect(try await registry.device(id: "8A3F", tenant: nil) == nil)
    #expect(try await registry.device(signingKeyID: first.signingKey.keyID) == first)
    await #expect(throws: named(.deviceConflict, "device_id")) {
      try await registry.register(registration(), tenant: "b")
    }
    #expect(try await registry.entries(tenant: "a").count == 1)
    #expect(try await registry.entries(tenant: "b").isEmpty)
    let other = try await registry.register(registration(.generate()), tenant: "b")
    #expect(try await registry.device(id: "8A3F", tenant: "b") == other)
    var nameless = try registration(.generate())
    (nameless.deviceID, nameless.udid, nameless.serialNumber) = (nil, nil, nil)
    let unnamed = nameless
    await #expect(throws: named(.claimMissing, "device_id")) { try await registry.register(unnamed) }
    // With other keys the name is taken, until the one who knows the device lets it have them.
    let keys = try DeviceKeys.generate()
    await #expect(throws: named(.deviceConflict, "device_id")) {
      try await registry.register(registration(keys), tenant: "a")
    }
    await #expect(throws: named(.deviceConflict, "device_id")) {
      try await registry.register(registration(keys), tenant: "a", replacing: other)
    }
    let again = try await registry.register(registration(keys), tenant: "a", replacing: first)
    #expect(try await registry.device(signingKeyID: first.signingKey.keyID) == nil)
    #expect(try await registry.device(signingKeyID: again.signingKey.keyID)?.tenant == "a")
    #expect(try await registry.remove(id: "8A3F", tenant: "a"))
    #expect(try await registry.device(signingKeyID: again.signingKey.keyID) == nil)
    #expect(!(try await registry.remove(id: "8A3F", tenant: "a")))
  }

  @Test("During a rotation old and new keys are good, and then the new ones alone; or it is given up")
  func rotation() async throws {
    let registry = DeviceRegistry(records: MemoryRecordStore())
    let old = try await registry.register(registration())
    let keys = try DeviceKeys.generate()
    let signingKey = try RegisteredKey(x963Representation: keys.signingKeyX963Representation)
    let encryptionKey = try RegisteredKey(x963Representation: keys.encryptionKeyX963Representation)
    let rotating = try await registry.beginRotation(of: old, signingKey: signingKey, encryptionKey: encryptionKey)
    #expect(rotating.signingKey == old.signingKey && rotating.otherSigningKey == signingKey)
    #expect(try await registry.device(signingKeyID: old.signingKey.keyID) != nil)
    #expect(try await registry.device(signingKeyID: signingKey.keyID) != nil)
    let cancelled = try await registry.cancelRotation(of: rotating)
    #expect(try await registry.device(signingKeyID: signingKey.keyID) == nil)
    let again = try await registry.beginRotation(of: cancelled, signingKey: signingKey, encryptionKey: encryptionKey)
    let new = try await registry.completeRotation(of: again)
    #expect(new.signingKey == signingKey && new.encryptionKey == encryptionKey && new.otherSigningKey == nil)
    #expect(try await registry.device(signingKeyID: old.signingKey.keyID) == nil)
    // A key that is another device's can't be rotated in.
    var second = try registration()
    second.deviceID = "second"
    let other = try await registry.register(second)
    await #expect(throws: named(.deviceConflict, "device_id")) {
      try await registry.beginRotation(of: other, signingKey: signingKey)
    }
    #expect(try await registry.remove(id: "second", tenant: nil))
    await #expect(throws: named(.deviceConflict, "device_id")) { try await registry.completeRotation(of: other) }
  }

  @Test("A device's record comes back as it went, and a part of one is none")
  func storedRecords() async throws {
    let keys = try Fixture().device.keys
    var device = RegisteredDevice(
      id: "mac-1", signingKey: try RegisteredKey(x963Representation: keys.signingKeyX963Representation),
      encryptionKey: try RegisteredKey(x963Representation: keys.encryptionKeyX963Representation))
    device.registrationID = Base64URL.encode([1])
    device.identity = .attested
    for algorithm in [SignatureAlgorithm.es384, .ed25519] {
      device.otherSigningKey = try RegisteredKey(signingKey: SigningKey.generate(algorithm).verificationKey)
      (device.serialNumber, device.tenant, device.attestation) = ("", "é", [[1, 2], []])
      var record = DeviceRecord.record(device, key: [1], now: Fixture.now)
      #expect(try DeviceRecord.device(record) == device)
      let document = record.document
      for end in 0..<document.count {
        record.document = Array(document[..<end])
        #expect(throws: named(.storeUnavailable)) { try DeviceRecord.device(record) }
      }
    }
  }

  @Test(
    "Device keys for ES384 and Ed25519 sign where both sides allow it, and nowhere else",
    arguments: [SignatureAlgorithm.es384, .ed25519])
  func otherAlgorithms(_ algorithm: SignatureAlgorithm) async throws {
    var fixture = try Fixture()
    let signingKey = try SigningKey.generate(algorithm)
    let encryptionKey = try DecryptionKey.generateForKeyAgreement()
    #expect(throws: named(.keyMismatch, "signingKey")) {
      try DeviceKeys(signingKey: signingKey, encryptionKey: encryptionKey)
    }
    let keys = try DeviceKeys(
      signingKey: signingKey, encryptionKey: encryptionKey, signatureAlgorithms: [.es256, algorithm])
    fixture.device.keys = keys
    let registered = try RegisteredKey(signingKey: signingKey.verificationKey)
    #expect(registered.keyID == keys.signingKeyID)
    let device = RegisteredDevice(
      id: "mac-1", signingKey: registered,
      encryptionKey: try RegisteredKey(x963Representation: keys.encryptionKeyX963Representation))
    let stored = try StrictJSONDecoder().decode(RegisteredDevice.self, from: StrictJSONEncoder().encode(device))
    #expect(stored == device)
    try await fixture.store.register(stored)
    func refusal() async throws -> JOSEError? {
      await fixture.refusal(of: try fixture.refreshRequest().httpRequest)
    }
    #expect(try await refusal() == named(.algorithmNotAllowed, "alg"))
    fixture.provider.configuration.deviceSignatureAlgorithms = [.es256, algorithm]
    #expect(try await refusal() == nil)
    // The name in the header doesn't choose the key's algorithm.
    let other: SignatureAlgorithm = algorithm == .es384 ? .ed25519 : .es384
    fixture.provider.configuration.deviceSignatureAlgorithms = [.es256, other]
    #expect(try await refusal() == named(.algorithmNotAllowed, "alg"))
  }
}
