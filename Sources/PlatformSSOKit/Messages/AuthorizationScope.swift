import JOSE

/// What an authorization is for (macOS 27): `urn:apple:platformsso:auth:` and one word. A scope has one of them at
/// most.
///
/// Source: Apple, Interpreting Platform Single Sign-on authorization scopes.
public struct AuthorizationScope: Hashable, Sendable, CustomStringConvertible {
  private let octets: [UInt8]

  /// The word behind the last colon.
  public var purpose: String { String(decoding: octets, as: UTF8.self) }

  /// A scope for another purpose.
  public init(purpose: String) { octets = Array(purpose.utf8) }

  /// A login, the default.
  public static let login = AuthorizationScope(purpose: "login")
  /// A refresh of tokens.
  public static let refresh = AuthorizationScope(purpose: "refresh")
  /// Unlocking the screen.
  public static let unlock = AuthorizationScope(purpose: "unlock")
  /// Administrator rights for a moment.
  public static let elevation = AuthorizationScope(purpose: "elevation")
  /// An authorization prompt.
  public static let authPrompt = AuthorizationScope(purpose: "auth-prompt")
  /// A new account.
  public static let createUser = AuthorizationScope(purpose: "create-user")
  /// Another method that failed.
  public static let fallback = AuthorizationScope(purpose: "fallback")
  /// A change of the password.
  public static let passwordChange = AuthorizationScope(purpose: "password-change")
  /// The first login of a new Mac, in Setup Assistant.
  public static let setupAssistant = AuthorizationScope(purpose: "setup-assistant")
  /// A session of Authenticated Guest Mode.
  public static let temporarySession = AuthorizationScope(purpose: "temporary-session")

  private static let prefix = "urn:apple:platformsso:auth:"

  /// The scope's whole name.
  public var description: String { Self.prefix + purpose }

  /// The one in a list of scopes, as `scope` of a page's address has it; nil if there is none.
  ///
  /// - Throws: `ErrorCode.claimInvalid` if there are two: they exclude each other.
  public init?(in scope: String) throws(JOSEError) {
    let found = scope.words.filter { $0.utf8.starts(with: Self.prefix.utf8) }
    guard found.count <= 1 else {
      throw JOSEError(.claimInvalid, "authorization scopes exclude each other", name: "scope")
    }
    guard let name = found.first else { return nil }
    octets = Array(name.utf8.dropFirst(Self.prefix.utf8.count))
  }
}
