import JOSE
import StrictJSON

/// An encrypted example: its inputs, the steps between, and the token in each serialization.
struct CookbookJWE {
  let plaintext: String
  private let compact: String
  private let key: CookbookKey
  private let keyManagement: KeyManagementAlgorithm
  private let contentEncryption: ContentEncryptionAlgorithm
  private let parts: [String]
  private let jsonTexts: [JSONObject]

  init(reading file: MemberReader) throws(VectorFault) {
    let input = try file.object("input")
    let alg = try input.implementedName("alg") { KeyManagementAlgorithm(name: $0) != nil }
    let enc = try input.implementedName("enc") { ContentEncryptionAlgorithm(name: $0) != nil }
    guard let keyManagement = KeyManagementAlgorithm(name: alg) else { throw .notImplemented(alg) }
    guard let contentEncryption = ContentEncryptionAlgorithm(name: enc) else { throw .notImplemented(enc) }
    self.keyManagement = keyManagement
    self.contentEncryption = contentEncryption
    _ = try input.string(ifPresent: "zip")
    plaintext = try input.string("plaintext")
    key = try CookbookKey(reading: input)
    let generated = try file.object("generated")
    for name in ["cek", "plaintext_c"] { _ = try generated.base64URL(ifPresent: name) }
    let content = try file.object("encrypting_content")
    let output = try file.object("output")
    jsonTexts = try output.jsonSerializations()
    compact = try output.string("compact")
    parts = [
      try content.encodedHeader(), try file.encryptedKey(), try generated.string("iv"),
      try content.string("ciphertext"),
      try content.string("tag"),
    ]
    for serialization in try output.otherSerializations() {
      if !parts[1].isEmpty { try serialization.requireEncryptedKey(parts[1]) }
      for (name, value) in zip(["protected", "iv", "ciphertext", "tag"], [parts[0], parts[2], parts[3], parts[4]]) {
        try serialization.requireString(name, value)
      }
    }
  }

  func judge() throws -> Verdict {
    guard compact == parts.joined(separator: ".") else { return .wrong("the parts are not those of the token") }
    let key = try key.bound(to: keyManagement)
    var limits = Limits.default
    limits.decompressedByteCount = plaintext.utf8.count
    let decrypted = try JWE.decrypt(compact, with: key, contentEncryption: [contentEncryption], limits: limits)
    for text in jsonTexts {
      let other = try JWE.decryptJSON(
        String(decoding: text.serialized(), as: UTF8.self), with: key, contentEncryption: [contentEncryption],
        limits: limits)
      guard other.plaintext == decrypted.plaintext else { return .wrong("the plaintext differs in JSON") }
    }
    return .accepted(if: decrypted.plaintext.elementsEqual(plaintext.utf8), otherwise: "the plaintext differs")
  }
}

/// What an example is encrypted with: a JWK, or a password.
enum CookbookKey {
  case key(JSONObject)
  case password(String)

  init(reading input: MemberReader) throws(VectorFault) {
    if let password = try input.string(ifPresent: "pwd") {
      self = .password(password)
    } else {
      let key = try input.jsonObject("key")
      self = .key(key)
    }
  }

  func bound(to algorithm: KeyManagementAlgorithm) throws(JOSEError) -> DecryptionKey {
    switch self {
    case .key(let key): try DecryptionKey(JWK(key), algorithm: algorithm)
    case .password(let password): try DecryptionKey(password: password.utf8, algorithm: algorithm)
    }
  }
}

extension MemberReader {
  /// The encrypted key of an example, empty with direct algorithms. The other steps of its making show in the token.
  fileprivate func encryptedKey() throws(VectorFault) -> String {
    guard let steps = try object(ifPresent: "encrypting_key") else { return "" }
    for name in steps.names { _ = steps.value(ifPresent: name) }
    return try steps.string(ifPresent: "encrypted_key") ?? ""
  }

  /// The encrypted key in flattened serialization, or of the only recipient in general serialization.
  fileprivate func requireEncryptedKey(_ encryptedKey: String) throws(VectorFault) {
    guard has("recipients") else { return try requireString("encrypted_key", encryptedKey) }
    let recipients = try objects("recipients")
    guard recipients.count == 1 else { throw .malformed("there are several recipients") }
    try recipients[0].requireString("encrypted_key", encryptedKey)
    if let name = recipients[0].unread.first { throw .malformed("unread field recipients.\(name)") }
  }
}
