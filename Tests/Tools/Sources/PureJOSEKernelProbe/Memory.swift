/// The same addresses for every secret: a prepared key, a message and its result.
struct Memory {
  static let messageByteCount = 8192
  static let keyByteCount = 4096

  let key: UnsafeMutableRawPointer
  let input: UnsafeMutableRawPointer
  let output: UnsafeMutableRawPointer

  /// Lives as long as the process.
  init() {
    key = .allocate(byteCount: Self.keyByteCount, alignment: 64)
    input = .allocate(byteCount: Self.messageByteCount, alignment: 64)
    output = .allocate(byteCount: Self.messageByteCount, alignment: 64)
  }

  /// Takes a secret's message, and forgets results of the run before.
  func reset(for secret: Secret) {
    key.initializeMemory(as: UInt8.self, repeating: 0, count: Self.keyByteCount)
    input.copyMemory(from: secret.octets(count: Self.messageByteCount), byteCount: Self.messageByteCount)
    output.initializeMemory(as: UInt8.self, repeating: 0, count: Self.messageByteCount)
  }
}
