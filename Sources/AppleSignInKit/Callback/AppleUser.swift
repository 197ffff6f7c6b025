import StrictJSON

/// What the user shared at the first authorization, as the browser delivered it. Nothing in it is signed.
///
/// It comes once only: store it before the sign-in is finished. Apple has not seen it, and an attacker who controls the
/// browser can write anything: never look up an account by it; the address that counts is the identity token's. The
/// texts are normalised and bounded but not escaped: escape them where they are put into HTML, SQL or anything else.
public struct AppleUser: Sendable, Hashable {
  /// The given name, 1 to 100 Unicode scalars. Untrusted.
  public var givenName: String?
  /// The family name, 1 to 100 Unicode scalars. Untrusted.
  public var familyName: String?
  /// The address. Untrusted: for display only.
  public var email: String?

  /// Reads the `user` parameter. What is not of its type is left out; if nothing is left, or the text is not a JSON
  /// object of at most 8 KiB and 4 levels, the result is nil. The sign-in does not depend on it.
  init?(parsing text: String) {
    let limits = JSONLimits(maximumByteCount: 8192, maximumDepth: 4, maximumMemberCount: 32, maximumElementCount: 64)
    guard let object = try? JSONObject(parsing: text.utf8, limits: limits) else { return nil }
    self.init(object)
  }

  init?(_ object: JSONObject) {
    let name = object["name"]?.objectValue
    self.init(
      givenName: name?["firstName"]?.stringValue, familyName: name?["lastName"]?.stringValue,
      email: object["email"]?.stringValue)
  }

  /// What a native app sent of the name that the system gave it. Invisible characters are taken out, names are
  /// cut to ``maximumNameLength`` scalars, and what looks like no address is left out; nil if nothing remains.
  public init?(givenName: String?, familyName: String?, email: String? = nil) {
    self.givenName = givenName.flatMap(Self.cleanedName)
    self.familyName = familyName.flatMap(Self.cleanedName)
    self.email = email.flatMap(Self.plausibleAddress)
    guard self.givenName != nil || self.familyName != nil || self.email != nil else { return nil }
  }

  /// The longest name, in Unicode scalars.
  public static let maximumNameLength = 100

  private static func cleanedName(_ text: String) -> String? {
    let cleaned = UntrustedText.cleaned(text, maximumLength: maximumNameLength)
    return cleaned.isEmpty ? nil : cleaned
  }

  /// An address without white space and controls, with something on both sides of its last `@`.
  private static func plausibleAddress(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard (3...320).contains(bytes.count), bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
      let at = bytes.lastIndex(of: UInt8(ascii: "@")), at > 0, at < bytes.count - 1,
      text.unicodeScalars.allSatisfy({ !UntrustedText.isForbidden($0) && !$0.properties.isWhitespace })
    else { return nil }
    return text
  }
}
