import JOSE
import StrictJSON

/// A token taken apart for programs: `jose inspect --json`.
struct InspectedToken {
  /// `verified`, which is false, and what the token holds.
  let json: JSONObject

  init(_ text: String) throws(CommandFailure) {
    var json: JSONObject = ["verified": false]
    let parts = text.isJSONSerialization ? try Self.message(text) : try Self.compact(text)
    for (name, value) in parts.members { json[name] = value }
    self.json = json
  }

  private static func compact(_ text: String) throws(CommandFailure) -> JSONObject {
    let token = try attempt { try UnverifiedCompact(parsing: text) }
    var parts: JSONObject = ["header": .object(token.header.parameters)]
    if let signed = token.signed { add(payload: signed.unverifiedPayload, to: &parts) }
    return parts
  }

  /// A JSON serialization with its protected headers decoded.
  private static func message(_ text: String) throws(CommandFailure) -> JSONObject {
    let message = try attempt { try JSONObject(parsing: text.utf8, within: Limits.default.messageJSON) }
    guard message["ciphertext"] != nil || message["signature"] != nil || message["signatures"] != nil else {
      throw .invalid("malformed: neither a JWS nor a JWE in JSON")
    }
    var parts = try headers(of: message)
    if let shared = message["unprotected"] { parts["unprotected"] = shared }
    for name in ["signatures", "recipients"] {
      guard let entries = message[name]?.arrayValue else { continue }
      var shown: [JSONValue] = []
      for entry in entries {
        guard let entry = entry.objectValue else { throw .invalid("malformed: one of the \(name) is not an object") }
        shown.append(.object(try headers(of: entry)))
      }
      parts[name] = .array(shown)
    }
    if message["ciphertext"] == nil, let payload = message["payload"]?.stringValue {
      add(payload: (try? Base64URL.decode(payload)) ?? Array(payload.utf8), to: &parts)
    }
    return parts
  }

  private static func headers(of part: JSONObject) throws(CommandFailure) -> JSONObject {
    var parts: JSONObject = [:]
    if let text = part["protected"]?.stringValue {
      let header = try attempt {
        try JSONObject(parsing: try Base64URL.decode(text), within: Limits.default.headerJSON)
      }
      parts["protected"] = .object(header)
    }
    if let own = part["header"] { parts["header"] = own }
    return parts
  }

  /// Claims with their dates in words, or how long the payload is.
  private static func add(payload: [UInt8], to parts: inout JSONObject) {
    guard let claims = try? JSONObject(parsing: payload) else {
      parts["payloadByteCount"] = .number(JSONNumber(payload.count))
      return
    }
    parts["claims"] = .object(claims)
    var dates: JSONObject = [:]
    for (name, date) in DateText.dates(in: claims) { dates[name] = .string(date.calendarText) }
    if !dates.isEmpty { parts["dates"] = .object(dates) }
  }
}

/// Dates as people write them.
enum DateText {
  private static let names = ["iat", "nbf", "exp", "auth_time", "toe", "updated_at"]

  /// The dates among the claims, in their usual order.
  static func dates(in claims: JSONObject) -> [(name: String, date: NumericDate)] {
    names.compactMap { name in
      guard case .number(let number)? = claims[name] else { return nil }
      return (name, NumericDate(saturating: number.double))
    }
  }

  /// A line for each date, with its distance from now.
  static func lines(of claims: JSONObject, now: NumericDate) -> [String] {
    dates(in: claims).map { name, date in "\(name) \(date.calendarText), \(distance(date, now))" }
  }

  /// `in 5 minutes` or `3 days ago`.
  static func distance(_ date: NumericDate, _ now: NumericDate) -> String {
    let seconds = Int((date.secondsSince1970 - now.secondsSince1970).rounded(.down))
    let units = [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
    let size = abs(seconds)
    guard let (unit, name) = units.first(where: { size >= $0.0 }) else { return "now" }
    let count = size / unit
    let text = "\(count) \(name)\(count == 1 ? "" : "s")"
    return seconds > 0 ? "in \(text)" : "\(text) ago"
  }
}
