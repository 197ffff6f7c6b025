import JOSE
import PlatformSSOKit
import PureCrypto
import Testing

/// Several tenants and several Macs: nothing of one is good for another.
@Suite("Tenants and several devices")
struct TenantTests {
  private func named(_ code: ErrorCode, _ name: String? = nil) -> JOSEError {
    JOSEError(code, "", name: name)
  }

  private func device(_ keys: DeviceKeys, tenant: String?) throws -> RegisteredDevice {
    try RegisteredDevice(
      id: "mac-1", signingKey: RegisteredKey(x963Representation: keys.signingKeyX963Representation),
      encryptionKey: RegisteredKey(x963Representation: keys.encryptionKeyX963Representation), tenant: tenant)
  }

  @Test("A refresh token of one tenant's Mac is not good on another tenant's Mac of the same name")
  func refreshTokens() async throws {
    var fixture = try Fixture()
    // Each tenant's Mac has keys of its own: a signing key names one Mac of all tenants.
    var macs: [String?: DeviceKeys] = [:]
    let tenants = [nil, "a", "b", ""]
    for tenant in tenants {
      let keys = try tenant == nil ? fixture.device.keys : DeviceKeys.generate()
      macs[tenant] = keys
      if tenant != nil { try await fixture.store.register(device(keys, tenant: tenant)) }
      try await fixture.store.give("rt-\(tenant ?? "none")", tenant: tenant)
    }
    for tenant in tenants {
      fixture.provider.tenant = tenant
      for other in tenants {
        fixture.device.keys = try #require(macs[other])
        let refused = await fixture.refusal(of: try fixture.refreshRequest("rt-\(other ?? "none")").httpRequest)
        #expect(refused == (tenant == other ? nil : named(.deviceUnknown, "kid")))
      }
      fixture.device.keys = try #require(macs[tenant])
      for other in tenants {
        let token = "rt-\(other ?? "none")"
        let expected = tenant == other ? nil : named(.refreshTokenRejected, "refresh_token")
        #expect(await fixture.refusal(of: try fixture.refreshRequest(token).httpRequest) == expected)
        let key = try fixture.device.keyRequest(
          of: LoginRequestTests.user, refreshToken: token, nonces: fixture.nonces())
        #expect(await fixture.refusal(of: key.httpRequest) == expected)
      }
    }
  }

  @Test("A key context of one tenant doesn't open for another's user and Mac of the same names")
  func keyContexts() throws {
    let contexts = try KeyContexts(secret: SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
    let key = UnlockKey.generate()
    for tenant in [nil, "a", "b", ""] {
      let context = try contexts.seal(key, userName: "jane", deviceID: "mac-1", tenant: tenant)
      for other in [nil, "a", "b", ""] where other != tenant {
        #expect(throws: named(.keyContextInvalid, "key_context")) {
          try contexts.open(context, userName: "jane", deviceID: "mac-1", tenant: other)
        }
      }
      let opened = try contexts.open(context, userName: "jane", deviceID: "mac-1", tenant: tenant)
      #expect(opened.x963Representation == key.x963Representation)
    }
  }

  @Test("A registry tells a tenant's provider of no other tenant's Mac")
  func signingKeys() async throws {
    let registry = DeviceRegistry(records: MemoryRecordStore())
    let first = try await registry.register(
      DeviceRegistration(deviceID: "8A3F", keys: .generate()), tenant: "a")
    let keyID = first.signingKey.keyID
    #expect(try await registry.device(signingKeyID: keyID, tenant: "a") == first)
    #expect(try await registry.device(signingKeyID: keyID, tenant: "b") == nil)
    #expect(try await registry.device(signingKeyID: keyID, tenant: nil) == nil)
  }

  @Test("A rotation that began before a new registration doesn't bring the former keys back")
  func rotationAndRegistration() async throws {
    let registry = DeviceRegistry(records: MemoryRecordStore())
    let old = try await registry.register(DeviceRegistration(deviceID: "8A3F", keys: .generate()))
    let rotated = try RegisteredKey(x963Representation: DeviceKeys.generate().signingKeyX963Representation)
    var rotating = old
    rotating.otherSigningKey = rotated
    // Between reading and writing, the Mac is registered anew.
    let new = try await registry.register(DeviceRegistration(deviceID: "8A3F", keys: .generate()), replacing: old)
    #expect(!(try await registry.replace(old, by: rotating)))
    #expect(try await registry.device(signingKeyID: old.signingKey.keyID) == nil)
    #expect(try await registry.device(id: "8A3F", tenant: nil) == new)
    var renamed = new
    renamed.id = "other"
    #expect(!(try await registry.replace(new, by: renamed)))
    #expect(try await registry.replace(new, by: rotating))
    #expect(try await registry.entries().count == 1)
  }

