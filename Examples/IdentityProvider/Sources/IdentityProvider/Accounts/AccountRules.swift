import JOSE

/// What a new user's names may be: a subset of PRECIS's UsernameCaseMapped (RFC 8265 §3.3), Latin letters to U+017F in
/// composed form, ASCII digits and a few signs. No name holds what is invisible, what turns the direction of text, or
/// letters of other scripts that look like these. Names that are there already stay good.
package enum AccountRules {
  package static func check(username: String) throws(RuleRefusal) {
    guard (1...100).contains(username.unicodeScalars.count), username.unicodeScalars.allSatisfy(mayBeInUsername) else {
      throw RuleRefusal(description: "A user name has up to 100 characters: Latin letters, digits and . _ - + @ '")
    }
  }

  package static func check(email: String) throws(RuleRefusal) {
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    guard email.utf8.count <= 254, parts.count == 2, !parts.contains(where: \.isEmpty),
      email.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw RuleRefusal(description: "An email address has one @, and neither spaces nor letters beyond ASCII.") }
  }

  /// Claims are read whenever a user is.
  package static func check(claims: JSONObject) throws(RuleRefusal) {
    guard claims.serialized().count <= 16_384 else { throw RuleRefusal(description: "Claims have up to 16384 octets.") }
  }

  private static func mayBeInUsername(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-", "+", "@", "'": true
    // The capital of the dotless i is I.
    case "\u{131}": false
    // Two signs of arithmetic stand among these letters.
    case "\u{C0}"..."\u{17F}": scalar.properties.isAlphabetic
    default: false
    }
  }
}
