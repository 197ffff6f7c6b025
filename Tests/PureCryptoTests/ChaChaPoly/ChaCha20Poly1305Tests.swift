import PureJOSETestSupport
import Synchronization
import Testing

@testable import PureCrypto

@Suite("ChaCha20-Poly1305")
struct ChaCha20Poly1305Tests {
  private static let advice = """
    Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.
    """
  private let key = testBytes(count: 32, seed: 6)
  private let failed = CryptoError(.authenticationFailed, "")

  private func cipher(_ key: [UInt8], _ backend: Backend) throws -> ChaCha20Poly1305 {
    try ChaCha20Poly1305(key: SecretBytes(copying: key), backend: backend)
  }

  @Test(arguments: Backend.available) func `blocks of RFC 8439, 2_3_2 and A_1`(backend: Backend) throws {
    let counting = [UInt8](0..<32)
    let zeros = [UInt8](repeating: 0, count: 32)
    let lastBit = [UInt8](repeating: 0, count: 31) + [1]
    let secondOctet = [0, 0xff] + [UInt8](repeating: 0, count: 30)
    let figures: [(key: [UInt8], nonce: String, counter: UInt32, block: String)] = [
      (
        counting, "000000090000004a00000000", 1,
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
          + "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
      ),
      (
        zeros, "000000000000000000000000", 0,
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
          + "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
      ),
      (
        zeros, "000000000000000000000000", 1,
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
          + "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"
      ),
      (
        lastBit, "000000000000000000000000", 1,
        "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
          + "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0"
      ),
      (
        secondOctet, "000000000000000000000000", 2,
        "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
          + "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096"
      ),
      (
        zeros, "000000000000000000000002", 0,
        "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
          + "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d"
      ),
    ]
    for figure in figures {
      let nonce = try ChaCha20Poly1305.Nonce(hex(figure.nonce))
      let stream = keystream(figure.key, nonce, from: figure.counter, backend)
      #expect(Hex.encode(Array(stream.prefix(64))) == figure.block)
    }
  }

  @Test(arguments: Backend.available) func `encryption of RFC 8439, 2_4_2`(backend: Backend) throws {
    let nonce = try ChaCha20Poly1305.Nonce(hex("000000000000004a00000000"))
    let stream = keystream([UInt8](0..<32), nonce, from: 1, backend)
    let expected =
      "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b357"
      + "1639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736"
      + "5af90bbf74a35be6b40b8eedf2785e42874d"
    #expect(Hex.encode(zip(Self.advice.utf8, stream).map { $0 ^ $1 }) == expected)
  }

