import PureJOSETestSupport
import Synchronization
import Testing

@testable import PureCrypto

@Suite("Argon2id")
struct Argon2idTests {
  private static let backends = Backend.available

  private func key(_ inputs: Argon2id.Inputs, _ vector: Vector, on backend: Backend) throws -> [UInt8] {
    try Argon2id.deriveKey(
      inputs, kibibyteCount: vector.kibibyteCount, passCount: vector.passCount, laneCount: vector.laneCount,
      byteCount: vector.byteCount, on: backend
    ).withUnsafeBytes { Array($0) }
  }

  /// With a secret and associated data.
  ///
  /// Source: RFC 9106 §5.3.
  @Test("The vector of RFC 9106 with four lanes, on every backend", arguments: backends)
  func vectorOfTheStandard(backend: Backend) throws {
    let salt = [UInt8](repeating: 2, count: 16)
    let found = try salt.withUnsafeBytes { salt in
      try key(
        Argon2id.Inputs(
          password: SecretBytes(copying: [UInt8](repeating: 1, count: 32)), salt: salt,
          secret: SecretBytes(copying: [UInt8](repeating: 3, count: 8)),
          associatedData: [UInt8](repeating: 4, count: 12)),
        Vector(32, 3, 4, 32, "", "", ""), on: backend)
    }
    #expect(try found == hex("0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"))
  }

  /// Costs, inputs, and the key, or SHA-256 of one that is longer than 32 octets.
  struct Vector: Sendable {
    let kibibyteCount, passCount, laneCount, byteCount: Int
    let password, salt, expected: String

    init(
      _ kibibyteCount: Int, _ passCount: Int, _ laneCount: Int, _ byteCount: Int, _ password: String, _ salt: String,
      _ expected: String
    ) {
      (self.kibibyteCount, self.passCount, self.laneCount) = (kibibyteCount, passCount, laneCount)
      (self.byteCount, self.password, self.salt, self.expected) = (byteCount, password, salt, expected)
    }
  }

  /// Made by argon2-cffi 25.1, which is the reference implementation: the smallest memory, memory that is no multiple
  /// of four blocks for each lane, several lanes and passes, keys around the 64 octets of a hash, passwords around a
  /// block.
  static let vectors = [
    Vector(
      8, 1, 1, 4, "", "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}",
      "1e6f6539"),
    Vector(
      8, 1, 1, 32, "password", "somesalt",
      "f137f8e186a403a679ccd0606e5ab5dcdafe43c1640855ac8c6e33e9bd63eeb3"),
    Vector(
      9, 1, 1, 64, "password", "somesalt",
      "75b9b20507dbc63f89a2da2c6440fce7ce0c7cce2cb1fa74d2c2d7e4959ef627"),
    Vector(
      16, 2, 2, 65, "p", "somesaltsomesalt",
      "efcdc10a28f4716bae78ff38cfc31f4f91e2e2fa6a14f6aeb31676c7bc876344"),
    Vector(
      33, 3, 1, 32, "password", "somesalt",
      "2adfab4679a66b5b23f86e15c7072fcd824bdbeecb1ee149f72dd57c6c285de2"),
    Vector(
      35, 2, 3, 96, "another password", "a salt of some length",
      "1f0a249d9957172fc24f6a8703147cfc8a8b3a3babbdfb104ef96b9e19679a97"),
    Vector(
      64, 4, 4, 128, "differentpassword", String(repeating: "0123456789", count: 13),
      "9379f12bf38c2a1b04a9e1f8c980c1298a1d9d0c84416db7d2cf54fb822dc0ea"),
    Vector(
      256, 2, 1, 1024, "password", "diffsalt",
      "30e8e54ee7e3189460b5d507b7f63da2095aa02f6e494537ee8c17c42359f40f"),
    Vector(
      1024, 1, 1, 32, String(repeating: "x", count: 127), "somesalt",
      "931f4b00f44f04524d9b19c3706ba6a3d15296e0a0d616aa1875a23443ead404"),
    Vector(
      1200, 1, 2, 32, String(repeating: "x", count: 128), "somesalt",
      "fdc4f0b4c2b2e5075c4a0d1363674bf2e76d9da00fc006508531676a5f6ca991"),
    Vector(
      600, 3, 1, 16, String(repeating: "x", count: 129), "somesalt",
      "0615e2ff58e57ddcb63c668e46823377"),
    Vector(
      19456, 2, 1, 32, "correct horse battery staple", "0123456789abcdef",
      "832e52b959b967b570ee4781f6c7bda7ced019ca266ac781fd2d94d4e853b0cd"),
  ]

  @Test("Keys are those of the reference implementation, on every backend", arguments: vectors)
  func reference(vector: Vector) throws {
    for backend in Self.backends {
      let found = try Array(vector.salt.utf8).withUnsafeBytes { salt in
        try key(
          Argon2id.Inputs(password: SecretBytes(copying: Array(vector.password.utf8)), salt: salt), vector,
          on: backend)
      }
      #expect(found.count == vector.byteCount)
      #expect(try (found.count > 32 ? Array(SHA2.SHA256.hash(found)) : found) == hex(vector.expected), "\(backend)")
    }
  }

