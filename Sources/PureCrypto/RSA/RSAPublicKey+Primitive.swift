extension RSAPublicKey {
  /// The RSA public operation: x^e mod n, which verifies a signature or encrypts an encoded message.
  /// - Parameter input: x, `byteCount` bytes, most significant first.
  /// - Parameter body: gets the result, `byteCount` bytes. Wiped afterwards.
  /// - Returns: `nil` when the length is another one, or x is not below n.
  ///
  /// Timing: depends on the key and on whether x < n, not on x.
  /// Source: RFC 8017 §5.1.1, §5.2.2.
  func withPower<Result>(
    of input: UnsafeRawBufferPointer, _ body: (UnsafeMutableRawBufferPointer) -> Result
  ) -> Result? {
    guard input.count == byteCount else { return nil }
    let count = limbCount
    // x, the result and 3 · count limbs to work in; then the result as bytes, which x has made room for.
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 5 &* count) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let x = room.baseAddress else { return nil }
      room.initialize(repeating: 0)
      let power = x + count
      LimbRun.load(x, count: count, bigEndian: input)
      let isBelow = withModulus { n, radixSquared in
        guard LimbRun.isLess(x, than: n.limbs, count: count).declassified else { return false }
        n.powerVariableTime(power, x, exponent: exponent, radixSquared: radixSquared, power + count)
        return true
      }
      guard isBelow else { return nil }
      let bytes = UnsafeMutableRawBufferPointer(start: x, count: byteCount)
      LimbRun.store(power, count: count, bigEndian: bytes)
      return body(bytes)
    }
  }
}
