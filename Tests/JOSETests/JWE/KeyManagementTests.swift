import JOSE
import PureCrypto
import StrictJSON
import Testing

@Suite("JWE key management")
struct KeyManagementTests {
  static let plaintext = Array("The true sign of intelligence is not knowledge but imagination.".utf8)

  /// A key for each algorithm but `dir`; that of PBES2 is a password, kept short of the default iterations.
  static func keys(_ algorithm: KeyManagementAlgorithm) throws -> (EncryptionKey, DecryptionKey) {
    if algorithm.usesPassword {
      return (
        try EncryptionKey(password: "entrap".utf8, algorithm: algorithm, iterationCount: 1000),
        try DecryptionKey(password: "entrap".utf8, algorithm: algorithm)
      )
    }
    let jwk = try JWK.generate(algorithm)
    return (try EncryptionKey(jwk), try DecryptionKey(jwk))
  }

  static let wrapping = KeyManagementAlgorithm.allCases.filter { $0.row.wrapping != nil }

  @Test(
    "each key management algorithm works with each content encryption algorithm", arguments: wrapping,
    ContentEncryptionAlgorithm.allCases)
  func pairs(algorithm: KeyManagementAlgorithm, contentEncryption: ContentEncryptionAlgorithm) throws {
    let (encryptionKey, decryptionKey) = try Self.keys(algorithm)
    let token = try JWE.encrypt(Self.plaintext, to: encryptionKey, contentEncryption: contentEncryption)
    let opened = try JWE.decrypt(token, with: decryptionKey, contentEncryption: [contentEncryption])
    #expect(opened.plaintext == Self.plaintext)
    #expect(opened.header.algorithm == algorithm.name)
    #expect(opened.header["enc"]?.stringValue == contentEncryption.name)
    for other in ContentEncryptionAlgorithm.allCases where other != contentEncryption {
      #expect(
        refusal { _ = try JWE.decrypt(token, with: decryptionKey, contentEncryption: [other]) }
          == "algorithmNotAllowed(enc)")
    }
  }

  @Test("dir takes keys of each content encryption algorithm", arguments: ContentEncryptionAlgorithm.allCases)
  func direct(contentEncryption: ContentEncryptionAlgorithm) throws {
    let jwk = JWK.generate(contentEncryption)
    let token = try JWE.encrypt(Self.plaintext, to: EncryptionKey(jwk))
    let opened = try JWE.decrypt(token, with: DecryptionKey(jwk), contentEncryption: [contentEncryption])
    #expect(opened.plaintext == Self.plaintext)
  }

  @Test("a key whose alg names one of two fitting algorithms serves that one only")
  func boundDirectKey() throws {
    let jwk = JWK.generate(.a128cbcHS256)
    #expect(
      refusal { _ = try JWE.encrypt([1], to: EncryptionKey(jwk), contentEncryption: .a256gcm) } == "keyMismatch(enc)")
    var unnamed = jwk
    unnamed.algorithm = nil
    let token = try JWE.encrypt([1], to: EncryptionKey(unnamed, algorithm: .dir), contentEncryption: .a256gcm)
    #expect(
      refusal { _ = try JWE.decrypt(token, with: DecryptionKey(jwk), contentEncryption: [.a256gcm]) }
        == "keyMismatch(enc)")
  }

  @Test("whatever is damaged after the header, the error is the same", arguments: wrapping)
  func tampering(algorithm: KeyManagementAlgorithm) throws {
    let (encryptionKey, decryptionKey) = try Self.keys(algorithm)
    for contentEncryption in [ContentEncryptionAlgorithm.a256gcm, .a128cbcHS256] {
      let token = try JWE.encrypt(Self.plaintext, to: encryptionKey, contentEncryption: contentEncryption)
      let segments = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      for segment in 1...4 {
        var octets = try Base64URL.decode(segments[segment])
        octets[octets.count / 2] ^= 1
        var damaged = segments
        damaged[segment] = Base64URL.encode(octets)
        let failure = #expect(throws: JOSEError.self) {
          try JWE.decrypt(
            damaged.joined(separator: "."), with: decryptionKey, contentEncryption: [contentEncryption])
        }
        #expect(
          failure?.description
            == "decryptionFailed: the message could not be opened: it is for another key or password, or was changed")
      }
    }
  }

  @Test(
    "an encrypted key of any other length fails at the tag", arguments: wrapping, [1, 7, 8, 15, 16, 23, 25, 40, 72])
  func encryptedKeyLengths(algorithm: KeyManagementAlgorithm, byteCount: Int) throws {
    let (encryptionKey, decryptionKey) = try Self.keys(algorithm)
    let token = try JWE.encrypt(Self.plaintext, to: encryptionKey, contentEncryption: .a256gcm)
    var segments = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    segments[1] = Base64URL.encode([UInt8](repeating: 7, count: byteCount))
    let damaged = segments.joined(separator: ".")
    #expect(
      refusal { _ = try JWE.decrypt(damaged, with: decryptionKey, contentEncryption: [.a256gcm]) } == "decryptionFailed"
    )
    segments[1] = ""
    let empty = segments.joined(separator: ".")
    #expect(refusal { _ = try JWE.decrypt(empty, with: decryptionKey, contentEncryption: [.a256gcm]) } == "malformed")
  }

  @Test("keys of another length are refused", arguments: wrapping.filter { $0.row.wrapping != nil && !$0.usesPassword })
  func keyLengths(algorithm: KeyManagementAlgorithm) throws {
    for count in [8, 15, 16, 17, 24, 32, 64] where count != algorithm.row.wrappingKeyByteCount {
      let jwk = JWK(.octets(.random(count: count)))
      #expect(refusal { _ = try EncryptionKey(jwk, algorithm: algorithm) } == "keyInvalid(k)")
      #expect(refusal { _ = try DecryptionKey(jwk, algorithm: algorithm) } == "keyInvalid(k)")
    }
  }

  @Test("a wrapping key must have the matching key_ops and use")
  func operations() throws {
    var jwk = try JWK.generate(.a128kw)
    jwk.keyOperations = ["wrapKey"]
    _ = try EncryptionKey(jwk)
    #expect(refusal { _ = try DecryptionKey(jwk) } == "keyMismatch(key_ops)")
    jwk.keyOperations = ["unwrapKey"]
    _ = try DecryptionKey(jwk)
    #expect(refusal { _ = try EncryptionKey(jwk) } == "keyMismatch(key_ops)")
    jwk.keyOperations = nil
    jwk.use = "sig"
    #expect(refusal { _ = try EncryptionKey(jwk) } == "keyMismatch(use)")
  }

  @Test(
    "each way of encrypting a key has its operations, and no others",
    arguments: [
      (.a128kw, [["wrapKey"], ["unwrapKey"]], [["encrypt"], ["decrypt"], ["deriveKey"], ["sign"], []]),
      (.a128gcmKW, [["wrapKey"], ["encrypt"], ["unwrapKey"], ["decrypt"]], [["deriveKey"], ["deriveBits"], []]),
      (.pbes2HS256A128KW, [["deriveKey"], ["deriveBits"]], [["wrapKey"], ["unwrapKey"], ["encrypt"], []]),
    ] as [(KeyManagementAlgorithm, [[String]], [[String]])])
  func operationsOfEach(_ algorithm: KeyManagementAlgorithm, _ fitting: [[String]], _ others: [[String]]) throws {
    var jwk = JWK(.octets(SecretBytes(copying: [UInt8](repeating: 7, count: 16))))
    func isAccepted() -> Bool {
      (try? EncryptionKey(jwk, algorithm: algorithm)) != nil || (try? DecryptionKey(jwk, algorithm: algorithm)) != nil
    }
    for operations in fitting {
      jwk.keyOperations = operations
      #expect(isAccepted(), "\(operations)")
    }
    for operations in others {
      jwk.keyOperations = operations
      #expect(!isAccepted(), "\(operations)")
    }
  }

  @Test("a password must be enabled by name")
  func passwordByName() throws {
    let jwk = JWK(.octets(SecretBytes(copying: "entrap".utf8)), algorithm: "PBES2-HS256+A128KW")
    #expect(refusal { _ = try DecryptionKey(jwk) } == "keyMismatch(alg)")
    #expect(refusal { _ = try EncryptionKey(jwk) } == "keyMismatch(alg)")
    _ = try DecryptionKey(jwk, algorithm: .pbes2HS256A128KW)
    #expect(refusal { _ = try DecryptionKey(password: "x".utf8, algorithm: .a128kw) } == "callerMisuse(alg)")
    #expect(refusal { _ = try DecryptionKey(password: [], algorithm: .pbes2HS256A128KW) } == "keyInvalid(k)")
    #expect(
      refusal { _ = try EncryptionKey(password: "x".utf8, algorithm: .pbes2HS256A128KW, iterationCount: 999) }
        == "callerMisuse(p2c)")
    #expect(
      refusal { _ = try EncryptionKey(password: "x".utf8, algorithm: .pbes2HS256A128KW, iterationCount: 600_001) }
        == "callerMisuse(p2c)")
    #expect(Limits.default.maximumPasswordIterationCount == 600_000)
    for count in [1000, 600_000] {
      _ = try EncryptionKey(password: "x".utf8, algorithm: .pbes2HS256A128KW, iterationCount: count)
    }
  }

  @Test(
    "a p2c that is malformed or out of range is refused",
    arguments: [
      ("0", "headerInvalid(p2c)"), ("-1", "headerInvalid(p2c)"), ("1.5", "headerInvalid(p2c)"),
      ("\"2000\"", "headerInvalid(p2c)"), ("true", "headerInvalid(p2c)"), ("1e30", "headerInvalid(p2c)"),
      ("999", "limitExceeded(p2c)"), ("600001", "limitExceeded(p2c)"), ("2147483648", "limitExceeded(p2c)"),
      ("4294967296", "limitExceeded(p2c)"), ("1e9", "limitExceeded(p2c)"), ("1000.0", "decryptionFailed"),
      ("1000", "decryptionFailed"),
    ])
  func iterationCounts(text: String, expected: String) throws {
    let header = #"{"alg":"PBES2-HS256+A128KW","enc":"A128GCM","p2s":"AAAAAAAAAAA","p2c":\#(text)}"#
    #expect(try refusalOfPassword(header) == expected)
  }

  @Test("whatever count a password is given, the defaults open what it encrypts: 600 000 of OWASP, and the greatest")
  func defaultIterationCount() throws {
    let greatest = Limits.default.maximumPasswordIterationCount
    for (count, written) in [(nil, 8192), (600_000, 600_000), (greatest, greatest)] as [(Int?, Int)] {
      for algorithm in [KeyManagementAlgorithm.pbes2HS256A128KW, .pbes2HS512A256KW] {
        let key = try EncryptionKey(password: "entrap".utf8, algorithm: algorithm, iterationCount: count)
        let token = try JWE.encrypt([1], to: key, contentEncryption: .a128gcm)
        #expect(try UnverifiedJWE(parsing: token).unverifiedHeader["p2c"] == .number(JSONNumber(written)))
        let opening = try DecryptionKey(password: "entrap".utf8, algorithm: algorithm)
        #expect(try JWE.decrypt(token, with: opening, contentEncryption: [.a128gcm]).plaintext == [1])
      }
    }
  }

  @Test("p2s must be there and have eight octets")
  func saltInput() throws {
    for salt in [#""p2s":"AAAAAAAAAA","#, #""p2s":5,"#, #""p2s":"$","#, ""] {
      let header = #"{"alg":"PBES2-HS256+A128KW",\#(salt)"enc":"A128GCM","p2c":1000}"#
      #expect(try refusalOfPassword(header) == "headerInvalid(p2s)")
    }
  }

  private func refusalOfPassword(_ header: String) throws -> String {
    let key = try DecryptionKey(password: "entrap".utf8, algorithm: .pbes2HS256A128KW)
    let token = [
      Base64URL.encode(header.utf8), Base64URL.encode([UInt8](repeating: 1, count: 24)),
      Base64URL.encode([UInt8](repeating: 1, count: 12)), "AQ", Base64URL.encode([UInt8](repeating: 1, count: 16)),
    ].joined(separator: ".")
    return refusal { _ = try JWE.decrypt(token, with: key, contentEncryption: [.a128gcm]) }
  }

  @Test("iv and tag of AES-GCM key wrapping must be there, with their lengths")
  func wrappingParameters() throws {
    let jwk = try JWK.generate(.a128gcmKW)
    for (parameters, name) in [
      (#""tag":"AAAAAAAAAAAAAAAAAAAAAA""#, "iv"), (#""iv":"AAAAAAAAAAAAAAAA""#, "tag"),
      (#""iv":"AAAA","tag":"AAAAAAAAAAAAAAAAAAAAAA""#, "iv"), (#""iv":"AAAAAAAAAAAAAAAA","tag":"AAAA""#, "tag"),
    ] {
      let header = #"{"alg":"A128GCMKW","enc":"A128GCM",\#(parameters)}"#
      let token = [
        Base64URL.encode(header.utf8), Base64URL.encode([UInt8](repeating: 1, count: 16)),
        Base64URL.encode([UInt8](repeating: 1, count: 12)), "AQ", Base64URL.encode([UInt8](repeating: 1, count: 16)),
      ].joined(separator: ".")
      #expect(
        refusal { _ = try JWE.decrypt(token, with: DecryptionKey(jwk), contentEncryption: [.a128gcm]) }
          == "headerInvalid(\(name))")
    }
  }
}
