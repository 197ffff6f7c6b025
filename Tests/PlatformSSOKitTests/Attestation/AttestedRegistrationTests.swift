import JOSE
import PlatformSSOKit
import PureCrypto
import Testing

@Suite("Registrations whose keys are attested")
struct AttestedRegistrationTests {
  private func refusal(
    _ body: () async throws -> Void
  ) async -> String {
    do {
      try await body()
      return ""
    } catch let error as JOSEError {
      return "\(error.code) \(error.name ?? "")"
    } catch {
      return "\(error)"
    }
  }

  /// A registration of the fixture's device with an attestation for the nonce.
  private func registration(
    _ fixture: Fixture, nonce: String, format: RegistrationFormat = .standard,
    changing change: (inout DeviceRegistration, inout AttestationWorld) throws -> Void = { _, _ in }
  ) throws -> HTTPRequestValue {
    var registration = try DeviceRegistration(deviceID: "8A3F", keys: fixture.device.keys)
    var world = try AttestationWorld(nonce: nonce)
    registration.nonce = nonce
    try change(&registration, &world)
    registration.attestation = world.certificates
    return try registration.httpRequest(to: "https://idp.example.com/register", format: format)
  }

  @Test(
    "A device is registered with the names that Apple attests", arguments: [RegistrationFormat.standard, .keycloak])
  func device(_ format: RegistrationFormat) async throws {
    let fixture = try Fixture()
    let nonce = try fixture.nonces().serverNonce
    let request = try registration(fixture, nonce: nonce, format: format)
    var policy = try AttestationWorld().policy()
    policy.requiresDeviceIdentifiers = true
    let (read, attestation) = try await fixture.provider.deviceRegistration(
      from: request, format: format, attestedBy: policy)
    #expect(attestation.serialNumber == "C02ABC123" && attestation.udid == "00008103-0001")
    #expect(attestation.chain.certificates.count == 2)
    let device = try await DeviceRegistry(records: MemoryRecordStore()).register(read, attestation: attestation)
    #expect(device.id == "00008103-0001" && device.identity == .attested)
    #expect(device.serialNumber == "C02ABC123" && device.attestation == read.attestation)
    // The nonce is used up.
    #expect(
      await refusal {
        _ = try await fixture.provider.deviceRegistration(from: request, format: format, attestedBy: policy)
      } == "serverNonceReplayed request_nonce")
  }

  @Test("A claimed name without attestation is left out, and a contradicting one is refused")
  func claims() async throws {
    let fixture = try Fixture()
    let policy = try AttestationWorld().policy()
    func read(
      _ change: (inout DeviceRegistration, inout AttestationWorld) throws -> Void
    ) async throws -> VerifiedAttestation {
      let nonce = try fixture.nonces().serverNonce
      return try await fixture.provider.deviceRegistration(
        from: registration(fixture, nonce: nonce, changing: change), attestedBy: policy
      ).attestation
    }
    let claimed = try await read { registration, world in
      (registration.serialNumber, registration.udid) = ("C02ABC123", "claimed")
      world.set("9.2", nil)
    }
    #expect(claimed.serialNumber == "C02ABC123" && claimed.udid == nil)
    #expect(
      await refusal { _ = try await read { registration, _ in registration.serialNumber = "C02XXX" } }
        == "attestedIdentifierMismatch serialNumber")
    #expect(
      await refusal { _ = try await read { registration, _ in registration.udid = "other" } }
        == "attestedIdentifierMismatch udid")
    // The encryption key is not attested: exchanging both keys' roles is noticed.
    #expect(
      await refusal {
        _ = try await read { registration, _ in
          (registration.signingKey, registration.encryptionKey) = (registration.encryptionKey, registration.signingKey)
        }
      } == "attestationKeyMismatch x5c[0]")
    #expect(
      await refusal { _ = try await read { registration, _ in registration.nonce = nil } } == "claimMissing nonce")
    #expect(
      await refusal { _ = try await read { registration, _ in registration.nonce = "x" } }
        == "serverNonceInvalid request_nonce")
    #expect(
      await refusal { _ = try await read { _, world in world.chain = { _ in [] } } }
        == "attestationMissing attestation")
    // Somebody else's attestation, for a nonce of long ago.
    let old = try AttestationWorld(nonce: "old").certificates
    #expect(
      await refusal { _ = try await read { _, world in world.chain = { _ in old } } }
        == "attestationNotFresh freshness")
  }

  @Test("Of a hundred registrations with one nonce at once, one is taken")
  func concurrent() async throws {
    let fixture = try Fixture()
    let policy = try AttestationWorld().policy()
    let request = try registration(fixture, nonce: try fixture.nonces().serverNonce)
    let provider = fixture.provider
    let taken = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<100 {
        group.addTask { (try? await provider.deviceRegistration(from: request, attestedBy: policy)) != nil }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(taken == 1)
  }

  @Test("A nonce that is bound to the client's request is good in that request alone")
  func boundNonce() async throws {
    var fixture = try Fixture()
    fixture.provider.configuration.bindsServerNonces = true
    let policy = try AttestationWorld().policy()
    let nonces = try fixture.nonces()
    var request = try registration(fixture, nonce: nonces.serverNonce)
    let provider = fixture.provider
    let without = request
    #expect(
      await refusal { _ = try await provider.deviceRegistration(from: without, attestedBy: policy) }
        == "fieldMissing client-request-id")
    try request.headers.append("client-request-id", "another")
    let other = request
    #expect(
      await refusal { _ = try await provider.deviceRegistration(from: other, attestedBy: policy) }
        == "serverNonceInvalid request_nonce")
    try request.headers.set("client-request-id", nonces.clientRequestID)
    let right = request
    #expect(await refusal { _ = try await provider.deviceRegistration(from: right, attestedBy: policy) } == "")
  }

  @Test("A user's key is attested on the device that it is enrolled on")
  func user() async throws {
    let fixture = try Fixture()
    let policy = try AttestationWorld().policy()
    let point = try VectorKeys.point("user-secure-enclave")
    let keys = fixture.device.keys
    var device = RegisteredDevice(
      id: "mac-1", signingKey: try RegisteredKey(x963Representation: keys.signingKeyX963Representation),
      encryptionKey: try RegisteredKey(x963Representation: keys.encryptionKeyX963Representation),
      serialNumber: "C02ABC123", udid: "00008103-0001")
    func enrol(_ key: [UInt8], on device: RegisteredDevice) async throws -> UserRegistration {
      let nonce = try fixture.nonces().serverNonce
      let registration = UserRegistration(
        userKey: try RegisteredKey(x963Representation: key), accessToken: "at", nonce: nonce,
        attestation: try AttestationWorld(point: point, nonce: nonce).certificates)
      return try await fixture.provider.userRegistration(
        from: registration.httpRequest(to: "https://idp.example.com/user"), on: device, attestedBy: policy
      ).registration
    }
    #expect(try await enrol(point, on: device).userKey.x963Representation == point)
    let known = device
    let another = try VectorKeys.point("device-signing")
    #expect(await refusal { _ = try await enrol(another, on: known) } == "attestationKeyMismatch x5c[0]")
    device.udid = "00008103-0002"
    let other = device
    #expect(await refusal { _ = try await enrol(point, on: other) } == "attestedIdentifierMismatch udid")
  }

  @Test("A refused attestation is answered with 400 or 409 and without its cause")
  func answers() throws {
    let provider = try Fixture().provider
    for code: ErrorCode in [
      .attestationMissing, .attestationInvalid, .attestationKeyMismatch, .attestationNotFresh,
      .attestedIdentifierMissing, .attestedIdentifierMismatch,
    ] {
      let response = provider.errorResponse(for: JOSEError(code, "", name: "x5c[0]"))
      // That another Mac was attested is a conflict of names.
      let isConflict = code == .attestedIdentifierMismatch
      #expect(response.status == (isConflict ? 409 : 400))
      #expect(
        String(decoding: response.body, as: UTF8.self)
          == (isConflict ? #"{"error":"conflict"}"# : #"{"error":"invalid_request"}"#))
    }
  }
}

extension IdentityProvider {
  /// Reads a registration and has its attestation checked.
  fileprivate func deviceRegistration(
    from request: HTTPRequestValue, format: RegistrationFormat = .standard, attestedBy policy: AttestationPolicy
  ) async throws(JOSEError) -> (registration: DeviceRegistration, attestation: VerifiedAttestation) {
    let registration = try DeviceRegistration(from: request, format: format, limits: configuration.limits)
    return (registration, try await verify(registration, of: request, by: policy))
  }

  fileprivate func userRegistration(
    from request: HTTPRequestValue, format: RegistrationFormat = .standard, on device: RegisteredDevice,
    attestedBy policy: AttestationPolicy
  ) async throws(JOSEError) -> (registration: UserRegistration, attestation: VerifiedAttestation) {
    let registration = try UserRegistration(from: request, format: format, limits: configuration.limits)
    return (registration, try await verify(registration, of: request, on: device, by: policy))
  }
}
