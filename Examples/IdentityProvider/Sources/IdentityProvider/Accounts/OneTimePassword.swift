import JOSE

/// One-time passwords by time: six digits, which change every 30 seconds.
///
/// Source: RFC 6238 §4, RFC 4226 §5.3. HMAC-SHA-1 is the only algorithm that every authenticator app supports.
enum OneTimePassword {
  /// The 30-second step that a time falls into.
  static func step(at now: NumericDate) -> Int64 { Int64(now.secondsSince1970 / 30) }

  /// The code of a step.
  static func code(seed: [UInt8], step: Int64, digitCount: Int = 6) -> String {
    let counter = withUnsafeBytes(of: step.bigEndian, Array.init)
    let mac = SHA1.authenticate(counter, key: seed)
    let offset = Int(mac[19] & 0x0F)
    let word = mac[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let modulus = (0..<digitCount).reduce(UInt32(1)) { product, _ in product * 10 }
    let digits = String(word % modulus)
    return String(repeating: "0", count: digitCount - digits.count) + digits
  }

  /// A seed as people type it: base 32 (RFC 4648 §6), without padding.
  static func text(of seed: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    let bits = seed.flatMap { octet in (0..<8).map { Int(octet >> (7 - $0) & 1) } }
    let digits = stride(from: 0, to: bits.count, by: 5).map { start in
      (start..<start + 5).reduce(0) { $0 << 1 | ($1 < bits.count ? bits[$1] : 0) }
    }
    return String(digits.map { alphabet[$0] })
  }
}

/// SHA-1 with a key. HMAC doesn't need collisions to be hard to find.
///
/// Source: RFC 3174, RFC 2104.
enum SHA1 {
  static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    let short = key.count > 64 ? hash(key) : key
    let block = short + [UInt8](repeating: 0, count: 64 - short.count)
    return hash(block.map { $0 ^ 0x5C } + hash(block.map { $0 ^ 0x36 } + message))
  }

  static func hash(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    padded += withUnsafeBytes(of: (UInt64(message.count) * 8).bigEndian, Array.init)
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: padded.count, by: 64) {
      var words = (0..<16).map { index in
        padded[(start + 4 * index)..<(start + 4 * index + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      }
      for index in 16..<80 {
        words.append(rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
      }
      var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
      for index in 0..<80 {
        let (mix, constant): (UInt32, UInt32) =
          switch index {
          case ..<20: (b & c | ~b & d, 0x5A82_7999)
          case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
          case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
          default: (b ^ c ^ d, 0xCA62_C1D6)
          }
        (a, b, c, d, e) = (rotate(a, 5) &+ mix &+ e &+ constant &+ words[index], a, rotate(b, 30), c, d)
      }
      for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
    }
    return state.flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) }
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
}