  @Test("The public function is the same, with the costs of a server by default")
  func defaults() throws {
    let last = try #require(Self.vectors.last)
    let found = try Argon2id.deriveKey(
      password: SecretBytes(copying: Array(last.password.utf8)), salt: Array(last.salt.utf8))
    #expect(try found.withUnsafeBytes { Array($0) } == hex(last.expected))
  }

  @Test("Costs, lengths and salts out of range are refused, and trap nowhere")
  func refusals() {
    let salt = [UInt8](repeating: 0, count: 8)
    func refuses(_ salt: [UInt8], _ kibibytes: Int, _ passes: Int, _ lanes: Int, _ bytes: Int) -> Bool {
      do throws(CryptoError) {
        _ = try Argon2id.deriveKey(
          password: .random(count: 4), salt: salt, kibibyteCount: kibibytes, passCount: passes, laneCount: lanes,
          byteCount: bytes)
        return false
      } catch {
        return error.code == .invalidKeyLength
      }
    }
    #expect(!refuses(salt, 8, 1, 1, 4) && refuses(Array(salt.dropLast()), 8, 1, 1, 4))
    for number in [Int.min, -1, 0, .max] {
      #expect(refuses(salt, number, 1, 1, 32), "\(number) kibibytes")
      #expect(refuses(salt, 64, number, 1, 32), "\(number) passes")
      #expect(refuses(salt, 64, 1, number, 32), "\(number) lanes")
      #expect(refuses(salt, 64, 1, 1, number), "\(number) octets")
    }
    #expect(refuses(salt, 7, 1, 1, 4) && refuses(salt, 15, 1, 2, 4) && refuses(salt, 8, 1, 1, 3))
    #expect(refuses(salt, 8, 1, 1, 1025) && !refuses(salt, 16, 1, 2, 1024))
  }

  #if DEBUG
    @Test("All blocks are wiped, with what has been computed in them")
    func wiping() throws {
      let wiped = Mutex<[[UInt8]]>([])
      let observer = SecretEvents(
        drawing: { _ in false }, wiping: { memory in wiped.withLock { $0.append(Array(memory)) } })
      try SecretEvents.$observer.withValue(observer) {
        _ = try Argon2id.deriveKey(
          password: SecretBytes(copying: [1, 2, 3, 4]), salt: [UInt8](repeating: 5, count: 8), kibibyteCount: 8,
          passCount: 1)
      }
      // Eight blocks, and four behind them; one of these is all zeros.
      let memory = try #require(wiped.withLock { $0.first { $0.count == 12 * 1024 } })
      let filled = (0..<12).count { block in memory[(1024 * block)..<(1024 * block + 1024)].contains { $0 != 0 } }
      #expect(filled == 11)
    }
  #endif

  @Test("Compression is the same on every backend, over what is there and beside it")
  func compression() {
    var generator = SeededGenerator(seed: 9)
    for keepsOld in [false, true] {
      var results: [[UInt8]] = []
      let blocks = (0..<3072).map { _ in UInt8.random(in: 0...255, using: &generator) }
      for backend in Self.backends {
        for isInPlace in [false, true] {
          var memory = blocks + [UInt8](repeating: 0, count: 1024)
          memory.withUnsafeMutableBytes { memory in
            guard let start = memory.baseAddress else { return }
            let compression = Argon2Compression(scratch: start + 3072, backend: backend)
            // In place, what is there is the second block.
            if isInPlace { (start + 2048).copyMemory(from: start + 1024, byteCount: 1024) }
            compression.compress(
              start, isInPlace ? start + 2048 : start + 1024, into: start + 2048, keepsOld: keepsOld && !isInPlace)
          }
          if !isInPlace || !keepsOld { results.append(Array(memory[2048..<3072])) }
        }
      }
      #expect(results.allSatisfy { $0 == results.first } && results.first?.contains { $0 != 0 } == true)
    }
  }
}

@Suite("BLAKE2b")
struct BLAKE2bTests {
  private func hash(_ message: [UInt8], _ digestByteCount: Int, pieces: Int = 1) -> [UInt8] {
    var hash = BLAKE2b(digestByteCount: digestByteCount)
    var rest = message[...]
    for piece in 0..<pieces {
      let part = rest.prefix(piece == pieces - 1 ? rest.count : rest.count / 2)
      Array(part).withUnsafeBytes { hash.update($0) }
      rest = rest.dropFirst(part.count)
    }
    var digest = [UInt8](repeating: 0, count: digestByteCount)
    digest.withUnsafeMutableBytes { hash.finalize(into: $0) }
    return digest
  }

  /// Source: RFC 7693 appendix A.
  @Test("The vector of RFC 7693")
  func vectorOfTheStandard() throws {
    #expect(
      try hash(Array("abc".utf8), 64)
        == hex(
          "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
            + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"))
  }

  /// The expected digest is hashlib's.
  @Test("Messages of 0 to 399 octets, whole and in pieces, with digests of 1 to 64 octets", arguments: [1, 2, 4])
  func lengths(pieces: Int) throws {
    var digests: [UInt8] = []
    for count in 0..<400 {
      let message = (0..<count).map { UInt8($0 % 251) }
      for digestByteCount in [1, 20, 32, 63, 64] { digests += hash(message, digestByteCount, pieces: pieces) }
    }
    #expect(
      try Array(SHA2.SHA256.hash(digests)) == hex("bfe2d4de66a83a54b334b13aa8c60be28714a55e47cdad84e00db5f00a5919cc"))
  }
}
