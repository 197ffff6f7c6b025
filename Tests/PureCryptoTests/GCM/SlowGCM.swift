/// GCM straight from SP 800-38D: bit by bit multiplication, byte-wise AES. Nothing shared with the module.
struct SlowGCM {
  private let cipher: SlowAES
  private let h: [UInt8]

  init(key: [UInt8]) {
    cipher = SlowAES(key: key)
    h = cipher.encrypt([UInt8](repeating: 0, count: 16))
  }

  func seal(_ plaintext: [UInt8], authenticating data: [UInt8], initializationVector: [UInt8]) -> (
    ciphertext: [UInt8], tag: [UInt8]
  ) {
    let j0 =
      initializationVector.count == 12
      ? initializationVector + [0, 0, 0, 1]
      : initialCounterBlock(hashing: initializationVector)
    let ciphertext = encryptCounter(plaintext, from: increment(j0))
    let y = hash(padded(data) + padded(ciphertext) + bitCount(data.count) + bitCount(ciphertext.count))
    return (ciphertext, encryptCounter(y, from: j0))
  }

  /// The tag of data and of a ciphertext that are zeros. Y stays zero until the lengths come, so that any will do.
  func tagOfZeros(dataCount: Int, ciphertextCount: Int, initializationVector: [UInt8]) -> [UInt8] {
    let y = hash(bitCount(dataCount) + bitCount(ciphertextCount))
    return encryptCounter(y, from: initializationVector + [0, 0, 0, 1])
  }

  /// J₀ of an initialization vector of zeros, by the same token.
  func initialCounterBlock(hashingZeros count: Int) -> [UInt8] { hash(bitCount(0) + bitCount(count)) }

  /// J₀ of an initialization vector of other than 12 bytes.
  func initialCounterBlock(hashing vector: [UInt8]) -> [UInt8] {
    hash(padded(vector) + bitCount(0) + bitCount(vector.count))
  }

  /// The 16-byte initialization vector whose J₀ is `block`: J₀ = (IV • H ⊕ lengths) • H, solved for IV.
  func initializationVector(forInitialCounterBlock block: [UInt8]) -> [UInt8] {
    // H⁻¹ = H^(2¹²⁸ − 2) = (H • H² • H⁴ • … • H^(2¹²⁶))².
    var power = h
    var product = h
    for _ in 0..<126 {
      power = multiply(power, power)
      product = multiply(product, power)
    }
    let inverse = multiply(product, product)
    let lengths = bitCount(0) + bitCount(16)
    return multiply(zip(multiply(block, inverse), lengths).map { $0 ^ $1 }, inverse)
  }

  /// GCTR.
  /// Source: SP 800-38D §6.5.
  private func encryptCounter(_ input: [UInt8], from initial: [UInt8]) -> [UInt8] {
    var counter = initial
    var output: [UInt8] = []
    while output.count < input.count {
      output += zip(input.dropFirst(output.count), cipher.encrypt(counter)).map { $0 ^ $1 }
      counter = increment(counter)
    }
    return output
  }

  /// inc₃₂.
  /// Source: SP 800-38D §6.2.
  private func increment(_ block: [UInt8]) -> [UInt8] {
    var block = block
    for i in (12..<16).reversed() {
      block[i] &+= 1
      if block[i] != 0 { break }
    }
    return block
  }

  /// GHASH.
  /// Source: SP 800-38D §6.4.
  private func hash(_ bytes: [UInt8]) -> [UInt8] {
    var y = [UInt8](repeating: 0, count: 16)
    for start in stride(from: 0, to: bytes.count, by: 16) {
      y = multiply(zip(y, bytes[start..<(start + 16)]).map { $0 ^ $1 }, h)
    }
    return y
  }

  /// X • Y.
  /// Source: SP 800-38D §6.3, algorithm 1.
  private func multiply(_ x: [UInt8], _ y: [UInt8]) -> [UInt8] {
    func integer(_ block: [UInt8]) -> UInt128 { block.reduce(0) { $0 << 8 | UInt128($1) } }
    let x = integer(x)
    var z: UInt128 = 0
    var v = integer(y)
    for i in 0..<128 {
      if x >> UInt128(127 - i) & 1 == 1 { z ^= v }
      v = v >> 1 ^ (v & 1 == 1 ? 0xe1 << 120 : 0)
    }
    return (0..<16).map { UInt8(truncatingIfNeeded: z >> UInt128(120 - 8 * $0)) }
  }

  private func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (16 - bytes.count % 16) % 16)
  }

  private func bitCount(_ byteCount: Int) -> [UInt8] {
    (0..<8).reversed().map { UInt8(truncatingIfNeeded: (byteCount * 8) >> ($0 * 8)) }
  }
}
