import JOSEHTTP
import JOSE
import StrictJSON

extension NativeSSOAdminAPI {
  /// Every setting with its value, where that comes from, its default, its range and its description.
  func describeSettings() async throws(AdminError) -> JSONObject {
    let (settings, sources) = try await serving { try await provider.settings.resolved() }
    var described = JSONObject()
    for definition in SettingDefinition.all {
      var entry: JSONObject = [
        "value": definition.value(settings),
        "source": .string((sources[definition.name] ?? .default).rawValue),
        "default": definition.value(NativeSSOSettings()),
      ]
      if let range = definition.range {
        entry["min"] = .number(JSONNumber(range.lowerBound))
        entry["max"] = .number(JSONNumber(range.upperBound))
      }
      if case .overflow = definition.kind {
        entry["validOptions"] = .array(NativeSSOSettings.OverflowBehavior.allCases.map { .string($0.rawValue) })
      }
      entry["description"] = .string(definition.description)
      described[definition.name] = .object(entry)
    }
    return ["settings": .object(described)]
  }

  /// Stores changes and answers with what is in force then.
  func updateSettings(_ request: HTTPRequestValue) async throws(AdminError) -> JSONObject {
    let changes = try object(request)
    let settings: NativeSSOSettings
    do {
      settings = try await provider.settings.update(changes)
    } catch let error as NativeSSOError where error.code == .settingInvalid {
      throw .invalidValue(error)
    } catch {
      throw .serverError
    }
    return ["success": true, "settings": .object(settings.jsonObject)]
  }

  /// Removes what is stored and answers with what is in force then.
  func resetSettings() async throws(AdminError) -> JSONObject {
    try await serving { try await provider.settings.reset() }
    let (settings, sources) = try await serving { try await provider.settings.resolved() }
    let named = SettingDefinition.all.map { ($0.name, JSONValue.string((sources[$0.name] ?? .default).rawValue)) }
    return ["success": true, "settings": .object(settings.jsonObject), "sources": .object(JSONObject(named))]
  }
}
