/// What a kernel must not do.
enum LeakyTwins {
  /// Takes another way if the counter in the last 32 bits of a block, one further on, is a multiple of 32 and 2 more.
  /// So a kernel for AES-GCM once chose its path.
  @inline(never)
  static func fill(_ output: UnsafeMutableRawPointer, from counterBlock: SIMD2<Int64>, count: Int) {
    let counter = UInt32(truncatingIfNeeded: UInt64(bitPattern: counterBlock[1]).byteSwapped) &+ 1
    let isAligned = counter & 31 == 18
    var offset = 0
    while offset < count {
      output.storeBytes(of: UInt64(counter), toByteOffset: offset, as: UInt64.self)
      offset &+= isAligned ? 16 : 8
    }
  }

  @inline(never)
  static func firstDifference(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer, count: Int) -> Int {
    var place = 0
    while place < count,
      lhs.load(fromByteOffset: place, as: UInt8.self) == rhs.load(fromByteOffset: place, as: UInt8.self)
    {
      place &+= 1
    }
    return place
  }

  /// Copies as many octets as the first octet says. The way to the copy is always the same; its length is not.
  @inline(never)
  static func copy(_ input: UnsafeRawPointer, to output: UnsafeMutableRawPointer) {
    output.copyMemory(from: input, byteCount: Int(input.load(as: UInt8.self)))
  }
}
