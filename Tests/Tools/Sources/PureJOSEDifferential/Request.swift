import PureCrypto

/// One case: the name of a command and its operands, each in guarded memory.
struct Request {
  let command: String
  let side: GuardedMemory.Side
  let memory: GuardedMemory
  private let operands: [UnsafeMutableRawBufferPointer]

  /// Reads a request: its side, the number of its fields, then a length of 32 bits before each field. The first is the
  /// command.
  init(_ reader: inout FrameReader, memory: GuardedMemory) {
    let side = GuardedMemory.Side(rawValue: reader.octet()) ?? .end
    let fieldCount = Int(reader.octet())
    command = String(decoding: reader.field(), as: UTF8.self)
    operands = (1..<fieldCount).map { memory.place(reader.field(), in: $0, touching: side) }
    self.side = side
    self.memory = memory
  }

  /// An operand as it lies in guarded memory.
  subscript(_ index: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(operands[index]) }

  /// The same, to be worked on in place.
  func mutable(_ index: Int) -> UnsafeMutableRawBufferPointer { operands[index] }

  func octets(_ index: Int) -> [UInt8] { Array(operands[index]) }

  func secret(_ index: Int) -> SecretBytes { SecretBytes(copying: operands[index]) }

  func text(_ index: Int) -> String { String(decoding: operands[index], as: UTF8.self) }

  /// A number of 64 bits, little-endian.
  func number(_ index: Int) -> Int { Int(operands[index].loadUnaligned(as: Int64.self).littleEndian) }

  /// Room for output.
  func output(count: Int) -> UnsafeMutableRawBufferPointer {
    memory.empty(count: count, in: GuardedMemory.roomCount - 1, touching: side)
  }
}

/// A digest that need not be one of any message.
func digest<Digest: SHA2Digest>(_ octets: UnsafeRawBufferPointer, of _: Digest.Type) -> Digest {
  var memory = SIMD64<UInt8>()
  return withUnsafeMutableBytes(of: &memory) { memory in
    memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: octets.prefix(Digest.byteCount)))
    return memory.loadUnaligned(as: Digest.self)
  }
}
