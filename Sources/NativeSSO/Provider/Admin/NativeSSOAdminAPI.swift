import JOSEHTTP
import JOSE
import StrictJSON

/// The administration of Native SSO over HTTP: settings, and the users' device secrets.
///
/// ```swift
/// let admin = NativeSSOAdminAPI(provider: provider) { token in await operators.mayAdminister(token) }
/// let response = await admin.respond(to: request)
/// ```
/// Neither a device secret nor its hash ever leaves.
public struct NativeSSOAdminAPI: Sendable {
  let provider: NativeSSOProvider
  private let isAuthorized: @Sendable (_ bearerToken: String) async -> Bool

  /// The administration of a provider.
  ///
  /// - Parameters:
  ///   - provider: whose settings and device secrets are administered.
  ///   - isAuthorized: whether a bearer token is an administrator's. It must compare in constant time, or look up by hash.
  public init(provider: NativeSSOProvider, isAuthorized: @escaping @Sendable (_ bearerToken: String) async -> Bool) {
    self.provider = provider
    self.isAuthorized = isAuthorized
  }

  /// Answers a request. Paths begin with `/api/admin/`. Never throws.
  public func respond(to request: HTTPRequestValue) async -> HTTPResponseValue {
    guard let token = Self.bearerToken(request), await isAuthorized(token) else {
      var response = AdminError.unauthorized.response
      response.headers.setKnown("WWW-Authenticate", "Bearer")
      return response
    }
    do throws(AdminError) {
      return HTTPResponseValue(status: 200, json: try await route(request))
    } catch {
      return error.response
    }
  }

  private static func bearerToken(_ request: HTTPRequestValue) -> String? {
    let fields = request.headers.values("Authorization")
    guard fields.count == 1 else { return nil }
    let parts = fields[0].split(separator: " ")
    guard parts.count == 2, String(parts[0]).hasSameBytesIgnoringASCIICase(as: "Bearer") else { return nil }
    return String(parts[1])
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
  private func reason(_ request: HTTPRequestValue) throws(AdminError) -> RevocationReason? {
    guard !request.body.isEmpty else { return nil }
    let body = try object(request)
    guard let value = body["reason"] else { return nil }
    guard case .string(let text) = value, text.unicodeScalars.count <= 500 else { throw .invalidReason }
    let reason = RevocationReason(text)
    return reason.description.allSatisfy(\.isWhitespace) ? nil : reason
  }

  func object(_ request: HTTPRequestValue) throws(AdminError) -> JSONObject {
    guard let object = try? JSONObject(parsing: request.body, within: Limits.default.headerJSON) else {
      throw .notJSON
    }
    return object
  }

  /// Runs a store's operation. What it throws stays inside.
  func serving<Value: Sendable>(_ body: () async throws -> Value) async throws(AdminError) -> Value {
    do {
      return try await body()
    } catch {
      throw .serverError
    }
  }
}

/// What a request to the admin API is about.
struct AdminTarget {
  /// The path behind `/api/admin/`, unescaped.
  let segments: [String]
  private let query: FormFields

  init(_ request: HTTPRequestValue) throws(AdminError) {
    // The URL may be absolute or as the server saw it.
    var text = Substring(request.url)
    if let scheme = text.firstRange(of: "://") {
      let rest = text[scheme.upperBound...]
      text = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...]
    }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts.first.map(String.init) ?? ""
    guard path.hasPrefix("/api/admin/") else { throw .notFound }
    var segments: [String] = []
    for segment in path.dropFirst("/api/admin/".count).split(separator: "/", omittingEmptySubsequences: false) {
      guard let decoded = try? PercentEncoding.decode(String(segment)), !decoded.isEmpty else { throw .notFound }
      segments.append(decoded)
    }
    self.segments = segments
    guard parts.count > 1 else {
      query = [:]
      return
    }
    guard let fields = try? FormFields(decoding: Array(parts[1].utf8)) else { throw .invalidQuery }
    query = fields
  }

  /// Whether the segments are these; nil matches any.
  func matches(_ expected: String?...) -> Bool {
    segments.count == expected.count
      && zip(segments, expected).allSatisfy { segment, name in name.map { segment.hasSameBytes(as: $0) } ?? true }
  }

  /// Whether a flag is `true`.
  func flag(_ name: String) -> Bool { query.values(name).first.map { $0.hasSameBytes(as: "true") } ?? false }

  /// A number, or nil if it is not given.
  func number(_ name: String) throws(AdminError) -> Int? {
    guard let text = query.values(name).first else { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else { throw .invalidQuery }
    return number
  }
}

/// Why an administrator's request was refused.
struct AdminError: Error {
  let status: Int
  let code: StaticString
  let text: StaticString
  var name: String?

  var response: HTTPResponseValue {
    var object: JSONObject = ["error": .string("\(code)"), "error_description": .string("\(text)")]
    if let name { object["setting"] = .string(name) }
    return HTTPResponseValue(status: status, json: object)
  }

  static let unauthorized = AdminError(status: 401, code: "unauthorized", text: "An administrator's token is required")
  static let notFound = AdminError(status: 404, code: "not_found", text: "There is no such thing")
  static let notJSON = AdminError(status: 400, code: "invalid_request", text: "The body is no JSON object")
  static let invalidQuery = AdminError(status: 400, code: "invalid_request", text: "The query is malformed")
  static let invalidReason = AdminError(
    status: 400, code: "validation_error", text: "The reason is no string of 500 characters at most")
  static let alreadyRevoked = AdminError(
    status: 400, code: "validation_error", text: "The device secret has been revoked before")
  static let serverError = AdminError(status: 500, code: "server_error", text: "The server could not do it")

  static func invalidValue(_ error: NativeSSOError) -> AdminError {
    AdminError(
      status: 400, code: "invalid_value", text: "A setting is unknown, or its type or range is wrong", name: error.name)
  }
}
