import JOSE
import NativeSSOKit
import PureJOSENativeSSOAdministration
import StrictJSON
import Testing

@Suite("Administration and settings")
struct AdminTests {
  private func call(
    _ world: World, _ method: String, _ path: String, _ body: String = ""
  ) async throws -> HTTPResponseValue {
    await NativeSSOAdminAPI(provider: world.provider).respond(
      to: HTTPRequestValue(method: method, url: path, body: Array(body.utf8)))
  }

  private static let settings = "/api/admin/settings/native-sso"

  @Test("P25 settings that a PUT does not name keep their values; the answer is the worked example's")
  func p25() async throws {
    let world = try await World()
    let response = try await call(
      world, "PUT", Self.settings, #"{"deviceSecretTTLDays":7,"rateLimit":{"maxAttemptsPerMinute":5}}"#)
    #expect(response.status == 200 && response.object["success"] == true)
    let settings = try #require(response.object["settings"]?.objectValue)
    let expected: JSONObject = [
      "enabled": true, "deviceSecretTTLDays": 7, "maxDeviceSecretsPerUser": 10, "maxSecretsBehavior": "revoke_oldest",
      "allowCrossClientNativeSSO": false, "rateLimit": ["maxAttemptsPerMinute": 5, "blockDurationMinutes": 15],
    ]
    for (name, value) in expected.members { #expect(settings[name] == value) }
    let second = try await call(world, "PUT", Self.settings, #"{"rateLimit":{"blockDurationMinutes":1}}"#)
    #expect(
      second.object["settings"]?.objectValue?["rateLimit"] == ["maxAttemptsPerMinute": 5, "blockDurationMinutes": 1])
    #expect(try await world.provider.settings.settings().deviceSecretTTLDays == 7)
  }

  @Test("GET tells value, source, default, range and options; DELETE goes back")
  func describeAndReset() async throws {
    let world = try await World(settings: ["enabled": true, "deviceSecretTTLDays": 7])
    let described = try await call(world, "GET", Self.settings).object["settings"]?.objectValue
    #expect(described?["enabled"]?.objectValue?["source"] == "kv")
    let ttl = described?["deviceSecretTTLDays"]?.objectValue
    #expect(ttl?["value"] == 7 && ttl?["default"] == 30 && ttl?["min"] == 1 && ttl?["max"] == 90)
    #expect(described?["maxSecretsBehavior"]?.objectValue?["validOptions"] == ["revoke_oldest", "reject"])
    #expect(described?["rateLimit.maxAttemptsPerMinute"]?.objectValue?["source"] == "default")
    let reset = try await call(world, "DELETE", Self.settings)
    #expect(reset.object["settings"]?.objectValue?["enabled"] == false)
    #expect(reset.object["sources"]?.objectValue?["enabled"] == "default")
  }

  @Test(
    "N29 values of another type or out of range are refused and nothing is stored",
    arguments: [
      #"{"deviceSecretTTLDays":0}"#, #"{"deviceSecretTTLDays":91}"#, #"{"deviceSecretTTLDays":1.5}"#,
      #"{"deviceSecretTTLDays":"30"}"#, #"{"deviceSecretTTLDays":null}"#, #"{"deviceSecretTTLDays":1e400}"#,
      #"{"maxDeviceSecretsPerUser":0}"#, #"{"maxDeviceSecretsPerUser":51}"#,
      #"{"maxDeviceSecretsPerUser":99999999999999999999}"#,
      #"{"maxSecretsBehavior":"drop"}"#, #"{"maxSecretsBehavior":true}"#, #"{"enabled":1}"#, #"{"enabled":"true"}"#,
      #"{"allowCrossClientNativeSSO":null}"#, #"{"rateLimit":5}"#, #"{"rateLimit":{"maxAttemptsPerMinute":0}}"#,
      #"{"rateLimit":{"maxAttemptsPerMinute":101}}"#, #"{"rateLimit":{"blockDurationMinutes":61}}"#,
      #"{"rateLimit":{"unknown":1}}"#, #"{"maxUseCountPerSecret":101}"#, #"{"unknown":1}"#,
      #"{"deviceSecretTTLDays":7,"maxDeviceSecretsPerUser":0}"#,
    ])
  func n29(body: String) async throws {
    let world = try await World(settings: ["enabled": true])
    let response = try await call(world, "PUT", Self.settings, body)
    // A number beyond every Double is no JSON that is accepted at all.
    #expect(response.status == 400 && response.error == (body.contains("1e400") ? "invalid_request" : "invalid_value"))
    #expect(await world.settings.settings.map { try? JSONObject(parsing: $0) } == ["enabled": true])
  }

  @Test("A body that is no JSON object", arguments: ["", "[]", "x", #"{"a":1,"a":2}"#])
  func notJSON(body: String) async throws {
    let response = try await call(try await World(), "PUT", Self.settings, body)
    #expect(response.status == 400 && response.error == "invalid_request")
  }

  @Test("Stored and environment values are made to fit; code goes before the store, the store before the environment")
  func loading() async throws {
    let loaded = NativeSSOSettings.loading([
      "enabled": "yes", "deviceSecretTTLDays": 3.9, "maxDeviceSecretsPerUser": 1000, "maxSecretsBehavior": "drop",
      "rateLimit": ["maxAttemptsPerMinute": -1e300, "blockDurationMinutes": "x"], "maxUseCountPerSecret": 0,
    ])
    #expect(!loaded.enabled && loaded.deviceSecretTTLDays == 3 && loaded.maxDeviceSecretsPerUser == 50)
    #expect(loaded.maxSecretsBehavior == .revokeOldest && loaded.maxAttemptsPerMinute == 1)
    #expect(loaded.blockDurationMinutes == 15 && loaded.maxUseCountPerSecret == 1)
    #expect(NativeSSOSettings.loading(["deviceSecretTTLDays": 1e300]).deviceSecretTTLDays == 90)

    let resolver = try await SettingsResolver(
      fixed: ["rateLimit": ["maxAttemptsPerMinute": 3]],
      records: MemoryRecordStore.holding(settings: ["rateLimit": ["maxAttemptsPerMinute": 7], "deviceSecretTTLDays": 7]
      ),
      environment: [
        "NATIVE_SSO_ENABLED": "true", "NATIVE_SSO_DEVICE_SECRET_TTL_DAYS": "9",
        "NATIVE_SSO_MAX_SECRETS_BEHAVIOR": "reject",
        "NATIVE_SSO_MAX_DEVICE_SECRETS_PER_USER": "many",
      ])
    let (settings, sources) = try await resolver.resolved()
    #expect(settings.maxAttemptsPerMinute == 3 && sources["rateLimit.maxAttemptsPerMinute"] == .code)
    #expect(settings.deviceSecretTTLDays == 7 && sources["deviceSecretTTLDays"] == .stored)
    #expect(settings.enabled && sources["enabled"] == .environment && settings.maxSecretsBehavior == .reject)
    #expect(settings.maxDeviceSecretsPerUser == 10 && sources["maxDeviceSecretsPerUser"] == .default)
    #expect(throws: JOSEError.self) { try SettingsResolver(fixed: ["deviceSecretTTLDays": 0]) }
    #expect(throws: JOSEError.self) { try NativeSSOSettings(enabled: true, blockDuration: .seconds(0 * 60)) }
    #expect(try NativeSSOSettings(enabled: true, maxUseCountPerSecret: 10).maxUseCountPerSecret == 10)
  }

  @Test("The defaults of the configuration reference")
  func defaults() {
    let expected: JSONObject = [
      "enabled": false, "deviceSecretTTLDays": 30, "maxDeviceSecretsPerUser": 10, "maxSecretsBehavior": "revoke_oldest",
      "allowCrossClientNativeSSO": false, "rateLimit": ["maxAttemptsPerMinute": 10, "blockDurationMinutes": 15],
      "maxUseCountPerSecret": .null, "refuseExpiredIDToken": false, "requireAudience": false,
      "acceptLegacyTokenType": true, "rotateOnExchange": false, "issueRefreshToken": true,
    ]
    #expect(NativeSSOSettings().jsonObject == expected)
  }

  @Test("P26 pages of a user's device secrets, as in the worked example")
  func p26() async throws {
    let world = try await World(at: 1_760_010_000)
    for index in 0..<120 {
      let record = DeviceSecretRecord(
        id: "p\(index)", fingerprint: DeviceSecret.random().fingerprint, userID: "user-other", sessionID: "s",
        clientID: "a",
        createdAt: NumericDate(1_760_000_000 + index), expiresAt: NumericDate(index < 5 ? 1_760_000_001 : 1_770_000_000)
      )
      _ = try await world.store.insert(record, limit: 1000, overflow: .reject, now: NumericDate(1_760_000_000))
    }
    _ = try await world.store.revoke(id: "p119", reason: .administrator, now: NumericDate(1_760_000_500))
    let path = "/api/admin/users/user-other/device-secrets"
    let page = try await call(world, "GET", path + "?limit=500").object
    #expect(page["pagination"] == ["total": 119, "limit": 100, "offset": 0, "has_more": true])
    // Expired ones are not active, although nobody has revoked them.
    #expect(page["summary"] == ["total": 120, "active": 114, "revoked": 1, "expired": 5])
    #expect(page["items"]?.arrayValue?.count == 100)
    #expect(page["items"]?.arrayValue?.first?.objectValue?["id"] == "p118")
    let rest = try await call(world, "GET", path + "?limit=100&offset=100&include_revoked=true").object
    #expect(rest["pagination"] == ["total": 120, "limit": 100, "offset": 100, "has_more": false])
    #expect(rest["items"]?.arrayValue?.count == 20)
    let far = try await call(world, "GET", path + "?offset=9223372036854775807").object
    #expect(far["items"] == [] && far["pagination"]?.objectValue?["has_more"] == false)
    for query in ["?limit=-1", "?limit=x", "?offset=99999999999999999999", "?limit=1&limit=2"] {
      #expect(try await call(world, "GET", path + query).status == 400)
    }
    _ = await world.exchange()
    let item = try await call(world, "GET", "/api/admin/users/user-7f3a/device-secrets?limit=1").object["items"]?
      .arrayValue?.first
    #expect(
      item == [
        "id": "record-1", "user_id": "user-7f3a", "session_id": "s-91c2", "created_at": "2025-10-09T08:53:20.000Z",
        "expires_at": "2025-11-08T08:53:20.000Z", "last_used_at": "2025-10-09T11:40:00.000Z", "use_count": 1,
        "is_active": true,
      ])
    #expect(try await call(world, "GET", "/api/admin/device-secrets/record-1").object == item?.objectValue)
  }

  @Test("Revocation as in the worked example; without a reason, with control characters, of everything")
  func revocation() async throws {
    let world = try await World(at: 1_760_011_200)
    let path = "/api/admin/device-secrets/record-1"
    let response = try await call(world, "DELETE", path, #"{"reason":"lost\u0007 phone"}"#)
    let expected: JSONObject = [
      "success": true, "id": "record-1", "revoked_at": "2025-10-09T12:00:00.000Z", "reason": "lost phone",
    ]
    #expect(response.object == expected)
    #expect(await world.exchange().error == "invalid_grant")
    for index in 0..<3 { try await world.seed("secret-\(index)", id: "r\(index)") }
    try await world.seed("elsewhere", id: "other", user: "user-other")
    #expect(
      try await call(world, "DELETE", "/api/admin/device-secrets/r0", #"{"reason":" "}"#).object["reason"]
        == "admin_revocation")
    let all = try await call(world, "DELETE", "/api/admin/users/user-7f3a/device-secrets").object
    #expect(all["revoked_count"] == 2 && all["reason"] == "admin_bulk_revocation")
    #expect(try await world.record("other").revocation == nil)
    // Those that were revoked or have expired stay for 90 days.
    world.clock.advance(121 * 86_400)
    #expect(try await call(world, "POST", "/api/admin/device-secrets/cleanup").object["cleaned_count"] == 5)
  }

  @Test("N30 reasons that are too long or no text, secrets that are revoked already or unknown")
  func n30() async throws {
    let world = try await World()
    let path = "/api/admin/device-secrets/record-1"
    let long = String(repeating: "a", count: 501)
    for body in [#"{"reason":"\#(long)"}"#, #"{"reason":7}"#, #"{"reason":null}"#] {
      #expect(try await call(world, "DELETE", path, body).error == "validation_error")
    }
    #expect(try await call(world, "DELETE", path, "x").error == "invalid_request")
    #expect(try await world.record().revocation == nil)
    let limit = String(repeating: "a", count: 500)
    #expect(try await call(world, "DELETE", path, #"{"reason":"\#(limit)"}"#).status == 200)
    let again = try await call(world, "DELETE", path)
    #expect(again.status == 400 && again.error == "validation_error")
    #expect(try await call(world, "DELETE", "/api/admin/device-secrets/unknown").status == 404)
    #expect(try await call(world, "GET", "/api/admin/device-secrets/unknown").status == 404)
  }

  @Test(
    "An unknown path is answered with 404",
    arguments: [
      "/", "/api/admin", "/api/admin/", "/api/admin/settings/other", "/api/admin/users//device-secrets",
      "/api/admin/users/%zz/device-secrets", "/api/admin/device-secrets/a/b/c", "https://op.example.com",
    ])
  func paths(path: String) async throws {
    #expect(try await call(try await World(), "GET", path).status == 404)
  }

  @Test("User names are unescaped, and no answer holds a hash")
  func escaping() async throws {
    let world = try await World()
    try await world.seed("s", id: "slashed", user: "a/b c")
    let response = try await call(world, "GET", "/api/admin/users/a%2Fb%20c/device-secrets")
    #expect(response.object["pagination"]?.objectValue?["total"] == 1)
    #expect(!response.text.contains(try DeviceSecret("s").fingerprint.hexadecimal))
  }
}
