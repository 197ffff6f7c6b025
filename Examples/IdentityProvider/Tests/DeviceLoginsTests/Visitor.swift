import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JOSE
import NIOCore
import Synchronization

/// A browser, a Mac or an app in front of the provider under test: whatever an address says, this provider is asked.
final class Visitor: Sendable {
  private let client: any TestClientProtocol
  private let cookies = Mutex<[String: String]>([:])

  init(_ client: any TestClientProtocol) { self.client = client }

  func send(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    var headers = HTTPFields()
    for (name, value) in request.headers.fields {
      if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
    }
    let jar = cookies.withLock { $0.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ") }
    if !jar.isEmpty { headers[.cookie] = jar }
    let path = request.url.replacing(World.issuer, with: "", maxReplacements: 1)
    let answer = try await client.executeRequest(
      uri: path, method: HTTPRequest.Method(request.method) ?? .get, headers: headers,
      body: request.body.isEmpty ? nil : ByteBuffer(bytes: request.body))
    var response = HTTPResponseValue(status: answer.status.code, body: Array(buffer: answer.body))
    for field in answer.headers { try? response.headers.append(field.name.canonicalName, field.value) }
    for field in answer.headers[values: .setCookie] { keep(field) }
    return response
  }

  private func keep(_ field: String) {
    guard let pair = field.split(separator: ";").first, let equals = pair.firstIndex(of: "=") else { return }
    let (name, value) = (String(pair[..<equals]), String(pair[pair.index(after: equals)...]))
    cookies.withLock { $0[name] = value.isEmpty || field.contains("Max-Age=0") ? nil : value }
  }

  func get(_ url: String) async throws -> HTTPResponseValue {
    try await send(HTTPRequestValue(method: "GET", url: url))
  }

  /// A call from a page's script.
  func call(_ method: String, _ url: String, _ body: String = "", formToken: String? = nil) async throws
    -> HTTPResponseValue
  {
    var request = HTTPRequestValue(method: method, url: url, body: Array(body.utf8))
    if let formToken { try request.headers.set("X-Form-Token", formToken) }
    return try await send(request)
  }

  func post(_ url: String, _ form: FormFields) async throws -> HTTPResponseValue {
    try await send(.post(form, to: url))
  }

  /// Follows redirects within the provider.
  func follow(_ response: HTTPResponseValue) async throws -> HTTPResponseValue {
    var response = response
    while let location = response.location, location.hasPrefix("/") || location.hasPrefix(World.issuer) {
      response = try await get(location)
    }
    return response
  }

  /// The value of a hidden field.
  func hidden(_ name: String, in page: HTTPResponseValue) -> String {
    let text = String(decoding: page.body, as: UTF8.self)
    guard let start = text.firstRange(of: "name=\"\(name)\" value=\"")?.upperBound else { return "" }
    return String(text[start...].prefix { $0 != "\"" })
  }

  /// Fills the login page in, wherever it was come to from. Returns what follows it.
  func logIn(_ page: HTTPResponseValue, _ username: String, _ password: String) async throws -> HTTPResponseValue {
    return try await post(
      "/login",
      FormFields([
        ("csrf", hidden("csrf", in: page)), ("request", hidden("request", in: page)), ("username", username),
        ("password", password),
      ]))
  }
}

extension HTTPResponseValue {
  var location: String? { headers.values("Location").first }
  var object: JSONObject { (try? JSONObject(parsing: body)) ?? [:] }
  subscript(_ name: String) -> String? { object[name]?.stringValue }
}
