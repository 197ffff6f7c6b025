import JOSE
import PureCrypto
import PureJOSEBenchmarking
import StrictJSON

/// Messages in JSON serialization that make a receiver work: headers that repeat each other, and signatures and
/// recipients without a name for several keys. All at the default limits. Beside the one operation with a key that a
/// message may cost, which the name tells, each must stay below 20 ms.
enum HostileMessageWorkloads {
  private static let contentEncryption: [ContentEncryptionAlgorithm] = [.a256gcm, .a256cbcHS512]

  static func all() throws -> [Workload] {
    try headers() + recipients() + passwords() + signatures() + compressed()
  }

  private static func object(_ memberCount: Int, prefix: String) -> String {
    "{" + (0..<memberCount).map { "\"\(prefix)\($0)\":0" }.joined(separator: ",") + "}"
  }

  private static func jwe(_ protected: String, _ members: String) -> String {
    #"{"protected":"\#(Base64URL.encode(protected.utf8))",\#(members),"iv":"AAAAAAAAAAAAAAAA","ciphertext":"AA","#
      + #""tag":"AAAAAAAAAAAAAAAAAAAAAA"}"#
  }

  private static func headers() throws -> [Workload] {
    let key = try DecryptionKey(JWK.generate(KeyManagementAlgorithm.a128kw))
    let signer = try SigningKey.generate(.hs256)
    let encryption = #"{"alg":"A128KW","enc":"A256GCM"}"#
    let encryptedKey = #""encrypted_key":"\#(String(repeating: "A", count: 54))""#
    func recipients(_ memberCount: Int) -> String {
      let parts = (0..<16).map { #"{"header":\#(object(memberCount, prefix: "r\($0)-")),\#(encryptedKey)}"# }
      return #""recipients":[\#(parts.joined(separator: ","))]"#
    }
    func signatures(_ memberCount: Int) -> String {
      let protected = Base64URL.encode(#"{"alg":"HS256"}"#.utf8)
      let parts = (0..<16).map {
        #"{"header":\#(object(memberCount, prefix: "s\($0)-")),"protected":"\#(protected)","signature":"AAAA"}"#
      }
      return #"{"payload":"AAAA","signatures":[\#(parts.joined(separator: ","))]}"#
    }
    let messages: [(String, String)] = [
      ("members.1m", jwe(encryption, #""unprotected":\#(object(80_000, prefix: "name")),\#(encryptedKey)"#)),
      ("members.16k", jwe(encryption, #""unprotected":\#(object(500, prefix: "name")),\#(encryptedKey)"#)),
      ("recipients.1m", jwe(encryption, recipients(5000))), ("recipients.16k", jwe(encryption, recipients(30))),
      ("elements.1m", jwe(encryption, #""x":[\#(String(repeating: "0,", count: 500_000))0],\#(encryptedKey)"#)),
    ]
    let opened = messages.map { name, text in
      Workload("hostile.jwe-json.\(name)", byteCount: text.utf8.count) {
        try? JWE.decryptJSON(text, with: key, contentEncryption: contentEncryption)
      }
    }
    let verified = [("signatures.1m", signatures(5000)), ("signatures.16k", signatures(30))].map { name, text in
      Workload("hostile.jws-json.\(name)", byteCount: text.utf8.count) {
        try? JWS.verifyJSON(text, requiring: .key(signer.verificationKey))
      }
    }
    return opened + verified
  }

  /// A key of 2048 bits, the smallest there is.
  private static func rsaKey() throws -> JWK {
    guard let der = try RSADecryptionKey(bitCount: 2048).derRepresentation else { throw JOSEBenchError.noKey }
    let text = Base64.encode(der.unwipedOctets)
    return try JWK(pemRepresentation: "-----BEGIN PRIVATE KEY-----\n\(text)\n-----END PRIVATE KEY-----\n")
  }

  private enum JOSEBenchError: Error { case noKey }

  /// Sixteen recipients, none of them ours, and four keys.
  private static func recipients() throws -> [Workload] {
    let (ours, theirs) = try (rsaKey(), rsaKey())
    let plaintext = [UInt8](repeating: 0, count: 750_000)
    func workload(
      _ name: String, _ algorithm: KeyManagementAlgorithm, stranger: JWK, keys: [JWK]
    ) throws -> Workload {
      let recipient = JWERecipient(key: try EncryptionKey(stranger, algorithm: algorithm))
      let text = try JWE.encryptJSON(
        plaintext, to: Array(repeating: recipient, count: 16), contentEncryption: .a256cbcHS512)
      let set = JWKSet(keys)
      return Workload("hostile.jwe-json.\(name).1m", byteCount: text.utf8.count) {
        try? JWE.decryptJSON(text, with: set, keyManagement: [algorithm], contentEncryption: contentEncryption)
      }
    }
    func generated(_ algorithm: KeyManagementAlgorithm, _ curve: Curve? = nil) throws -> JWK {
      var key = try JWK.generate(algorithm, curve: curve)
      key.keyID = nil
      return key
    }
    return [
      try workload(
        "ecdh-p521", .ecdhESA128KW, stranger: generated(.ecdhESA128KW, .p521),
        keys: (0..<4).map { _ in try generated(.ecdhESA128KW, .p521) }),
      try workload(
        "ecdh-p256", .ecdhESA128KW, stranger: generated(.ecdhESA128KW),
        keys: (0..<4).map { _ in try generated(.ecdhESA128KW) }),
      try workload(
        "a128kw", .a128kw, stranger: generated(.a128kw), keys: (0..<4).map { _ in try generated(.a128kw) }),
      try workload("rsa-oaep", .rsaOAEP256, stranger: theirs, keys: Array(repeating: ours, count: 4)),
      try workload("rsa-oaep.one-key", .rsaOAEP256, stranger: theirs, keys: [ours]),
      try workload(
        "ecdh-p521.one-key", .ecdhESA128KW, stranger: generated(.ecdhESA128KW, .p521),
        keys: [generated(.ecdhESA128KW, .p521)]),
    ]
  }

  /// The iterations of sixteen recipients, at the greatest count that is accepted, and past it.
  private static func passwords() throws -> [Workload] {
    let key = try DecryptionKey(password: "password".utf8, algorithm: .pbes2HS512A256KW)
    let greatest = Limits.default.maximumPasswordIterationCount
    return [greatest, greatest + 1].map { count in
      let recipient =
        #"{"header":{"p2s":"AAAAAAAAAAA","p2c":\#(count)},"encrypted_key":"\#(String(repeating: "A", count: 54))"}"#
      let text = jwe(
        #"{"alg":"PBES2-HS512+A256KW","enc":"A256GCM"}"#,
        #""recipients":[\#(Array(repeating: recipient, count: 4).joined(separator: ","))]"#)
      return Workload("hostile.jwe-json.pbes2.\(count)", byteCount: text.utf8.count) {
        try? JWE.decryptJSON(text, with: key, contentEncryption: contentEncryption)
      }
    }
  }

  /// A mebibyte of compressed text that costs much to read, where a mebibyte of plaintext is accepted. The last ones
  /// hold just that.
  private static func compressed() throws -> [Workload] {
    let byteCount = 1 << 20
    let jwk = JWK.generate(.a256gcm)
    guard case .octets(let octets) = jwk.material else { throw JOSEBenchError.noKey }
    let (cipher, key) = (try AESGCM(key: octets), try DecryptionKey(jwk))
    var limits = Limits.default
    limits.decompressedByteCount = byteCount
    let shapes = DeflateStream.Shape.allCases.map {
      ($0.rawValue, DeflateStream.repeating($0, byteCount: byteCount).octets)
    }
    // Octets of nine bits; of fifteen, as long as a codeword may be; and copies of 258 octets in two bits.
    var literals = DeflateStream()
    literals.appendFixed([UInt8](repeating: 0xFF, count: byteCount * 8 / 9), isLast: true)
    var longest = DeflateStream()
    longest.appendDynamic(
      literalLengths: Array(1...14) + [15] + [Int](repeating: 0, count: 241) + [15], distanceLengths: [0],
      symbols: [Int](repeating: 14, count: byteCount * 8 / 15), isLast: true)
    var copies = DeflateStream()
    copies.appendDynamic(
      literalLengths: [2] + [Int](repeating: 0, count: 255) + [2] + [Int](repeating: 0, count: 28) + [1],
      distanceLengths: [1], symbols: [0] + [Int](repeating: 285, count: byteCount / 258), isLast: true)
    // As many blocks as are accepted, each with the 64 octets that it has to bring.
    var blocks = DeflateStream()
    for _ in 0..<byteCount / 64 {
      blocks.appendDynamic(
        literalLengths: [Int](repeating: 8, count: 255) + [9, 9], distanceLengths: [0],
        symbols: [Int](repeating: 0, count: 64))
    }
    blocks.appendFixed([], isLast: true)
    let streams = [("literals", literals), ("longest-codes", longest), ("copies", copies), ("blocks", blocks)]
    return try (shapes + streams.map { ($0.0, $0.1.octets) }).map { name, stream in
      let header = Base64URL.encode(#"{"alg":"dir","enc":"A256GCM","zip":"DEF"}"#.utf8)
      let sealed = try cipher.seal(stream, authenticating: Array(header.utf8))
      let parts = [[UInt8](sealed.initializationVector), sealed.ciphertext, sealed.authenticationTag]
      let token = header + ".." + parts.map { Base64URL.encode($0) }.joined(separator: ".")
      return Workload("hostile.jwe-zip.\(name).1m", byteCount: token.utf8.count) {
        try? JWE.decrypt(token, with: key, contentEncryption: contentEncryption, limits: limits)
      }
    }
  }

  /// Sixteen signatures, none of them right, and four keys.
  private static func signatures() throws -> [Workload] {
    let payload = [UInt8](repeating: 0, count: 750_000)
    return try [SignatureAlgorithm.es256, .es512, .ed25519, .hs256].map { algorithm in
      let stranger = JWSSigner(key: try .generate(algorithm))
      let text = try JWS.signJSON(payload, with: Array(repeating: stranger, count: 16))
      let keys = try (0..<4).map { _ in try SigningKey.generate(algorithm).verificationKey }
      return Workload("hostile.jws-json.\(algorithm.name.lowercased()).1m", byteCount: text.utf8.count) {
        try? JWS.verifyJSON(text, requiring: .any(of: keys))
      }
    }
  }
}
