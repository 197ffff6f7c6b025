import JOSE
import StrictJSON

/// A signed example that has no compact token of its own: several signatures, unprotected headers, or a detached
/// payload.
struct CookbookJSONJWS {
  private let payload: [UInt8]
  private let keys: [(key: JSONObject, algorithm: SignatureAlgorithm)]
  private let detachedToken: String?
  private let texts: [JSONObject]

  init(reading file: MemberReader) throws(VectorFault) {
    let input = try file.object("input")
    payload = Array(try input.string("payload").utf8)
    var keys: [(key: JSONObject, algorithm: SignatureAlgorithm)] = []
    for (key, name) in try input.keysWithAlgorithms() {
      guard let algorithm = SignatureAlgorithm(name: name) else { throw .notImplemented(name) }
      keys.append((key, algorithm))
    }
    self.keys = keys
    // The steps show in the signatures, which are verified.
    _ = try file.value("signing")
    let output = try file.object("output")
    detachedToken = try output.string(ifPresent: "compact")
    texts = try output.jsonSerializations()
  }

  func judge() throws -> Verdict {
    var verificationKeys: [VerificationKey] = []
    for (key, algorithm) in keys {
      verificationKeys.append(try VerificationKey(JWK(key), algorithm: algorithm))
    }
    for text in texts {
      let verified = try JWS.verifyJSON(
        String(decoding: text.serialized(), as: UTF8.self), requiring: .all(of: verificationKeys),
        detachedPayload: text["payload"] == nil ? payload : nil, acceptsUnprotectedAlgorithm: true)
      guard verified.payload == payload else { return .wrong("the payload differs") }
    }
    if let detachedToken {
      _ = try JWS.verifyDetached(detachedToken, payload: payload, with: verificationKeys[0])
    }
    return .accepted(if: !texts.isEmpty, otherwise: "there is no serialization to verify")
  }
}

/// An encrypted example that has no compact token: several recipients, unprotected headers, or further authenticated
/// data.
struct CookbookJSONJWE {
  private let plaintext: [UInt8]
  private let keys: [(key: JSONObject, algorithm: KeyManagementAlgorithm)]
  private let texts: [JSONObject]

  init(reading file: MemberReader) throws(VectorFault) {
    let input = try file.object("input")
    plaintext = Array(try input.string("plaintext").utf8)
    // Beside others one example calls its algorithm by a wrong name; the messages say the right one.
    _ = try input.string("enc")
    _ = try input.string(ifPresent: "aad")
    var keys: [(key: JSONObject, algorithm: KeyManagementAlgorithm)] = []
    // RSA1_5 is left out on purpose: its recipient stays closed, the others open.
    for (key, name) in try input.keysWithAlgorithms() where name != "RSA1_5" {
      guard let algorithm = KeyManagementAlgorithm(name: name) else { throw .notImplemented(name) }
      keys.append((key, algorithm))
    }
    self.keys = keys
    // The steps show in the messages, which are opened.
    for name in ["generated", "encrypting_key", "encrypting_content"] { _ = file.value(ifPresent: name) }
    texts = try file.object("output").jsonSerializations()
  }

  func judge() throws -> Verdict {
    for text in texts {
      for (key, algorithm) in keys {
        let opened = try JWE.decryptJSON(
          String(decoding: text.serialized(), as: UTF8.self), with: DecryptionKey(JWK(key), algorithm: algorithm),
          contentEncryption: ContentEncryptionAlgorithm.allCases, acceptsUnprotectedEncryption: true)
        guard opened.plaintext == plaintext else { return .wrong("the plaintext differs") }
      }
    }
    return .accepted(if: !texts.isEmpty && !keys.isEmpty, otherwise: "there is nothing to open")
  }
}

extension MemberReader {
  /// The keys of an example, each with its algorithm: one of each, or as many of both.
  fileprivate func keysWithAlgorithms() throws(VectorFault) -> [(JSONObject, String)] {
    guard let algorithms = try value("alg").arrayValue else { return [(try jsonObject("key"), try string("alg"))] }
    let names = algorithms.compactMap(\.stringValue)
    let keys = try value("key").arrayValue?.compactMap(\.objectValue) ?? []
    guard names.count == keys.count, !names.isEmpty else { throw .malformed("keys and algorithms are not as many") }
    return Array(zip(keys, names))
  }

  /// The message in each JSON serialization that the example has.
  func jsonSerializations() throws(VectorFault) -> [JSONObject] {
    var texts: [JSONObject] = []
    for name in ["json", "json_flat"] {
      if let text = try jsonObject(ifPresent: name) { texts.append(text) }
    }
    return texts
  }
}
