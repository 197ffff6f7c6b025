/// What a status list says of a token: a number of as many bits as the list has for each.
///
/// Source: draft-ietf-oauth-status-list §7.
public struct TokenStatus: RawRepresentable, Hashable, Sendable {
  /// 0 to 255.
  public let rawValue: UInt8

  /// The status of this number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The token is good, as far as the list goes.
  public static let valid = TokenStatus(rawValue: 0)
  /// The token has been revoked, and stays so.
  public static let invalid = TokenStatus(rawValue: 1)
  /// The token does not count for now.
  public static let suspended = TokenStatus(rawValue: 2)
}

extension TokenStatus: CustomStringConvertible {
  /// `valid`, `invalid` or `suspended`; `application-specific 3`; `reserved 4`.
  public var description: String {
    switch rawValue {
    case 0: "valid"
    case 1: "invalid"
    case 2: "suspended"
    case 3, 0x0C...0x0F: "application-specific \(rawValue)"
    default: "reserved \(rawValue)"
    }
  }
}
