import JOSE
import StrictJSON

/// One challenge of a `WWW-Authenticate` field.
///
/// Source: RFC 9110 §11.6.1.
struct AuthenticationChallenge: Sendable, Hashable {
  /// The scheme, in lower case.
  var scheme: WireName
  /// `error`, if there is one.
  var error: WireName?
  /// `scope`: what a token needs for the request, if it is said (RFC 6750 §3).
  var scope: String?
  /// `resource_metadata`: where the metadata of the resource are (RFC 9728 §5.1).
  var resourceMetadata: String?

  func hasError(_ name: WireName) -> Bool { error == name }

  /// Whether it is for access tokens.
  var isForTokens: Bool { scheme == "bearer" || scheme == "dpop" }

  /// The challenges of a response, whichever field they stand in.
  static func all(of response: HTTPResponseValue) -> [AuthenticationChallenge] {
    response.headers.values("WWW-Authenticate").flatMap(parse)
  }

  /// Takes a parameter. Of two of one name the first counts.
  private mutating func take(_ name: WireName, _ value: String) {
    switch name {
    case "error": error = error ?? WireName(value)
    case "scope": scope = scope ?? value
    case "resource_metadata": resourceMetadata = resourceMetadata ?? value
    default: break
    }
  }

  /// The challenges of a field. What can't be read ends the list.
  static func parse(_ field: String) -> [AuthenticationChallenge] {
    var challenges: [AuthenticationChallenge] = []
    var rest = field.utf8[...]
    while true {
      rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == 0x09 || $0 == UInt8(ascii: ",") }
      guard let name = takeToken(&rest) else { return challenges }
      let afterName = rest
      rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == 0x09 }
      if rest.first == UInt8(ascii: "="), !challenges.isEmpty, let value = takeValue(&rest) {
        challenges[challenges.count - 1].take(name, value)
        continue
      }
      guard challenges.count < 16 else { return challenges }
      challenges.append(AuthenticationChallenge(scheme: name))
      // `Basic abc=` has a token in the place of parameters.
      rest = afterName
      var ahead = rest.drop { $0 == UInt8(ascii: " ") || $0 == 0x09 }
      if takeToken(&ahead) != nil {
        let padding = ahead.prefix { $0 == UInt8(ascii: "=") }
        let after = ahead.dropFirst(padding.count).drop { $0 == UInt8(ascii: " ") || $0 == 0x09 }
        if !padding.isEmpty, after.isEmpty || after.first == UInt8(ascii: ",") { rest = after }
      }
    }
  }

  private static func takeToken(_ rest: inout Substring.UTF8View) -> WireName? {
    let token = rest.prefix(while: \.isToken)
    guard !token.isEmpty else { return nil }
    rest = rest.dropFirst(token.count)
    return WireName(String(Substring(token)).asciiLowercased)
  }

  /// What follows `=`: a token or a quoted string.
  private static func takeValue(_ rest: inout Substring.UTF8View) -> String? {
    rest = rest.dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == 0x09 }
    guard rest.first == UInt8(ascii: "\"") else {
      let token = rest.prefix(while: \.isToken)
      rest = rest.dropFirst(token.count)
      return String(Substring(token))
    }
    rest = rest.dropFirst()
    var value: [UInt8] = []
    while let byte = rest.first, byte != UInt8(ascii: "\"") {
      rest = rest.dropFirst()
      guard byte == UInt8(ascii: "\\"), let escaped = rest.first else {
        value.append(byte)
        continue
      }
      value.append(escaped)
      rest = rest.dropFirst()
    }
    rest = rest.dropFirst()
    return String(decoding: value, as: UTF8.self)
  }
}
