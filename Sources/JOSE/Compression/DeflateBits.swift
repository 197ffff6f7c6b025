/// The bits of a DEFLATE stream: each byte's least significant bit comes first.
struct DeflateBits {
  private let data: [UInt8]
  /// The byte that follows those in the window.
  private var next = 0
  /// Bits that were taken from the bytes and not yet read; the next one is the least significant. Those beyond
  /// ``count`` are 0.
  private var window: UInt64 = 0
  private var count = 0
  /// Whether a read has failed because the data ends.
  private(set) var isCutOff = false

  /// - Parameter start: where the stream begins.
  init(_ data: [UInt8], from start: Int = 0) {
    self.data = data
    next = start
  }

  /// Takes as many whole bytes as there are and as the window has room for: 57 bits or more, until the end is near.
  @inline(__always)
  private mutating func fill() {
    while count <= 56, next < data.count {
      window |= UInt64(data[next]) &<< UInt64(truncatingIfNeeded: count)
      next &+= 1
      count &+= 8
    }
  }

  @inline(__always)
  private mutating func drop(_ bitCount: Int) {
    window &>>= UInt64(truncatingIfNeeded: bitCount)
    count &-= bitCount
  }

  /// The next `bitCount` bits, at most 16, the first of them least significant.
  @inline(__always)
  mutating func read(_ bitCount: Int) throws(JOSEError) -> Int {
    if count < bitCount { fill() }
    guard bitCount <= count else { throw endOfData() }
    let value = window & (1 &<< UInt64(truncatingIfNeeded: bitCount) &- 1)
    drop(bitCount)
    return Int(truncatingIfNeeded: value)
  }

  /// The next 15 bits, the first of them most significant, as codewords are compared; bits beyond the end are 0.
  @inline(__always)
  mutating func codewordWindow() -> Int {
    if count < 15 { fill() }
    var bits = UInt16(truncatingIfNeeded: window).byteSwapped
    bits = (bits & 0x0F0F) &<< 4 | (bits &>> 4) & 0x0F0F
    bits = (bits & 0x3333) &<< 2 | (bits &>> 2) & 0x3333
    bits = (bits & 0x5555) &<< 1 | (bits &>> 1) & 0x5555
    return Int(bits &>> 1)
  }

  /// Leaves out a codeword that ``codewordWindow()`` has shown.
  @inline(__always)
  mutating func skipCodeword(bitCount: Int) throws(JOSEError) {
    guard bitCount <= count else { throw endOfData() }
    drop(bitCount)
  }

  /// The next `byteCount` whole bytes; what remains of the current one has been left out.
  mutating func bytes(_ byteCount: Int) throws(JOSEError) -> ArraySlice<UInt8> {
    // Whole bytes in the window go back to the others.
    next = place
    (window, count) = (0, 0)
    guard byteCount <= data.count &- next else { throw endOfData() }
    defer { next &+= byteCount }
    return data[next..<next &+ byteCount]
  }

  /// Leaves out what remains of the current byte.
  mutating func skipToByte() { drop(count & 7) }

  /// The first byte whose bits are all unread.
  var place: Int { next &- count &>> 3 }

  @inline(never)
  private mutating func endOfData() -> JOSEError {
    isCutOff = true
    return Inflate.malformed
  }

  /// Whether only bits of the last byte are left.
  var isAtEnd: Bool { next == data.count && count < 8 }
}
