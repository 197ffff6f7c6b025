internal import PureCryptoIntegers

extension UInt256 {
  /// The number of bytes of an encoding.
  static var byteCount: Int { 32 }

  /// Reads 32 bytes, most significant first.
  /// - Parameter bytes: readable for 32 bytes.
  init(bigEndian bytes: UnsafeRawPointer) {
    self.init(
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
  }

  /// Writes 32 bytes, most significant first.
  /// - Parameter bytes: writable for 32 bytes.
  func storeBigEndian(to bytes: UnsafeMutableRawPointer) {
    bytes.storeBytes(of: l3.bigEndian, as: UInt64.self)
    bytes.storeBytes(of: l2.bigEndian, toByteOffset: 8, as: UInt64.self)
    bytes.storeBytes(of: l1.bigEndian, toByteOffset: 16, as: UInt64.self)
    bytes.storeBytes(of: l0.bigEndian, toByteOffset: 24, as: UInt64.self)
  }

  /// 32 bytes, most significant first. For public values: an array is not wiped.
  var bigEndianBytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: UInt256.byteCount) { buffer, initializedCount in
      if let start = buffer.baseAddress { storeBigEndian(to: UnsafeMutableRawPointer(start)) }
      initializedCount = UInt256.byteCount
    }
  }
}

extension UInt256 {
  /// Whether the integer is zero.
  @inline(__always)
  var isZero: Mask { Mask(isZero: l0 | l1 | l2 | l3) }

  /// Whether two integers are the same.
  @inline(__always)
  func equals(_ other: UInt256) -> Mask {
    Mask(isZero: (l0 ^ other.l0) | (l1 ^ other.l1) | (l2 ^ other.l2) | (l3 ^ other.l3))
  }

  /// Whether the integer is below `bound`: then the subtraction borrows.
  @inline(__always)
  func isLess(than bound: UInt256) -> Mask {
    var borrow: UInt64 = 0
    _ = subtract(l0, bound.l0, &borrow)
    _ = subtract(l1, bound.l1, &borrow)
    _ = subtract(l2, bound.l2, &borrow)
    _ = subtract(l3, bound.l3, &borrow)
    return Mask(bit: borrow)
  }

  /// `first` for yes, `second` for no.
  @inline(__always)
  static func select(_ mask: Mask, _ first: UInt256, _ second: UInt256) -> UInt256 {
    .select(mask.word, first, second)
  }
}

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

  /// Multiples of eight below 2²⁵⁵, and at least 2²⁵⁴: the scalars of X25519 and Ed25519.
  /// Source: RFC 7748 §5.
  var clamped: UInt256 {
    UInt256(l0 & ~7, l1, l2, l3 & (1 &<< 63 &- 1) | 1 &<< 62)
  }
}

extension UInt256: LimbInteger {
  static var limbCount: Int { 4 }

  /// Reads an integer, most significant byte first.
  /// - Parameter bytes: at most 32.
  init(bigEndian bytes: UnsafeRawBufferPointer) {
    if bytes.count == UInt256.byteCount, let start = bytes.baseAddress {
      self.init(bigEndian: start)
    } else {
      self = .zero
      withMutableLimbs { LimbRun.load($0, count: UInt256.limbCount, bigEndian: bytes) }
    }
  }

  /// Writes the lowest bytes of the integer, most significant first, as many as there is room for.
  func storeBigEndian(to bytes: UnsafeMutableRawBufferPointer) {
    if bytes.count == UInt256.byteCount, let start = bytes.baseAddress {
      storeBigEndian(to: start)
    } else {
      withLimbs { LimbRun.store($0, count: UInt256.limbCount, bigEndian: bytes) }
    }
  }
}
