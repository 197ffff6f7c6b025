import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("SHA-2")
struct SHA2Tests {
  /// Message, SHA-256, SHA-384 and SHA-512 digests.
  /// Source: FIPS 180-4 examples (NIST, "SHA256.pdf", "SHA384.pdf", "SHA512.pdf").
  static let examples: [(message: String, sha256: String, sha384: String, sha512: String)] = [
    (
      "abc",
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
    (
      "",
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b",
      "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
        + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
    ),
  ]

  @Test("examples of FIPS 180-4", arguments: examples.indices)
  func standardExamples(index: Int) throws {
    let example = Self.examples[index]
    #expect(SHA2.SHA256.hash(example.message.utf8).description == example.sha256)
    #expect(SHA2.SHA384.hash(example.message.utf8).description == example.sha384)
    #expect(SHA2.SHA512.hash(example.message.utf8).description == example.sha512)
  }

  @Test("two-block examples of FIPS 180-4")
  func twoBlockExamples() throws {
    let short = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    #expect(
      SHA2.SHA256.hash(short.utf8).description == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    let long =
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
      + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
    #expect(
      SHA2.SHA384.hash(long.utf8).description
        == "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039")
    #expect(
      SHA2.SHA512.hash(long.utf8).description
        == "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
        + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909")
  }

  @Test("a million letters a")
  func millionLetters() {
    var hash = SHA2.SHA256()
    let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1000)
    for _ in 0..<1000 { hash.update(piece) }
    #expect(hash.finalize().description == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test("every length to 660 agrees with the standard written out", arguments: 0...660)
  func lengths(count: Int) {
    let message = testBytes(count: count)
    let expected = [SlowSHA2.sha256(message), SlowSHA2.sha384(message), SlowSHA2.sha512(message)]
    withGuardedBytes(message) { areas in
      let message = UnsafeRawBufferPointer(areas[0])
      #expect(Array(SHA2.SHA256.hash(message)) == expected[0])
      #expect(Array(SHA2.SHA384.hash(message)) == expected[1])
      #expect(Array(SHA2.SHA512.hash(message)) == expected[2])
      for backend in Backend.available {
        var hash256 = SHA2.SHA256(backend: backend)
        var hash384 = SHA2.SHA384(backend: backend)
        var hash512 = SHA2.SHA512(backend: backend)
        hash256.update(message)
        hash384.update(message)
        hash512.update(message)
        #expect(Array(hash256.finalize()) == expected[0], "\(backend)")
        #expect(Array(hash384.finalize()) == expected[1], "\(backend)")
        #expect(Array(hash512.finalize()) == expected[2], "\(backend)")
      }
    }
  }

  @Test("a message may be split anywhere")
  func splits() {
    splits(of: SHA2.SHA256.self)
    splits(of: SHA2.SHA384.self)
    splits(of: SHA2.SHA512.self)
  }

  @Test("a span is hashed as its bytes are, and a digest lends its own as a span")
  func spans() {
    spans(of: SHA2.SHA256.self)
    spans(of: SHA2.SHA384.self)
    spans(of: SHA2.SHA512.self)
  }

  private func spans<Function: SHA2Function>(of function: Function.Type) {
    let message = ContiguousArray(testBytes(count: 300))
    let expected = Array(Function.hash(Array(message)))
    let elements = message.span
    let bytes = elements.bytes
    let whole = Function.hash(bytes)
    var hash = Function()
    hash.update(bytes)
    let updated = hash.finalize()
    #expect(Array(whole) == expected)
    #expect(updated == whole)
    let lent = whole.withBytes { bytes -> [UInt8] in
      var octets: [UInt8] = []
      for offset in bytes.byteOffsets { octets.append(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)) }
      return octets
    }
    #expect(lent == expected)
    #expect(whole.withUnsafeBytes { Array($0) } == expected)
    #expect((0..<whole.count).map { whole[$0] } == expected)
  }

  private func splits<Function: SHA2Function>(of function: Function.Type) {
    let message = testBytes(count: 300)
    let whole = Function.hash(message)
    for first in 0...message.count {
      var hash = Function()
      hash.update(message[..<first])
      hash.update(message[first...])
      #expect(hash.finalize() == whole, "split at \(first)")
    }
    for size in [1, 3, 63, 64, 65, 127, 128, 129] {
      var hash = Function()
      for start in stride(from: 0, to: message.count, by: size) {
        hash.update(message[start..<min(start + size, message.count)])
      }
      #expect(hash.finalize() == whole, "pieces of \(size)")
    }
  }

  @Test("finalizing leaves the message open, and a copy goes its own way")
  func copies() {
    let message = testBytes(count: 200)
    var hash = SHA2.SHA256()
    hash.update(message[..<100])
    #expect(hash.finalize() == SHA2.SHA256.hash(message[..<100]))
    var other = hash
    other.update(message[..<50])
    hash.update(message[100...])
    #expect(hash.finalize() == SHA2.SHA256.hash(message))
    #expect(other.finalize() == SHA2.SHA256.hash(Array(message[..<100]) + Array(message[..<50])))
  }

  @Test("a collection without contiguous storage is hashed alike")
  func scatteredInput() {
    let message = testBytes(count: 150)
    let scattered = message.lazy.map { $0 }
    #expect(SHA2.SHA256.hash(scattered) == SHA2.SHA256.hash(message))
  }

  @Test("a digest is a collection of its bytes")
  func digestIsCollection() throws {
    let digest = SHA2.SHA384.hash("abc".utf8)
    #expect(digest.count == 48 && SHA2.SHA384.digestByteCount == 48)
    #expect(Array(digest) == (try hex(digest.description)))
    #expect(digest.withUnsafeBytes { Array($0) } == Array(digest))
    #expect(digest.withContiguousStorageIfAvailable { Array($0) } == Array(digest))
    #expect(digest != SHA2.SHA384.hash("abd".utf8))
    #expect(Set([digest, digest]).count == 1)
  }
}
