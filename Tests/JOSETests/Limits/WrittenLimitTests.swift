import JOSE
import PureJOSETestSupport
import StrictJSON
import Testing

/// What is written is read back by the default limits; what they refuse to read is not written.
@Suite("Limits of what is written")
struct WrittenLimitTests {
  /// A way to write a message with some header or several participants, and to read it back.
  struct Road: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let write: @Sendable (_ header: HeaderParameters, _ keyID: String?, _ count: Int) throws -> String
    let read: @Sendable (_ text: String) throws -> Void

    var hasParticipants: Bool { testDescription.hasSuffix("JSON") }
  }

  private static func signer(_ keyID: String? = nil) throws -> SigningKey {
    try SigningKey(secret: [UInt8](repeating: 7, count: 32), algorithm: .hs256, keyID: keyID)
  }

  private static func opening(_ keyID: String? = nil) throws -> DecryptionKey {
    var jwk = JWK(.octets(.init(copying: [UInt8](repeating: 9, count: 16))), keyID: keyID)
    jwk.algorithm = "A128KW"
    return try DecryptionKey(jwk)
  }

  private static let understood = (0..<20).map { "c\($0)" }

  static let roads: [Road] = [
    Road(testDescription: "JWS.sign") { header, keyID, _ in
      try JWS.sign([1], with: signer(keyID), header: header)
    } read: {
      _ = try JWS.verify($0, with: signer().verificationKey, understanding: understood)
    },
    Road(testDescription: "JWS.signDetached") { header, keyID, _ in
      try JWS.signDetached([1], with: signer(keyID), header: header)
    } read: {
      _ = try JWS.verifyDetached($0, payload: [1], with: signer().verificationKey, understanding: understood)
    },
    Road(testDescription: "JWT.sign") { header, keyID, _ in
      try JWT.sign([:] as JSONObject, with: signer(keyID), header: header)
    } read: {
      var policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, requiredClaims: [])
      policy.understoodCriticalParameters = understood
      _ = try JWTVerifier(key: signer().verificationKey, policy: policy).verify($0)
    },
    Road(testDescription: "JWS.signJSON") { header, keyID, count in
      try JWS.signJSON([1], with: Array(repeating: JWSSigner(key: signer(keyID), header: header), count: count))
    } read: {
      _ = try JWS.verifyJSON($0, requiring: .key(signer().verificationKey), understanding: understood)
    },
    Road(testDescription: "JWE.encrypt") { header, keyID, _ in
      try JWE.encrypt([1], to: opening(keyID).encryptionKey, contentEncryption: .a128gcm, header: header)
    } read: {
      _ = try JWE.decrypt($0, with: opening(), contentEncryption: [.a128gcm], understanding: understood)
    },
    Road(testDescription: "JWE.encryptJSON") { header, keyID, count in
      let recipient = JWERecipient(key: try opening(keyID).encryptionKey)
      return try JWE.encryptJSON(
        [1], to: Array(repeating: recipient, count: count), contentEncryption: .a128gcm, header: header)
    } read: {
      _ = try JWE.decryptJSON($0, with: opening(), contentEncryption: [.a128gcm], understanding: understood)
    },
  ]

  private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  private func nested(_ depth: Int) -> JSONValue { (1..<depth).reduce([]) { value, _ in [value] } }

  private func check(
    _ road: Road, _ name: String, _ header: HeaderParameters = HeaderParameters(), keyID: String? = nil,
    count: Int = 1, isReadable: Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    guard isReadable else {
      let error = #expect(throws: JOSEError.self, sourceLocation: sourceLocation) {
        try road.write(header, keyID, count)
      }
      #expect(
        error?.code == .limitExceeded && error?.fault == .callerMisuse && error?.name == name,
        "\(error.map { "\($0)" } ?? "")", sourceLocation: sourceLocation)
      return
    }
    let message = try road.write(header, keyID, count)
    #expect(throws: Never.self, sourceLocation: sourceLocation) { try road.read(message) }
  }

  @Test("names of keys, by the key and by the header", arguments: roads)
  func keyIDs(_ road: Road) throws {
    for (count, isReadable) in [(1024, true), (1025, false), (3000, false)] {
      try check(road, "keyIDByteCount", keyID: text(count), isReadable: isReadable)
      try check(road, "keyIDByteCount", HeaderParameters(keyID: text(count)), isReadable: isReadable)
    }
  }

  @Test("octets of a header", arguments: roads)
  func octets(_ road: Road) throws {
    for type in [(32_000, true), (32 * 1024, false)] {
      try check(road, "headerByteCount", HeaderParameters(contentType: text(type.0)), isReadable: type.1)
    }
  }

  @Test("depth and members of a header, critical parameters and certificates", arguments: roads)
  func structure(_ road: Road) throws {
    try check(road, "headerDepth", HeaderParameters(additional: ["x": nested(7)]), isReadable: true)
    try check(road, "headerDepth", HeaderParameters(additional: ["x": nested(8)]), isReadable: false)
    try check(
      road, "headerByteCount", HeaderParameters(additional: ["x": .string(text(33_000))]), isReadable: false)
    let many = JSONObject((0..<600).map { ("m\($0)", 1 as JSONValue) })
    #expect(throws: JOSEError.self) { try road.write(HeaderParameters(additional: many), nil, 1) }
    for (count, isReadable) in [(16, true), (17, false)] {
      let names = Array(Self.understood.prefix(count))
      let header = HeaderParameters(additional: JSONObject(names.map { ($0, 1 as JSONValue) }), critical: names)
      try check(road, "criticalCount", header, isReadable: isReadable)
    }
    for (count, isReadable) in [(10, true), (11, false)] {
      let header = HeaderParameters(certificates: Array(repeating: [0x30, 0], count: count))
      try check(road, "certificateCount", header, isReadable: isReadable)
    }
  }

  @Test("signatures and recipients of one message", arguments: roads.filter(\.hasParticipants))
  func participants(_ road: Road) throws {
    let name = road.testDescription == "JWS.signJSON" ? "signatureCount" : "recipientCount"
    try check(road, name, count: 16, isReadable: true)
    try check(road, name, count: 17, isReadable: false)
    // Together they may have no more than one message has. Each signer has the parameter, recipients share it.
    let header = HeaderParameters(contentType: text(name == "signatureCount" ? 1024 : 16_500))
    try check(road, "headerByteCount", header, keyID: text(1024), count: 15, isReadable: true)
    try check(road, "headerByteCount", header, keyID: text(1024), count: 16, isReadable: false)
  }

  @Test("unprotected names of keys")
  func unprotected() throws {
    for (count, isReadable) in [(1024, true), (1025, false)] {
      let header: JSONObject = ["kid": .string(text(count))]
      let expected = isReadable ? "accepted" : "limitExceeded(keyIDByteCount)"
      #expect(
        refusal { _ = try JWS.signJSON([1], with: [JWSSigner(key: Self.signer(), unprotectedHeader: header)]) }
          == expected)
      let key = try Self.opening().encryptionKey
      #expect(
        refusal { _ = try JWE.encryptJSON([1], to: [JWERecipient(key: key, unprotectedHeader: header)]) } == expected)
      #expect(
        refusal { _ = try JWE.encryptJSON([1], to: [JWERecipient(key: key)], unprotectedHeader: header) } == expected)
    }
  }

  @Test("what stands in an unprotected header: depth, octets, and the type of a key's name")
  func unprotectedStructure() throws {
    for (header, expected) in [
      (["x": nested(7)], "accepted"), (["x": nested(8)], "limitExceeded(headerDepth)"),
      (["x": .string(text(33_000))], "limitExceeded(headerByteCount)"), (["kid": 5], "callerMisuse(kid)"),
    ] as [(JSONObject, String)] {
      let signer = JWSSigner(key: try Self.signer(), unprotectedHeader: header)
      #expect(refusal { _ = try JWS.signJSON([1], with: [signer]) } == expected)
      let recipient = JWERecipient(key: try Self.opening().encryptionKey, unprotectedHeader: header)
      #expect(refusal { _ = try JWE.encryptJSON([1], to: [recipient]) } == expected)
    }
  }

  @Test("iterations of a password: what the limits of the receiver open, if they are raised as well")
  func iterations() throws {
    var limits = Limits()
    limits.maximumPasswordIterationCount = 1500
    for (count, expected) in [(1500, "accepted"), (1501, "callerMisuse(p2c)"), (999, "callerMisuse(p2c)")] {
      #expect(
        refusal {
          _ = try EncryptionKey(
            password: [1], algorithm: .pbes2HS256A128KW, iterationCount: count, limits: limits)
        } == expected)
    }
    limits.maximumPasswordIterationCount = 1_200_000
    #expect(
      refusal {
        _ = try EncryptionKey(
          password: [1], algorithm: .pbes2HS256A128KW, iterationCount: 1_200_000, limits: limits)
      } == "accepted")
  }
}
