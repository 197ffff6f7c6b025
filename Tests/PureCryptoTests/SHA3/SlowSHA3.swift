/// SHA-3 as FIPS 202 writes it: a state of 1600 bits, one at a time, ρ's offsets and ι's constants by their
/// definitions.
enum SlowSHA3 {
  static func hash(_ message: [UInt8], digestByteCount: Int) -> [UInt8] {
    sponge(message, suffix: [0, 1], capacity: 16 * digestByteCount, byteCount: digestByteCount)
  }

  static func shake(_ message: [UInt8], strength: Int, byteCount: Int) -> [UInt8] {
    sponge(message, suffix: [1, 1, 1, 1], capacity: 2 * strength, byteCount: byteCount)
  }

  /// §4, §5.1: bits of a byte come from the lowest on.
  private static func sponge(_ message: [UInt8], suffix: [UInt8], capacity: Int, byteCount: Int) -> [UInt8] {
    let rate = 1600 - capacity
    var bits = message.flatMap { byte in (0..<8).map { byte >> $0 & 1 } } + suffix + [1]
    while bits.count % rate != rate - 1 { bits.append(0) }
    bits.append(1)
    var state = [UInt8](repeating: 0, count: 1600)
    for block in stride(from: 0, to: bits.count, by: rate) {
      for bit in 0..<rate { state[bit] ^= bits[block + bit] }
      state = permuted(state)
    }
    var output: [UInt8] = []
    while output.count < byteCount {
      for byte in 0..<(rate / 8) { output.append((0..<8).reduce(0) { $0 | state[8 * byte + $1] << $1 }) }
      state = permuted(state)
    }
    return Array(output[..<byteCount])
  }

  /// The place of bit z of lane (x, y), §3.1.2.
  private static func place(_ x: Int, _ y: Int, _ z: Int) -> Int { 64 * (5 * (y % 5) + x % 5) + z % 64 }

  /// §3.3.
  private static func permuted(_ start: [UInt8]) -> [UInt8] {
    var a = start
    for round in 0..<24 {
      // §3.2.1, θ
      var parity = [[UInt8]](repeating: [UInt8](repeating: 0, count: 64), count: 5)
      for x in 0..<5 { for z in 0..<64 { for y in 0..<5 { parity[x][z] ^= a[place(x, y, z)] } } }
      for x in 0..<5 {
        for z in 0..<64 {
          let d = parity[(x + 4) % 5][z] ^ parity[(x + 1) % 5][(z + 63) % 64]
          for y in 0..<5 { a[place(x, y, z)] ^= d }
        }
      }
      // §3.2.2, ρ
      var b = a
      var (x, y) = (1, 0)
      for t in 0..<24 {
        let offset = (t + 1) * (t + 2) / 2
        for z in 0..<64 { b[place(x, y, z)] = a[place(x, y, z + 320 - offset % 64)] }
        (x, y) = (y, (2 * x + 3 * y) % 5)
      }
      // §3.2.3, π
      for x in 0..<5 { for y in 0..<5 { for z in 0..<64 { a[place(x, y, z)] = b[place(x + 3 * y, x, z)] } } }
      // §3.2.4, χ
      b = a
      for x in 0..<5 {
        for y in 0..<5 {
          for z in 0..<64 {
            b[place(x, y, z)] = a[place(x, y, z)] ^ (a[place(x + 1, y, z)] ^ 1) & a[place(x + 2, y, z)]
          }
        }
      }
      // §3.2.5, ι
      for j in 0...6 { b[place(0, 0, (1 << j) - 1)] ^= constantBit(j + 7 * round) }
      a = b
    }
    return a
  }

  /// rc(t), algorithm 5.
  private static func constantBit(_ t: Int) -> UInt8 {
    var r: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
    for _ in 0..<(t % 255) {
      r = [0] + r
      for place in [0, 4, 5, 6] { r[place] ^= r[8] }
      r.removeLast()
    }
    return r[0]
  }
}
