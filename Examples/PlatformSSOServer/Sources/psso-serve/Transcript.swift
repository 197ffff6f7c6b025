import Foundation
import JOSE
import PlatformSSOKit

/// Prints each exchange on standard output: the request with its tokens decoded, and the answer. Secrets stay hidden.
struct Transcript: Sendable {
  private static let secrets = [
    "password", "refresh_token", "previous_refresh_token", "access_token", "registration_token", "subject_token",
    "key_context", "login", "code",
  ]

  func write(_ request: HTTPRequestValue, _ response: HTTPResponseValue) {
    var lines = ["-- \(request.method) \(request.url.prefix { $0 != "?" }), \(request.body.count) bytes"]
    if let fields = try? request.form(acceptsDuplicates: true).fields {
      for field in fields { lines += Self.shown(field.name, .string(field.value)) }
    } else if let object = try? JSONObject(parsing: request.body) {
      for (name, value) in object.members { lines += Self.shown(name, value) }
    }
    let type = response.headers.values("Content-Type").first.map { ", \($0)" } ?? ""
    lines.append("   answered \(response.status)\(type), \(response.body.count) bytes")
    write(lines.joined(separator: "\n"))
  }

  func write(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  private static func shown(_ name: String, _ value: JSONValue) -> [String] {
    guard !secrets.contains(name) else { return ["   \(name): (hidden)"] }
    guard case .string(let text) = value, let token = try? UnverifiedJWS(parsing: text) else {
      return ["   \(name): \(printable(value))"]
    }
    var lines = ["   \(name): a token", "     header \(printable(.object(token.unverifiedHeader.parameters)))"]
    if var claims = token.unverifiedClaims {
      for secret in secrets where claims[secret] != nil { claims[secret] = "(hidden)" }
      lines.append("     claims \(printable(.object(claims)))")
    }
    return lines
  }

  /// JSON text has no control characters, so a sender can't control the terminal.
  private static func printable(_ value: JSONValue) -> String {
    let text = String(decoding: value.serialized(), as: UTF8.self)
    return text.utf8.count > 400 ? text.prefix(400) + "…" : text
  }
}
