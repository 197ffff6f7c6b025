import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JOSE
import NIOCore
import Synchronization

/// A clock that tests move.
final class TestClock: Sendable {
  private let seconds = Mutex(1_760_000_000.0)

  var now: Double { seconds.withLock { $0 } }
  func advance(_ by: Duration) { seconds.withLock { $0 += by / .seconds(1) } }
  var wall: WallClock { WallClock { [self] in NumericDate(secondsSince1970: now) ?? NumericDate(0) } }
}

/// A browser or an app in front of a server under test: requests to the issuer go to it, over HTTP.
final class Visitor: Sendable {
  static let issuer = "https://op.example.com"
  private let client: any TestClientProtocol
  private let cookies = Mutex<[String: String]>([:])

  init(_ client: any TestClientProtocol) { self.client = client }

  /// Sends a request with the cookies of earlier answers.
  func send(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    var headers = HTTPFields()
    for (name, value) in request.headers.fields {
      if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
    }
    let jar = cookies.withLock { $0.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ") }
    if !jar.isEmpty { headers[.cookie] = jar }
    let path = request.url.replacing(Self.issuer, with: "", maxReplacements: 1)
    let body = request.body.isEmpty ? nil : ByteBuffer(bytes: request.body)
    let answer = try await client.executeRequest(
      uri: path, method: HTTPRequest.Method(request.method) ?? .get, headers: headers, body: body)
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

  func post(_ url: String, _ form: FormFields) async throws -> HTTPResponseValue {
    try await send(.post(form, to: url))
  }

  /// Opens an address as a user who logs in when asked to, until the browser leaves for an app: where to.
  func logIn(_ url: String, user: String, password: String) async throws -> String {
    var response = try await get(url)
    if response.status == 200 {
      response = try await post(
        "/login", ["user": user, "password": password, "request": response.field("request")])
    }
    guard response.status == 303, let location = response.location else { throw NotRedirected(response: response) }
    return location
  }

  struct NotRedirected: Error { let response: HTTPResponseValue }
}

extension HTTPResponseValue {
  var location: String? { headers.values("Location").first }

  /// The value of a page's hidden field.
  func field(_ name: String) -> String {
    let parts = String(decoding: body, as: UTF8.self).split(
      separator: "name=\"\(name)\" value=\"", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 ? String(parts[1].prefix { $0 != "\"" }) : ""
  }

  var object: JSONObject { (try? JSONObject(parsing: body)) ?? [:] }
  subscript(_ name: String) -> String? { object[name]?.stringValue }
}