  @Test(arguments: Backend.available) func `sealing of RFC 8439, 2_8_2`(backend: Backend) throws {
    let key = [UInt8](0x80...0x9f)
    let nonce = try ChaCha20Poly1305.Nonce(hex("070000004041424344454647"))
    let data = try hex("50515253c0c1c2c3c4c5c6c7")
    let box = try cipher(key, backend).seal(Array(Self.advice.utf8), authenticating: data, uniqueNonce: nonce)
    #expect(
      Hex.encode(box.ciphertext)
        == "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b"
        + "1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
        + "3ff4def08e4b7a9de576d26586cec64b6116")
    #expect(Hex.encode(box.authenticationTag) == "1ae10b594f09e26a7e902ecbd0600691")
  }

  /// A batch of keystream; the counter wraps in lanes past the last number.
  private func keystream(
    _ key: [UInt8], _ nonce: ChaCha20Poly1305.Nonce, from counter: UInt32, _ backend: Backend
  ) -> [UInt8] {
    var block = [UInt32](repeating: 0, count: 16)
    return block.withUnsafeMutableBufferPointer { block in
      key.withUnsafeBytes { key in
        guard let start = key.baseAddress, let memory = block.baseAddress else { return [] }
        let cipher = ChaCha20(key: start, nonce: nonce, memory: memory, backend: backend)
        var bytes = [UInt8](repeating: 0xa5, count: ChaCha20.maximumBatchByteCount)
        bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { cipher.write(from: counter, into: start) } }
        return Array(bytes.prefix(cipher.batchByteCount))
      }
    }
  }

  @Test(arguments: Backend.available) func `the last blocks that have a number`(backend: Backend) throws {
    let bytes = testBytes(count: 12, seed: 2)
    let reference = SlowChaChaPoly(key: key, nonce: bytes)
    for counter in [UInt32.max - 20, .max - 15, .max - 8, .max - 3, .max] {
      let stream = try keystream(key, ChaCha20Poly1305.Nonce(bytes), from: counter, backend)
      for index in 0..<min(Int(UInt32.max - counter) + 1, stream.count / 64) {
        #expect(Array(stream[(64 * index)..<(64 * index + 64)]) == reference.block(counter + UInt32(index)))
      }
    }
  }

  #if arch(x86_64) || arch(arm64)
    @Test func `a message has as many blocks as there are numbers, but for the first`() {
      let longest = ((1 << 32) - 1) * 64
      #expect(throws: Never.self) { try ChaCha20Poly1305.checkLength(message: longest) }
      for count in [longest + 1, longest + 64, longest + 65, .max] {
        #expect(throws: CryptoError(.lengthLimitExceeded, "")) { try ChaCha20Poly1305.checkLength(message: count) }
      }
    }

    @Test(arguments: Backend.available) func `a message that is too long is refused before it is read`(
      backend: Backend
    ) throws {
      // Nothing is there, and nothing is looked at.
      let bytes = UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(bitPattern: 4096), count: 1 << 39)
      let nonce = ChaCha20Poly1305.Nonce.random()
      let cipher = try cipher(key, backend)
      #expect(throws: CryptoError(.lengthLimitExceeded, "")) { try cipher.sealInPlace(bytes, uniqueNonce: nonce) }
      #expect(throws: CryptoError(.lengthLimitExceeded, "")) {
        try cipher.openInPlace(bytes, authenticationTag: testBytes(count: 16), nonce: nonce)
      }
    }
  #endif

  @Test func `lengths by the standard written out`() throws {
    let nonce = testBytes(count: 12, seed: 3)
    for count in [0, 1, 15, 16, 17, 63, 64, 65, 191, 192, 193, 448, 449, 960, 961, 1500, 2100] {
      let data = testBytes(count: count * 7 % 431, seed: 2)
      let message = testBytes(count: count, seed: 4)
      let expected = SlowChaChaPoly(key: key, nonce: nonce).seal(message, authenticating: data)
      let box = try cipher(key, .portable).seal(
        message, authenticating: data, uniqueNonce: ChaCha20Poly1305.Nonce(nonce))
      #expect(box.ciphertext == expected.ciphertext && box.authenticationTag == expected.tag, "\(count)")
    }
  }

  @Test(arguments: Backend.available) func `every length to 1,100 agrees with the portable backend`(
    backend: Backend
  ) throws {
    let nonce = try ChaCha20Poly1305.Nonce(testBytes(count: 12, seed: 3))
    let (tested, portable) = (try cipher(key, backend), try cipher(key, .portable))
    for count in 0...1100 {
      let message = testBytes(count: count, seed: UInt64(count))
      for data in [[], testBytes(count: count * 13 % 1000 + 1, seed: 5)] {
        let expected = try portable.seal(message, authenticating: data, uniqueNonce: nonce)
        try check(message, data, nonce, tested, expected)
      }
    }
  }

  @Test(arguments: Backend.available) func `lengths around steps agree with the portable backend`(
    backend: Backend
  ) throws {
    let nonce = try ChaCha20Poly1305.Nonce(testBytes(count: 12, seed: 7))
    let (tested, portable) = (try cipher(key, backend), try cipher(key, .portable))
    let data = testBytes(count: 77, seed: 5)
    for count in [
      2047, 2048, 4095, 8192, 16383, 16384, 16385, 16575, 16576, 17343, 17344, 17345, 32768, 33728, 50_001, 100_000,
    ] {
      let message = testBytes(count: count, seed: UInt64(count))
      try check(
        message, data, nonce, tested, try portable.seal(message, authenticating: data, uniqueNonce: nonce))
      try check(
        data, message, nonce, tested, try portable.seal(data, authenticating: message, uniqueNonce: nonce))
    }
  }

  /// In arrays, and in place before a guard page, at an address that is a multiple of nothing, with the neighbour
  /// before it watched.
  private func check(
    _ message: [UInt8], _ data: [UInt8], _ nonce: ChaCha20Poly1305.Nonce, _ cipher: ChaCha20Poly1305,
    _ expected: ChaCha20Poly1305.SealedBox
  ) throws {
    let box = try cipher.seal(message, authenticating: data, uniqueNonce: nonce)
    guard box == expected else {
      Issue.record("\(message.count) octets differ")
      return
    }
    let opened = try cipher.open(
      ciphertext: box.ciphertext, authenticationTag: box.authenticationTag, nonce: nonce, authenticating: data)
    #expect(opened == message)
    try withGuardedBytes([0xa5] + message, data) { areas in
      let bytes = UnsafeMutableRawBufferPointer(rebasing: areas[0][1...])
      let data = UnsafeRawBufferPointer(areas[1])
      let copied = try cipher.seal(UnsafeRawBufferPointer(bytes), authenticating: data, uniqueNonce: nonce)
      #expect(copied == expected)
      let tag = try cipher.sealInPlace(bytes, authenticating: data, uniqueNonce: nonce)
      #expect(Array(bytes) == expected.ciphertext && Array(tag) == expected.authenticationTag)
      try cipher.openInPlace(bytes, authenticationTag: tag, nonce: nonce, authenticating: data)
      #expect(Array(areas[0]) == [0xa5] + message)
    }
  }

  @Test(arguments: Backend.available) func `buffers at every address`(backend: Backend) throws {
    let nonce = try ChaCha20Poly1305.Nonce(testBytes(count: 12, seed: 3))
    let cipher = try cipher(key, backend)
    let message = testBytes(count: 1500, seed: 9)
    let expected = try cipher.seal(message, authenticating: message, uniqueNonce: nonce)
    for offset in 0..<65 {
      var bytes = [UInt8](repeating: 0, count: offset) + message + [0xa5]
      try bytes.withUnsafeMutableBytes { bytes in
        let place = UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<(offset + message.count)])
        let tag = try cipher.sealInPlace(place, authenticating: message, uniqueNonce: nonce)
        #expect(Array(place) == expected.ciphertext && Array(tag) == expected.authenticationTag && bytes.last == 0xa5)
        try cipher.openInPlace(place, authenticationTag: tag, nonce: nonce, authenticating: message)
        #expect(Array(place) == message)
      }
    }
  }

  @Test(arguments: Backend.available) func `each changed octet of every part is refused, and nothing is released`(
    backend: Backend
  ) throws {
    let cipher = try cipher(key, backend)
    let vector = testBytes(count: 12, seed: 2)
    let data = testBytes(count: 420, seed: 5)
    for count in [0, 37, 700] {
      let box = try cipher.seal(
        testBytes(count: count), authenticating: data, uniqueNonce: ChaCha20Poly1305.Nonce(vector))
      func refuses(
        _ ciphertext: [UInt8]? = nil, tag: [UInt8]? = nil, nonce: [UInt8]? = nil, data other: [UInt8]? = nil
      ) throws {
        let nonce = try ChaCha20Poly1305.Nonce(nonce ?? vector)
        #expect(throws: failed) {
          try cipher.open(
            ciphertext: ciphertext ?? box.ciphertext, authenticationTag: tag ?? box.authenticationTag, nonce: nonce,
            authenticating: other ?? data)
        }
        var bytes = ciphertext ?? box.ciphertext
        #expect(throws: failed) {
          try bytes.withUnsafeMutableBytes {
            try cipher.openInPlace(
              $0, authenticationTag: tag ?? box.authenticationTag, nonce: nonce, authenticating: other ?? data)
          }
        }
        #expect(bytes.allSatisfy { $0 == 0 })
      }
      for ciphertext in changes(box.ciphertext) + [box.ciphertext + [0]] { try refuses(ciphertext) }
      if count > 0 { try refuses(box.ciphertext.dropLast()) }
      for tag in changes(box.authenticationTag) { try refuses(tag: tag) }
      for nonce in changes(vector) { try refuses(nonce: nonce) }
      for data in changes(data) + [data.dropLast(), data + [0], []] { try refuses(data: data) }
    }
  }

  /// With each octet changed: in its lowest bit, its highest, and all of them.
  private func changes(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.indices.flatMap { index in
      [UInt8(1), 0x80, 0xff].map { bits in
        var changed = bytes
        changed[index] ^= bits
        return changed
      }
    }
  }

  @Test(arguments: Backend.available) func `another key refuses`(backend: Backend) throws {
    let box = try cipher(key, backend).seal(testBytes(count: 100))
    for other in changes(key) {
      let stranger = try cipher(other, backend)
      #expect(throws: failed) {
        try stranger.open(ciphertext: box.ciphertext, authenticationTag: box.authenticationTag, nonce: box.nonce)
      }
    }
  }

  @Test func `spans are sealed and opened in place`() throws {
    let cipher = try ChaCha20Poly1305(key: key)
    let plaintext = testBytes(count: 100)
    let nonce = ChaCha20Poly1305.Nonce.random()
    var buffer = ContiguousArray(plaintext)
    let tag = try sealSpan(of: &buffer, cipher, nonce)
    let box = try cipher.seal(plaintext, authenticating: [1], uniqueNonce: nonce)
    #expect(Array(buffer) == box.ciphertext && Array(tag) == box.authenticationTag)
    var forged = buffer
    try openSpan(of: &buffer, cipher, Array(tag), nonce)
    #expect(Array(buffer) == plaintext)
    #expect(throws: failed) { try openSpan(of: &forged, cipher, tag.map { ~$0 }, nonce) }
    #expect(Array(forged) == [UInt8](repeating: 0, count: 100))
  }

  private func sealSpan(
    of buffer: inout ContiguousArray<UInt8>, _ cipher: ChaCha20Poly1305, _ nonce: ChaCha20Poly1305.Nonce
  ) throws -> ChaCha20Poly1305.AuthenticationTag {
    var elements = buffer.mutableSpan
    var bytes = elements.mutableBytes
    return try cipher.sealInPlace(&bytes, authenticating: [1], uniqueNonce: nonce)
  }

  private func openSpan(
    of buffer: inout ContiguousArray<UInt8>, _ cipher: ChaCha20Poly1305, _ tag: [UInt8],
    _ nonce: ChaCha20Poly1305.Nonce
  ) throws {
    var elements = buffer.mutableSpan
    var bytes = elements.mutableBytes
    try cipher.openInPlace(&bytes, authenticationTag: tag, nonce: nonce, authenticating: [1])
  }

  @Test func `other lengths of keys, nonces and tags are refused`() throws {
    for count in 0...65 where count != 32 {
      #expect(throws: CryptoError(.invalidKeyLength, "")) { try ChaCha20Poly1305(key: testBytes(count: count)) }
      #expect(throws: CryptoError(.invalidKeyLength, "")) {
        try ChaCha20Poly1305(key: SecretBytes(copying: testBytes(count: count)))
      }
    }
    for count in 0...40 where count != 12 {
      #expect(throws: CryptoError(.invalidInitializationVectorLength, "")) {
        try ChaCha20Poly1305.Nonce(testBytes(count: count))
      }
    }
    let cipher = try ChaCha20Poly1305(key: key)
    let box = try cipher.seal([1, 2])
    for count in 0...20 where count != 16 {
      let tag = (box.authenticationTag + [0, 0, 0, 0]).prefix(count)
      #expect(throws: CryptoError(.invalidTagLength, "")) {
        try cipher.open(ciphertext: box.ciphertext, authenticationTag: tag, nonce: box.nonce)
      }
      #expect(throws: CryptoError(.invalidTagLength, "")) {
        try cipher.openInPlace(
          UnsafeMutableRawBufferPointer(start: nil, count: 0), authenticationTag: tag, nonce: box.nonce)
      }
    }
  }

  @Test func `nonces and tags hold their octets, and random nonces differ`() throws {
    let bytes = testBytes(count: 12)
    let nonce = try ChaCha20Poly1305.Nonce(bytes)
    #expect(Array(nonce) == bytes && nonce.count == 12 && nonce.withUnsafeBytes { Array($0) } == bytes)
    let cipher = try ChaCha20Poly1305(key: key)
    let boxes = try (0..<100).map { _ in try cipher.seal([1, 2, 3], authenticating: [4]) }
    #expect(Set(boxes.map(\.nonce)).count == 100)
    for box in boxes {
      let opened = try cipher.open(
        ciphertext: box.ciphertext, authenticationTag: box.authenticationTag, nonce: box.nonce, authenticating: [4])
      #expect(opened == [1, 2, 3])
    }
    let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    let tag = try cipher.sealInPlace(nothing, uniqueNonce: nonce)
    let other = try cipher.sealInPlace(nothing, uniqueNonce: .random())
    #expect(tag.count == ChaCha20Poly1305.AuthenticationTag.byteCount && tag == tag && tag != other)
    for index in changes(bytes) { #expect(try ChaCha20Poly1305.Nonce(index) != nonce) }
  }

  @Test func `a key seals 2³² messages under random nonces`() throws {
    let cipher = try ChaCha20Poly1305(key: key)
    let copy = cipher
    cipher.key.setRandomUses((1 << 32) - 2)
    _ = try cipher.seal([1])
    // The count belongs to the key, not to the copy.
    let last = try copy.seal([2])
    for cipher in [cipher, copy] {
      #expect(throws: CryptoError(.usageLimitReached, "")) { try cipher.seal([3]) }
    }
    #expect(
      try cipher.open(ciphertext: last.ciphertext, authenticationTag: last.authenticationTag, nonce: last.nonce) == [2])
    #expect(throws: Never.self) { try cipher.seal([3], uniqueNonce: .random()) }
  }

  @Test func `a description shows no key`() throws {
    var dumped = ""
    dump(try ChaCha20Poly1305(key: key), to: &dumped)
    #expect(dumped == "▿ ChaCha20Poly1305(redacted)\n  - description: \"ChaCha20Poly1305(redacted)\"\n")
  }
  #if DEBUG
    @Test(arguments: Backend.available) func `key, first block and keystream are wiped`(backend: Backend) throws {
      let cipher = try cipher(key, backend)
      let bytes = testBytes(count: 12, seed: 2)
      let nonce = try ChaCha20Poly1305.Nonce(bytes)
      let reference = SlowChaChaPoly(key: key, nonce: bytes)
      let message = testBytes(count: 100)
      let box = try cipher.seal(message, authenticating: message, uniqueNonce: nonce)
      let wrong = box.authenticationTag.map { ~$0 }
      let operations: [() throws -> Void] = [
        { _ = try cipher.seal(message, authenticating: message, uniqueNonce: nonce) },
        {
          _ = try cipher.open(
            ciphertext: box.ciphertext, authenticationTag: box.authenticationTag, nonce: nonce, authenticating: message)
        },
        {
          _ = try? cipher.open(
            ciphertext: box.ciphertext, authenticationTag: wrong, nonce: nonce, authenticating: message)
        },
      ]
      for operation in operations {
        let wiped = Mutex<[[UInt8]]>([])
        let observer = SecretEvents(
          drawing: { _ in false }, wiping: { memory in wiped.withLock { $0.append(Array(memory)) } })
        try SecretEvents.$observer.withValue(observer) { try operation() }
        let wipes = wiped.withLock { $0 }
        // Keystream begins with r and s; the other room has the key, and s behind the limbs of sum and r.
        #expect(wipes.contains { $0.starts(with: reference.block(0)) && $0.count == ChaCha20.maximumBatchByteCount })
        #expect(wipes.contains { holds($0, key) && holds($0, reference.block(0)[16..<32]) })
      }
    }

    private func holds(_ bytes: [UInt8], _ part: some Collection<UInt8>) -> Bool {
      bytes.indices.contains { bytes[$0...].starts(with: part) }
    }
  #endif
}
