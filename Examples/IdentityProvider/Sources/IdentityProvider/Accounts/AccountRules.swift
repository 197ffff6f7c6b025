import JOSE
import OpenIDKit

/// The rules for a new user's names: a subset of PRECIS's UsernameCaseMapped (RFC 8265 §3.3), Latin letters to U+017F
/// in composed form, ASCII digits and a few signs. A name holds no invisible character, none that changes the direction
/// of text, and no look-alike letter of another script. Existing names stay valid.
package enum AccountRules {
  /// The most characters of a user name.
  static let usernameLength = 100

  package static func check(username: String) throws(RuleRefusal) {
    guard (1...usernameLength).contains(username.unicodeScalars.count),
      username.unicodeScalars.allSatisfy(mayBeInUsername)
    else {
      throw RuleRefusal(description: "A user name must have 1 to 100 characters: Latin letters, digits and . _ - + @ '")
    }
  }

  package static func check(email: String) throws(RuleRefusal) {
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    guard email.utf8.count <= 254, parts.count == 2, !parts.contains(where: \.isEmpty),
      email.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw RuleRefusal(description: "An email address must have one @, and only ASCII characters without spaces.")
    }
  }

  /// Claims are read together with their user each time, so their size is limited.
  package static func check(claims: JSONObject) throws(RuleRefusal) {
    for member in claims.members where !OpenIDProvider.isUserClaim(member.name) {
      throw RuleRefusal(
        description: "\(member.name.visible()) can't be a claim of a user: tokens use the name themselves.")
    }
    guard claims.serialized().count <= 16_384 else {
      throw RuleRefusal(description: "The claims must have at most 16384 octets.")
    }
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
