/// Integers of any size, slow and simple: an independent judge of the field and scalar arithmetic.
///
/// Words of 32 bits, least significant first, without leading zeros.
struct ReferenceInteger: Equatable, Sendable {
  private(set) var words: [UInt32]

  init(words: [UInt32]) {
    var words = words
    while words.last == 0 { words.removeLast() }
    self.words = words
  }

  init(_ value: UInt32) {
    self.init(words: [value])
  }

  init(bigEndian bytes: [UInt8]) {
    var words = [UInt32](repeating: 0, count: bytes.count / 4 + 1)
    for (position, byte) in bytes.reversed().enumerated() {
      words[position / 4] |= UInt32(byte) << UInt32(8 * (position % 4))
    }
    self.init(words: words)
  }

  /// 32 bytes, for integers below 2²⁵⁶.
  var bigEndian32: [UInt8] {
    (0..<32).reversed().map { position in
      position / 4 < words.count ? UInt8(words[position / 4] >> UInt32(8 * (position % 4)) & 0xff) : 0
    }
  }

  static func < (a: ReferenceInteger, b: ReferenceInteger) -> Bool {
    if a.words.count != b.words.count { return a.words.count < b.words.count }
    for (x, y) in zip(a.words.reversed(), b.words.reversed()) where x != y { return x < y }
    return false
  }

  static func + (a: ReferenceInteger, b: ReferenceInteger) -> ReferenceInteger {
    var words: [UInt32] = []
    var carry: UInt64 = 0
    for index in 0..<(max(a.words.count, b.words.count) + 1) {
      carry += UInt64(index < a.words.count ? a.words[index] : 0)
      carry += UInt64(index < b.words.count ? b.words[index] : 0)
      words.append(UInt32(truncatingIfNeeded: carry))
      carry >>= 32
    }
    return ReferenceInteger(words: words)
  }

  /// a − b, for a ≥ b.
  static func - (a: ReferenceInteger, b: ReferenceInteger) -> ReferenceInteger {
    var words: [UInt32] = []
    var borrow: Int64 = 0
    for index in 0..<a.words.count {
      borrow += Int64(a.words[index]) - (index < b.words.count ? Int64(b.words[index]) : 0)
      words.append(UInt32(truncatingIfNeeded: borrow))
      borrow >>= 32
    }
    return ReferenceInteger(words: words)
  }

  static func * (a: ReferenceInteger, b: ReferenceInteger) -> ReferenceInteger {
    var words = [UInt32](repeating: 0, count: a.words.count + b.words.count + 1)
    for (i, x) in a.words.enumerated() {
      var carry: UInt64 = 0
      for (j, y) in b.words.enumerated() {
        carry += UInt64(x) * UInt64(y) + UInt64(words[i + j])
        words[i + j] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
      }
      words[i + b.words.count] = UInt32(carry)
    }
    return ReferenceInteger(words: words)
  }

  /// a mod m, by subtracting m · 2ᵏ wherever it fits.
  static func % (a: ReferenceInteger, m: ReferenceInteger) -> ReferenceInteger {
    if a < m { return a }
    var multiples = [m]
    for _ in 1..<32 { multiples.append(multiples[multiples.count - 1] + multiples[multiples.count - 1]) }
    // What has fewer words than m is less.
    var remainder = ReferenceInteger(words: Array(a.words.suffix(m.words.count - 1)))
    for word in a.words.dropLast(m.words.count - 1).reversed() {
      remainder = ReferenceInteger(words: [word] + remainder.words)
      for multiple in multiples.reversed() where !(remainder < multiple) { remainder = remainder - multiple }
    }
    return remainder
  }
}
