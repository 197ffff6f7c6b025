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

  func hasError(_ name: WireName) -> Bool { error == name }

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
        if name == "error", challenges[challenges.count - 1].error == nil {
          challenges[challenges.count - 1].error = WireName(value)
        }
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
    let token = rest.prefix { isToken($0) }
    guard !token.isEmpty else { return nil }
    rest = rest.dropFirst(token.count)
    return WireName(String(Substring(token)).asciiLowercased)
  }

  /// What follows `=`: a token or a quoted string.
  private static func takeValue(_ rest: inout Substring.UTF8View) -> String? {
    rest = rest.dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == 0x09 }
    guard rest.first == UInt8(ascii: "\"") else {
      let token = rest.prefix { isToken($0) }
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

  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
