import JOSE
import NativeSSOKit
import OpenIDKit
import StrictJSON

/// The administration of Native SSO over HTTP: settings, and the users' device secrets.
///
/// ```swift
/// let admin = NativeSSOAdminAPI(provider: provider)
/// let response = await admin.respond(to: request)
/// ```
/// No response ever holds a device secret or its hash.
public struct NativeSSOAdminAPI: Sendable {
  let provider: OpenIDProvider

  /// The administration of a provider.
  ///
  /// - Parameter provider: its settings of Native SSO and device secrets are administered.
  public init(provider: OpenIDProvider) { self.provider = provider }

  /// Without Native SSO, those of a provider where it is off.
  private var resolver: SettingsResolver { provider.native?.settings ?? SettingsResolver(NativeSSOSettings()) }

  /// Answers a request. The caller has authenticated the administrator before, for instance by a login in the browser.
  /// Its URL is the path, which begins with `/api/admin/`, and the query. Never throws.
  public func respond(to request: HTTPRequestValue) async -> HTTPResponseValue {
    do throws(AdminError) {
      return HTTPResponseValue(adminStatus: 200, try await route(request))
    } catch {
      return error.response
    }
  }

  private func route(_ request: HTTPRequestValue) async throws(AdminError) -> JSONObject {
    let target = try AdminTarget(request)
    switch (request.method, target.segments.count) {
    case ("GET", 2) where target.matches("settings", "native-sso"): return try await describeSettings()
    case ("PUT", 2) where target.matches("settings", "native-sso"): return try await updateSettings(request)
    case ("DELETE", 2) where target.matches("settings", "native-sso"): return try await resetSettings()
    case ("POST", 2) where target.matches("device-secrets", "cleanup"): return try await removeStale()
    case ("GET", 2) where target.matches("device-secrets", nil): return try await describe(target.segments[1])
    case ("DELETE", 2) where target.matches("device-secrets", nil):
      return try await revoke(target.segments[1], reason: try reason(request))
    case ("GET", 3) where target.matches("users", nil, "device-secrets"):
      return try await list(target.segments[1], target)
    case ("DELETE", 3) where target.matches("users", nil, "device-secrets"):
      return try await revokeAll(target.segments[1], reason: try reason(request))
    default: throw .notFound
    }
  }

  /// `reason` of an optional JSON body.
  private func reason(_ request: HTTPRequestValue) throws(AdminError) -> LogoutReason? {
    guard !request.body.isEmpty else { return nil }
    let body = try object(request)
    guard let value = body["reason"] else { return nil }
    guard case .string(let text) = value, text.unicodeScalars.count <= 500 else { throw .invalidReason }
    let words = String(text.unicodeScalars.filter { $0.properties.generalCategory != .control }.map(Character.init))
    return words.allSatisfy(\.isWhitespace) ? nil : LogoutReason(words)
  }

  func object(_ request: HTTPRequestValue) throws(AdminError) -> JSONObject {
    let limits = JSONLimits(maximumByteCount: 16 * 1024, maximumDepth: 8)
    guard let object = try? JSONObject(parsing: request.body, limits: limits) else { throw .notJSON }
    return object
  }

  /// Runs a store's operation. Its errors become a 500 without details.
  func serving<Value: Sendable>(_ body: () async throws -> Value) async throws(AdminError) -> Value {
    do {
      return try await body()
    } catch {
      throw .serverError
    }
  }
}

extension NativeSSOAdminAPI {
  /// Every setting with its value, its source, its default, its range and its description.
  func describeSettings() async throws(AdminError) -> JSONObject {
    let (settings, sources) = try await serving { try await resolver.resolved() }
    var described = JSONObject()
    for setting in AdminSetting.all {
      var entry: JSONObject = [
        "value": setting.value(settings), "source": .string((sources[setting.name] ?? .default).rawValue),
        "default": setting.value(NativeSSOSettings()),
      ]
      if let range = setting.range {
        entry["min"] = .number(JSONNumber(range.lowerBound))
        entry["max"] = .number(JSONNumber(range.upperBound))
      }
      if !setting.options.isEmpty { entry["validOptions"] = .array(setting.options.map { .string($0) }) }
      entry["description"] = .string(setting.description)
      described[setting.name] = .object(entry)
    }
    return ["settings": .object(described)]
  }

  /// Stores changes and answers with what is in force then.
  func updateSettings(_ request: HTTPRequestValue) async throws(AdminError) -> JSONObject {
    let changes = try object(request)
    do {
      let settings = try await resolver.update(changes)
      return ["success": true, "settings": .object(settings.jsonObject)]
    } catch let error as JOSEError where error.code == .settingInvalid {
      throw .invalidValue(error)
    } catch {
      throw .serverError
    }
  }

  /// Removes what is stored and answers with what is in force then.
  func resetSettings() async throws(AdminError) -> JSONObject {
    try await serving { try await resolver.reset() }
    let (settings, sources) = try await serving { try await resolver.resolved() }
    let named = AdminSetting.all.map { ($0.name, JSONValue.string((sources[$0.name] ?? .default).rawValue)) }
    return ["success": true, "settings": .object(settings.jsonObject), "sources": .object(JSONObject(named))]
  }
}
