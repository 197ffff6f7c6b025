extension UInt256 {
  /// Reads 32 bytes, least significant first.
  /// - Parameter bytes: readable for 32 bytes.
  init(littleEndian bytes: UnsafeRawPointer) {
    self.init(
      UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)))
  }

  /// Writes 32 bytes, least significant first.
  /// - Parameter bytes: writable for 32 bytes.
  func storeLittleEndian(to bytes: UnsafeMutableRawPointer) {
    bytes.storeBytes(of: l0.littleEndian, as: UInt64.self)
    bytes.storeBytes(of: l1.littleEndian, toByteOffset: 8, as: UInt64.self)
    bytes.storeBytes(of: l2.littleEndian, toByteOffset: 16, as: UInt64.self)
    bytes.storeBytes(of: l3.littleEndian, toByteOffset: 24, as: UInt64.self)
  }

  /// 32 bytes, least significant first. For public values: an array is not wiped.
  var littleEndianBytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: UInt256.byteCount) { buffer, initializedCount in
      if let start = buffer.baseAddress { storeLittleEndian(to: UnsafeMutableRawPointer(start)) }
      initializedCount = UInt256.byteCount
    }
  }

  /// Multiples of eight below 2²⁵⁵, and at least 2²⁵⁴: the scalars of X25519 and Ed25519. Source: RFC 7748 §5.
  var clamped: UInt256 {
    UInt256(l0 & ~7, l1, l2, l3 & (1 &<< 63 &- 1) | 1 &<< 62)
  }
}
