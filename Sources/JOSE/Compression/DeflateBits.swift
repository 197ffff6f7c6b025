/// The bits of a DEFLATE stream: each byte's least significant bit comes first.
struct DeflateBits {
  private let data: [UInt8]
  /// The next bit.
  private var position = 0

  init(_ data: [UInt8]) {
    self.data = data
  }

  /// The next `count` bits, at most 16, the first of them least significant.
  mutating func read(_ count: Int) throws(JOSEError) -> Int {
    var value = 0
    for place in 0..<count {
      guard position >> 3 < data.count else { throw Inflate.malformed }
      value |= Int(data[position >> 3] >> UInt8(truncatingIfNeeded: position & 7) & 1) << place
      position += 1
    }
    return value
  }

  /// Leaves out what remains of the current byte.
  mutating func skipToByte() { position = (position + 7) & ~7 }

  /// Whether only bits of the last byte are left.
  var isAtEnd: Bool { (position + 7) >> 3 == data.count }
}
