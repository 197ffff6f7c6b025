import JOSE
import PureCrypto
import StrictJSON

extension FuzzTarget {
  static let jweTargets = [jweCompact, jweSealed, jweJSON, inflate, jweToken]

  private static let encodings = ContentEncryptionAlgorithm.allCases

  /// The text of a token as it came.
  private static let jweCompact = FuzzTarget(
    "jwe-compact", maximumByteCount: 768, dictionary: ["eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0", "....", ".."],
    seeds: { vectors in
      try vectors.texts("jwe.json", "pitfalls.json", member: "token").filter { $0.count <= 768 } + (try ownTokens())
    },
    run: { input in
      let keys = try TokenKeys.shared.get()
      let text = String(decoding: input, as: UTF8.self)
      _ = try? UnverifiedJWE(parsing: text)
      var isAccepted = false
      for key in keys.decryptionKeys where try decryptBothWays(text, key) { isAccepted = true }
      _ = try? JWE.decrypt(
        text, with: keys.decryptionKeySet, keyManagement: KeyManagementAlgorithm.allCases, contentEncryption: encodings,
        limits: TokenKeys.limits)
      if let prepared = try? JWE.prepareDecryption(text, contentEncryption: encodings, limits: TokenKeys.limits) {
        _ = try? prepared.finish(sharedSecret: Array(repeating: 7, count: 32))
      }
      return isAccepted
    })

