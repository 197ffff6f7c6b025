/// A block of AES in memory order: byte 4c + r belongs to row r, column c of the state.
typealias AESBlock = SIMD2<UInt64>

extension SIMD2<UInt64> {
  /// Exchanges rows and columns: byte 4c + r goes to 4r + c, and back.
  ///
  /// Interleaving the two halves of the block rotates the four bits of each byte's index by one; twice exchanges the
  /// pairs.
  @inline(__always)
  var transposedBytes: SIMD2<UInt64> {
    interleavedHalves.interleavedHalves
  }

  @inline(__always)
  private var interleavedHalves: SIMD2<UInt64> {
    let bytes = unsafeBitCast(self, to: SIMD16<UInt8>.self)
    var result = SIMD16<UInt8>()
    result.evenHalf = bytes.lowHalf
    result.oddHalf = bytes.highHalf
    return unsafeBitCast(result, to: SIMD2<UInt64>.self)
  }
}

extension SIMD2<UInt64> {
  /// The block as an integer whose most significant byte is the first.
  @inline(__always)
  var bigEndianValue: UInt128 {
    UInt128(self[0].bigEndian) &<< 64 | UInt128(self[1].bigEndian)
  }

  /// The block whose first byte is the most significant of `value`.
  @inline(__always)
  init(bigEndianValue value: UInt128) {
    self.init(
      UInt64(truncatingIfNeeded: value &>> 64).bigEndian, UInt64(truncatingIfNeeded: value).bigEndian)
  }
}
