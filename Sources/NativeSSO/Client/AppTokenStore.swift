import JOSE

/// An app's own tokens, never shared with other apps. Descriptions show none of them.
public struct TokenSet: Sendable {
  /// The access token.
  public var accessToken: String
  /// `Bearer` or `DPoP`, as the server wrote it.
  public var tokenType: String
  /// When the access token lapses.
  public var expiresAt: NumericDate
  /// The refresh token. Some providers give none in an exchange: run the exchange again when the access token lapses.
  public var refreshToken: String?
  /// The app's own ID token, verified.
  public var idToken: String?
  /// The scopes that were granted.
  public var scopes: [String]
  /// The user, as this app's provider names them.
  public var subject: String
  /// `sid`.
  public var sessionID: String?
}

extension TokenSet: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The scopes and the time, no token.
  public var description: String { "TokenSet(expires \(expiresAt.wholeSeconds), \(scopes.count) scopes)" }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// Shows no token.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where one app keeps what is its own.
public protocol AppTokenStore: Sendable {
  /// Keeps tokens in place of earlier ones.
  ///
  /// - Throws: anything; the sign-in then fails as one whose store failed.
  func save(_ tokens: TokenSet) async throws

  /// Forgets the tokens.
  ///
  /// - Throws: anything; the sign-out then fails as one whose store failed.
  func clear() async throws

  /// Whether the user has signed out of this app, so that it must not sign in by itself.
  ///
  /// - Throws: anything; there is no silent sign-in then.
  func suppressesAutomaticSignIn() async throws -> Bool

  /// Remembers that beyond the end of the process.
  ///
  /// - Throws: anything; the sign-in or sign-out then fails as one whose store failed.
  func setSuppressesAutomaticSignIn(_ suppresses: Bool) async throws
}

/// An app's tokens in memory.
public actor InMemoryAppTokenStore: AppTokenStore {
  /// The tokens kept.
  public private(set) var tokens: TokenSet?
  private var isSuppressed = false

  /// An empty store.
  public init() {}

  /// Keeps tokens.
  public func save(_ tokens: TokenSet) { self.tokens = tokens }

  /// Forgets the tokens.
  public func clear() { tokens = nil }

  /// Whether the user has signed out of this app.
  public func suppressesAutomaticSignIn() -> Bool { isSuppressed }

  /// Remembers that.
  public func setSuppressesAutomaticSignIn(_ suppresses: Bool) { isSuppressed = suppresses }
}
