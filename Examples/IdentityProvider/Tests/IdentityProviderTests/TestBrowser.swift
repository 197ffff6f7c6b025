import Foundation
import HTTPTypes
import HummingbirdTesting
import JOSE
import Testing

@testable import IdentityProvider

/// A browser: keeps cookies, follows redirects within the provider, and fills in forms.
final class TestBrowser {
  let world: World
  private(set) var cookies: [String: String] = [:]
  var address = ""

  /// Where a proxy says that it is.
  private let source: String?

  init(_ world: World, from source: String? = nil) { (self.world, self.source) = (world, source) }

  /// Goes through login and consent, and returns what the client is told.
  func authorize(_ more: FormFields = [:], scope: String = "openid", client: String = "site") async throws -> FormFields
  {
    var page = try await open("/authorize?" + request(more, scope: scope, client: client).encodedAsQuery())
    if page.page == "login" { page = try await logIn(page) }
    if page.page == "consent" { page = try await submit(page, "/consent", ["decision": "allow"]) }
    return try answer()
  }

  func request(_ more: FormFields = [:], scope: String = "openid", client: String = "site") -> FormFields {
    var form: FormFields = [
      "client_id": client, "redirect_uri": World.redirectURI, "response_type": "code", "scope": scope, "state": "s t",
      "nonce": "n",
    ]
    for field in more.fields { form.append(field.name, field.value) }
    return form
  }

  /// What the browser brings to the client.
  func answer() throws -> FormFields {
    let query = try #require(address.split(separator: "?", maxSplits: 1).dropFirst().first)
    #expect(address.hasPrefix(World.redirectURI))
    return try FormFields(decoding: Array(query.utf8))
  }

  func logIn(_ page: TestResponse, password: String = World.password) async throws -> TestResponse {
    try await submit(page, "/login", ["username": "alice", "password": password])
  }

  func open(_ path: String) async throws -> TestResponse {
    address = path
    return try await follow(try await world.client.execute(uri: path, method: .get, headers: headers))
  }

  /// Posts the page's form with its hidden fields, as far as a script hasn't filled them in.
  func submit(_ page: TestResponse, _ path: String, _ fields: FormFields) async throws -> TestResponse {
    var form = FormFields()
    let names = fields.fields.map(\.name)
    for field in Self.hidden(page.text, path).fields where !names.contains(field.name) {
      form.append(field.name, field.value)
    }
    for field in fields.fields { form.append(field.name, field.value) }
    address = path
    return try await follow(try await world.post(path, form, headers))
  }

  var headers: HTTPFields {
    var headers = HTTPFields()
    if !cookies.isEmpty { headers[.cookie] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
    if let name = HTTPField.Name("X-Forwarded-For") { headers[name] = source }
    return headers
  }

  private func follow(_ response: TestResponse) async throws -> TestResponse {
    for field in response.headers[values: .setCookie] {
      let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
      // As Safari does, which keeps none with `Secure` of plain http.
      let isPlain = world.provider.settings.issuer.hasPrefix("http://")
      #expect(field.contains("HttpOnly"))
      #expect(field.contains("Secure") != isPlain && field.hasPrefix("__Host-") != isPlain)
      cookies[String(pair[0])] = pair.count > 1 ? String(pair[1]) : nil
    }
    guard response.status == .seeOther, let location = response.headers[.location] else { return response }
    address = location
    guard location.hasPrefix("/") else { return response }
    return try await open(location)
  }

  /// The hidden fields of the form that leads to a path.
  static func hidden(_ text: String, _ path: String) -> FormFields {
    var form = FormFields()
    guard let start = text.range(of: "action=\"\(path)\"") else { return form }
    let rest = text[start.upperBound...]
    let inside = rest[..<(rest.range(of: "</form>")?.lowerBound ?? rest.endIndex)]
    for part in inside.components(separatedBy: "<input type=\"hidden\"").dropFirst() {
      let values = part.components(separatedBy: "\"")
      guard values.count > 3, values[0] == " name=", values[2] == " value=" else { continue }
      form.append(values[1], values[3].replacingOccurrences(of: "&amp;", with: "&"))
    }
    return form
  }
}