  /// A header, a plaintext and an encrypted key: sealed rightly under a key that the header may or may not name.
  private static let jweSealed = FuzzTarget(
    "jwe-sealed", maximumByteCount: 512, dictionary: headerWords,
    seeds: { _ in
      [
        InputParts.joined(#"{"alg":"dir","enc":"A128GCM"}"#, "plain", ""),
        InputParts.joined(#"{"alg":"dir","enc":"A128GCM","zip":"DEF"}"#, "\u{03}\u{00}", ""),
        InputParts.joined(Array(#"{"alg":"dir","enc":"A128GCM","zip":"DEF"}"#.utf8), [0x4B, 0x04, 0x00], []),
        InputParts.joined(#"{"alg":"A128KW","enc":"A128GCM"}"#, "plain", "wrapped"),
        InputParts.joined(
          #"{"alg":"A128GCMKW","enc":"A128GCM","iv":"AAECAwQFBgcICQoL","tag":"AAAA"}"#, "plain", "wrapped"),
        InputParts.joined(
          #"{"alg":"PBES2-HS256+A128KW","enc":"A128GCM","p2s":"AAAAAAAAAAA","p2c":2}"#, "plain", "wrapped"),
      ]
    },
    run: { input in
      let parts = InputParts(input)
      let wrapped: [UInt8] =
        parts.text(2) == "wrapped"
        ? try AESKeyWrap(key: SecretBytes(copying: TokenKeys.secret.prefix(16)))
          .wrap(SecretBytes(copying: TokenKeys.secret.prefix(16))) : parts[2]
      let token = try TokenKeys.sealed(header: parts[0], plaintext: parts[1], encryptedKey: wrapped)
      var isAccepted = false
      for key in try TokenKeys.shared.get().decryptionKeys.dropFirst() where try decryptBothWays(token, key) {
        isAccepted = true
      }
      return isAccepted
    })

  /// A header and claims, sealed rightly, as a token that is encrypted and not signed.
  private static let jweToken = FuzzTarget(
    "jwe-token", maximumByteCount: 512, dictionary: headerWords + claimWords,
    seeds: { _ in
      [
        InputParts.joined(#"{"alg":"dir","enc":"A128GCM"}"#, #"{"iss":"a","exp":1700000600}"#),
        InputParts.joined(#"{"alg":"dir","enc":"A128GCM","iss":"a"}"#, #"{"iss":"a","exp":1e300}"#),
        InputParts.joined(#"{"alg":"dir","enc":"A128GCM","cty":"JWT"}"#, #"{"exp":null}"#),
      ]
    },
    run: { input in
      let parts = InputParts(input)
      let token = try TokenKeys.sealed(header: parts[0], plaintext: parts[1])
      let policy = JWTPolicy(
        issuer: .anyOf(["a"]), audience: .absent, clock: .fixed(at: NumericDate(1_700_000_000)))
      let verifier = EncryptedJWTVerifier(
        decryptionKey: try TokenKeys.shared.get().decryptionKeys[1], contentEncryption: [.a128gcm], policy: policy)
      guard let opened = try? verifier.verify(token) else { return false }
      try require(opened.claims["iss"] == .string("a"), "the issuer is the one accepted")
      try require(opened.claims["aud"] == nil, "there is no audience")
      return true
    })

  /// A JWE in JSON as it came.
  private static let jweJSON = FuzzTarget(
    "jwe-json", maximumByteCount: 1024,
    dictionary: [
      "\"protected\":", "\"unprotected\":", "\"header\":", "\"encrypted_key\":", "\"recipients\":[", "\"iv\":",
      "\"ciphertext\":",
      "\"tag\":", "\"aad\":",
    ] + headerWords,
    seeds: { vectors in
      let tokens = try vectors.texts("jwe.json", member: "token") + (try ownTokens())
      return try tokens.compactMap { flattenedJWE(String(decoding: $0, as: UTF8.self)) }.map { Array($0.utf8) }
        + general()
    },
    run: { input in
      let keys = try TokenKeys.shared.get()
      let text = String(decoding: input, as: UTF8.self)
      var isAccepted = false
      for key in keys.decryptionKeys {
        let opened = try? JWE.decryptJSON(text, with: key, contentEncryption: encodings, limits: TokenKeys.limits)
        if opened != nil { isAccepted = true }
      }
      _ = try? JWE.decryptJSON(
        text, with: keys.decryptionKeySet, keyManagement: KeyManagementAlgorithm.allCases, contentEncryption: encodings,
        limits: TokenKeys.limits)
      return isAccepted
    })

  /// DEFLATE, with a limit on the output.
  private static let inflate = FuzzTarget(
    "inflate", maximumByteCount: 256,
    seeds: { _ in
      [
        [0x03, 0x00], [0x4B, 0x04, 0x00], [0x01, 0x00, 0x00, 0xFF, 0xFF], [0x01, 0x01, 0x00, 0xFE, 0xFF, 0x61],
        // 1000 times "a", and text with a code of its own.
        [0x4B, 0x4C, 0x1C, 0x05, 0xA3, 0x60, 0x14, 0x0C, 0x77, 0x00, 0x00],
        [
          0x2B, 0xC9, 0x48, 0x55, 0x28, 0x2C, 0xCD, 0x4C, 0xCE, 0x56, 0x48, 0x2A, 0xCA, 0x2F, 0xCF, 0x53, 0x48, 0xCB,
          0xAF, 0x50, 0xC8, 0x2A, 0xCD, 0x2D, 0x28, 0x56, 0xC8, 0x2F, 0x4B, 0x2D, 0x52, 0x28, 0x01, 0x4A, 0xE7, 0x24,
          0x56, 0x55, 0x2A, 0xA4, 0xE4, 0xA7, 0xEB, 0x80, 0x79, 0x68, 0x8A, 0xAD, 0xB1, 0x09, 0x8E, 0x9A, 0x30, 0x64,
          0x4D, 0x00, 0x00,
        ],
      ]
    },
    run: { input in
      let limit = 2048
      let output = try? Inflate.decompress(input, byteLimit: limit)
      if let output {
        try require(output.count <= limit, "no more octets than the limit")
        if output.count > 0 {
          try require((try? Inflate.decompress(input, byteLimit: output.count)) == output, "exactly at the limit")
          try require((try? Inflate.decompress(input, byteLimit: output.count - 1)) == nil, "one past the limit")
        }
      }
      let count = UInt16(truncatingIfNeeded: input.count)
      let low = UInt8(truncatingIfNeeded: count)
      let high = UInt8(truncatingIfNeeded: count >> 8)
      try require(
        try Inflate.decompress([1, low, high, ~low, ~high] + input, byteLimit: limit) == input, "stored octets come out"
      )
      return output != nil
    })

  // MARK: Compact and JSON

  private static func decryptBothWays(_ token: String, _ key: DecryptionKey) throws -> Bool {
    let limits = TokenKeys.limits
    let compact = try? JWE.decrypt(token, with: key, contentEncryption: encodings, limits: limits)
    guard let json = flattenedJWE(token) else {
      try require(compact == nil, "a token has five segments of text")
      return false
    }
    let flattened = try? JWE.decryptJSON(json, with: key, contentEncryption: encodings, limits: limits)
    try require(compact?.plaintext == flattened?.plaintext, "compact and JSON form are opened alike")
    return compact != nil
  }

  private static func flattenedJWE(_ token: String) -> String? {
    let segments = Array(token.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard segments.count == 5, token.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    let texts = segments.map { String(decoding: $0, as: UTF8.self) }
    var object: JSONObject = ["protected": .string(texts[0])]
    // An empty member and an absent one mean the same to the compact form.
    for (name, text) in zip(["encrypted_key", "iv", "ciphertext", "tag"], texts.dropFirst())
    where !text.isEmpty || name == "ciphertext" {
      object[name] = .string(text)
    }
    return String(decoding: object.serialized(), as: UTF8.self)
  }

  private static func ownTokens() throws -> [[UInt8]] {
    try TokenKeys.shared.get().decryptionKeys.map {
      let contentEncryption: ContentEncryptionAlgorithm? = $0.algorithm.row.isIntegrated ? nil : .a128gcm
      return Array(try JWE.encrypt([0x61], to: $0.encryptionKey, contentEncryption: contentEncryption).utf8)
    }
  }

  private static func general() throws -> [[UInt8]] {
    let keys = try TokenKeys.shared.get().decryptionKeys
    let recipients = [keys[2], keys[3]].map { JWERecipient(key: $0.encryptionKey, unprotectedHeader: ["x": 1]) }
    return [Array(try JWE.encryptJSON([0x61], to: recipients, contentEncryption: .a128gcm).utf8)]
  }
}
