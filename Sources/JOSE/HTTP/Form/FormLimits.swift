/// How large a form may be before it is refused. A form exactly at a limit is accepted.
public struct FormLimits: Sendable, Hashable {
  /// The longest body, in bytes. Default: 64 KiB.
  public var maximumByteCount: Int

  /// The most fields. Default: 128.
  public var maximumFieldCount: Int

  /// Limits that differ from the defaults only where given.
  public init(maximumByteCount: Int = 64 << 10, maximumFieldCount: Int = 128) {
    self.maximumByteCount = maximumByteCount
    self.maximumFieldCount = maximumFieldCount
  }

  /// 64 KiB, 128 fields.
  public static let `default` = FormLimits()
}
