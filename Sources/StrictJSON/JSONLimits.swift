/// How large a JSON text may be before the parser refuses it.
///
/// All limits are checked while parsing, before the memory they guard is spent. A text exactly at a limit is accepted;
/// the first one past it fails with ``JSONError/Code/limitExceeded``.
public struct JSONLimits: Sendable, Hashable {
  /// The longest text, in bytes. Default: 8 MiB. Values above 2³¹ − 1 count as that.
  public var maximumByteCount: Int

  /// The deepest nesting of arrays and objects; a lone number has depth 0, `[]` depth 1. Default: 64.
  ///
  /// Parsing needs no stack, but a value tree is built, compared, written and released one call per level.
  /// Values above 256 count as 256, for which 128 KiB of stack are enough.
  public var maximumDepth: Int

  /// The most members that one object may have. Default: 1024.
  public var maximumMemberCount: Int

  /// The most values in the whole text, containers and their contents alike (names don't count). Default: 500 000.
  public var maximumElementCount: Int

  /// Limits that differ from the defaults only where given.
  public init(
    maximumByteCount: Int = 8 << 20, maximumDepth: Int = 64, maximumMemberCount: Int = 1024,
    maximumElementCount: Int = 500_000
  ) {
    (self.maximumByteCount, self.maximumDepth) = (maximumByteCount, maximumDepth)
    (self.maximumMemberCount, self.maximumElementCount) = (maximumMemberCount, maximumElementCount)
  }

  /// 8 MiB, 64 levels, 1024 members in an object, 500 000 values.
  public static let `default` = JSONLimits()

  /// The limits for text that this package has just written itself.
  static let ownText = JSONLimits(
    maximumByteCount: .max, maximumDepth: .max, maximumMemberCount: .max, maximumElementCount: .max)

  /// Offsets on the tape are `UInt32`; half of that also fits `Int` on 32-bit platforms.
  var effectiveByteCount: Int { min(maximumByteCount, Int(Int32.max)) }

  /// What ``maximumDepth`` counts as if it is larger.
  package static let greatestDepth = 256

  var effectiveDepth: Int { min(maximumDepth, Self.greatestDepth) }
}
