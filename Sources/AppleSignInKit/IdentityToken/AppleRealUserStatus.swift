/// `real_user_status`: whether the user appears to be a person. Present in native apps at the first sign-in.
public enum AppleRealUserStatus: Sendable, Hashable {
  /// The platform can't tell.
  case unsupported
  /// Apple has not determined whether the user is a person: treat the user as any new one.
  case unknown
  /// Probably a person.
  case likelyReal
  /// A value that Apple has not documented.
  case other(Int64)

  init(_ value: Int64) {
    switch value {
    case 0: self = .unsupported
    case 1: self = .unknown
    case 2: self = .likelyReal
    default: self = .other(value)
    }
  }
}
