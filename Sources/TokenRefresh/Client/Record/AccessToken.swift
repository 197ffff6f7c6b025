import JOSE

/// An access token, ready to be sent.
public struct AccessToken: Sendable {
  /// The token. Secret.
  public let value: String
  /// `token_type`.
  public let type: String
  /// When it expires.
  public let expiration: NumericDate
  /// Of which login and which generation it is, so that a 401 can be judged.
  let loginID: String
  let generation: UInt64
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The generation. Never the token.
  public var description: String { "AccessToken(generation \(generation))" }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// Shows no token to `dump` and to test failures.
  public var customMirror: Mirror { Mirror(self, children: ["generation": generation]) }
}