  @Test("Rotations and registrations at once leave one set of keys, and no key of a former one")
  func concurrentRotations() async throws {
    let registry = DeviceRegistry(records: MemoryRecordStore())
    let registrations = try (0..<20).map { _ in try DeviceRegistration(deviceID: "8A3F", keys: .generate()) }
    let rotations = try (0..<20).map { _ in
      try RegisteredKey(x963Representation: DeviceKeys.generate().signingKeyX963Representation)
    }
    _ = try await registry.register(registrations[0])
    await withTaskGroup(of: Void.self) { group in
      for registration in registrations {
        group.addTask {
          guard let known = try? await registry.device(id: "8A3F", tenant: nil) else { return }
          _ = try? await registry.register(registration, replacing: known)
        }
      }
      for key in rotations {
        group.addTask {
          guard let known = try? await registry.device(id: "8A3F", tenant: nil),
            let rotating = try? await registry.beginRotation(of: known, signingKey: key)
          else { return }
          _ = try? await registry.completeRotation(of: rotating)
        }
      }
    }
    let device = try #require(try await registry.device(id: "8A3F", tenant: nil))
    let good = [device.signingKey.keyID] + (device.otherSigningKey.map { [$0.keyID] } ?? [])
    for keyID in (registrations.map(\.signingKey) + rotations).map(\.keyID) {
      let found = try await registry.device(signingKeyID: keyID)
      #expect((found != nil) == good.contains(keyID))
    }
    // What is encrypted goes to the Mac that was registered last.
    #expect(registrations.contains { $0.encryptionKey == device.encryptionKey })
  }

  @Test("An encryption key on another curve can't be rotated in")
  func rotatedEncryptionKey() async throws {
    let registry = DeviceRegistry(records: MemoryRecordStore())
    let device = try await registry.register(DeviceRegistration(deviceID: "8A3F", keys: .generate()))
    let other = try RegisteredKey(signingKey: SigningKey.generate(.ed25519).verificationKey)
    await #expect(throws: named(.keyMismatch, "encryptionKey")) {
      try await registry.beginRotation(of: device, encryptionKey: other)
    }
  }

  @Test("A user's key is on P-256, whatever devices may sign with")
  func userKeys() async throws {
    var fixture = try Fixture()
    fixture.provider.configuration.deviceSignatureAlgorithms = [.es256, .ed25519]
    let key = try SigningKey.generate(.ed25519)
    let registered = try RegisteredKey(signingKey: key.verificationKey)
    try await fixture.store.enroll(registered)
    let good = try fixture.device.loginRequest(
      of: LoginRequestTests.user, by: .userSecureEnclaveKey(VectorKeys.signing("user-secure-enclave")),
      nonces: fixture.nonces())
    let outer = try JSONObject(parsing: UnverifiedJWS(parsing: good.assertion).unverifiedPayload)
    let inner = try UnverifiedJWS(parsing: outer["assertion"]?.stringValue ?? "")
    let forged = try JWS.sign(
      inner.unverifiedPayload, with: key,
      header: HeaderParameters(type: inner.unverifiedHeader.type, keyID: registered.keyID.text))
    let request = try fixture.request(like: good) { $0["assertion"] = .string(forged) }
    #expect(await fixture.refusal(of: request) == named(.algorithmNotAllowed, "alg"))
    #expect(await fixture.refusal(of: try fixture.request(like: good)) != nil)
  }

  @Test("A Mac that is named as its own client may log its user in by a browser, and another name is refused")
  func webAuthorization() async throws {
    var fixture = try Fixture()
    fixture.provider.configuration.clientIDs = []
    fixture.provider.configuration.deviceClientIDs = { [$0.id] }
    fixture.device.configuration.federationUserPreauthenticationURL = "https://idp.example.com/discovery"
    fixture.device.configuration.isFederated = { $0["account_type"] == "Federated" }
    for (clientID, expected) in [("mac-1", nil), ("mac-2", named(.claimMismatch, "client_id"))] {
      fixture.device.configuration.clientID = clientID
      let read = try fixture.provider.preauthenticationRequest(
        from: fixture.device.preauthenticationRequest(of: LoginRequestTests.user))
      let answer = try fixture.provider.preauthenticationResponse(
        to: read,
        .webAuthorization(
          at: "https://idp.example.com/authorize",
          request: fixture.provider.authorizationParameters(clientID: clientID)))
      guard let endpoint = try fixture.device.preauthentication(from: answer) else {
        Issue.record("not federated")
        return
      }
      let request = try fixture.device.webAuthorizationRequest(of: LoginRequestTests.user, at: endpoint)
      #expect(await fixture.refusal(of: request.httpRequest) == expected)
    }
  }
}
