/// The two shapes of a JSON serialization.
public enum JOSESerialization: Sendable {
  /// One signature or recipient, its members at the top.
  case flattened
  /// Any number, in an array.
  case general
}
