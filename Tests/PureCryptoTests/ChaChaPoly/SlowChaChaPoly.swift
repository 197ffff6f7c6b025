/// ChaCha20 and Poly1305 straight from RFC 8439: a block at a time, integers of any size. Nothing shared with the
/// module.
struct SlowChaChaPoly {
  let key: [UInt8]
  let nonce: [UInt8]

  func seal(_ plaintext: [UInt8], authenticating data: [UInt8]) -> (ciphertext: [UInt8], tag: [UInt8]) {
    let ciphertext = encrypt(plaintext, from: 1)
    let authenticated = padded(data) + padded(ciphertext) + length(data.count) + length(ciphertext.count)
    return (ciphertext, Self.tag(of: authenticated, key: Array(block(0).prefix(32))))
  }

  /// Source: RFC 8439 §2.3.
  func block(_ counter: UInt32) -> [UInt8] {
    let constants = Array("expand 32-byte k".utf8)
    let start = words(constants + key) + [counter] + words(nonce)
    var state = start
    for _ in 0..<10 {
      for column in 0..<4 { quarterRound(&state, column, column + 4, column + 8, column + 12) }
      for column in 0..<4 {
        quarterRound(&state, column, (column + 1) % 4 + 4, (column + 2) % 4 + 8, (column + 3) % 4 + 12)
      }
    }
    return zip(state, start).flatMap { word, first in
      let sum = word &+ first
      return (0..<4).map { UInt8(truncatingIfNeeded: sum >> UInt32(8 * $0)) }
    }
  }

  /// Source: RFC 8439 §2.4.
  func encrypt(_ input: [UInt8], from counter: UInt32) -> [UInt8] {
    var output: [UInt8] = []
    var counter = counter
    while output.count < input.count {
      output += zip(input.dropFirst(output.count), block(counter)).map { $0 ^ $1 }
      counter += 1
    }
    return output
  }

  /// Source: RFC 8439 §2.5.
  static func tag(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    let modulus = ReferenceInteger(bigEndian: [0x03] + [UInt8](repeating: 0xff, count: 15) + [0xfb])
    var clamped = Array(key.prefix(16))
    for index in [3, 7, 11, 15] { clamped[index] &= 15 }
    for index in [4, 8, 12] { clamped[index] &= 252 }
    let r = ReferenceInteger(bigEndian: clamped.reversed())
    var sum = ReferenceInteger(0)
    for start in stride(from: 0, to: message.count, by: 16) {
      let block = message[start..<min(start + 16, message.count)] + [1]
      sum = (sum + ReferenceInteger(bigEndian: block.reversed())) * r % modulus
    }
    let total = sum + ReferenceInteger(bigEndian: key.suffix(16).reversed())
    return total.bigEndian32.suffix(16).reversed()
  }

  private func quarterRound(_ state: inout [UInt32], _ a: Int, _ b: Int, _ c: Int, _ d: Int) {
    for (first, second) in [(UInt32(16), UInt32(12)), (8, 7)] {
      state[a] &+= state[b]
      state[d] = rotated(state[d] ^ state[a], first)
      state[c] &+= state[d]
      state[b] = rotated(state[b] ^ state[c], second)
    }
  }

  private func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }

  private func words(_ bytes: [UInt8]) -> [UInt32] {
    stride(from: 0, to: bytes.count, by: 4).map { start in
      (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) }
    }
  }

  private func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (16 - bytes.count % 16) % 16)
  }

  private func length(_ count: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } }
}
