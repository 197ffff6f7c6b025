/// Comparisons whose time does not depend on what is compared.
public enum ConstantTime {
  /// Whether two byte strings are the same.
  ///
  /// Use it for tags, passwords and keys, where `==` would stop at the first difference.
  /// - Parameter lhs: any bytes. Its length is not treated as a secret.
  /// - Parameter rhs: any bytes. Its length is not treated as a secret.
  /// - Returns: `true` when lengths and all bytes agree.
  ///
  /// Timing: depends on the two lengths only.
  @inlinable
  public static func equal(_ lhs: some Collection<UInt8>, _ rhs: some Collection<UInt8>) -> Bool {
    withContiguousBytes(lhs) { left in
      withContiguousBytes(rhs) { right in equal(left, right) }
    }
  }

  @usableFromInline
  static func equal(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Bool {
    guard lhs.count == rhs.count else { return false }
    return equality(lhs, rhs).declassified
  }

  /// Whether two byte strings of the same length are the same, not yet declassified.
  /// - Parameter rhs: at least as long as `lhs`; bytes beyond are not looked at.
  ///
  /// Timing: depends on the length of `lhs` only.
  package static func equality(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Mask {
    var difference: UInt64 = 0
    var offset = 0
    while lhs.count &- offset >= 8 {
      difference |=
        lhs.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        ^ rhs.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset &+= 8
    }
    while offset < lhs.count {
      difference |= UInt64(lhs[offset] ^ rhs[offset])
      offset &+= 1
    }
    return Mask(isZero: difference)
  }
}
