import JOSE
import StrictJSON

/// An encrypted example: its inputs, the steps between, and the token in each serialization.
struct CookbookJWE {
  let plaintext: String
  private let compact: String
  private let key: JSONObject
  private let keyManagement: KeyManagementAlgorithm
  private let contentEncryption: ContentEncryptionAlgorithm
  private let parts: [String]

  init(reading file: MemberReader) throws(VectorFault) {
    let input = try file.object("input")
    let alg = try input.implementedName("alg") { KeyManagementAlgorithm(name: $0) != nil }
    let enc = try input.implementedName("enc") { ContentEncryptionAlgorithm(name: $0) != nil }
    guard let keyManagement = KeyManagementAlgorithm(name: alg) else { throw .notImplemented(alg) }
    guard let contentEncryption = ContentEncryptionAlgorithm(name: enc) else { throw .notImplemented(enc) }
    self.keyManagement = keyManagement
    self.contentEncryption = contentEncryption
    if let compression = try input.string(ifPresent: "zip") { throw .notImplemented("zip \(compression)") }
    plaintext = try input.string("plaintext")
    key = try input.jsonObject("key")
    let generated = try file.object("generated")
    let content = try file.object("encrypting_content")
    let output = try file.object("output")
    guard output.has("compact") else { throw .notImplemented("JSON serialization (general)") }
    compact = try output.string("compact")
    parts = [
      try content.encodedHeader(), "", try generated.string("iv"), try content.string("ciphertext"),
      try content.string("tag"),
    ]
    for serialization in try output.otherSerializations() {
      for (name, value) in zip(["protected", "iv", "ciphertext", "tag"], [parts[0], parts[2], parts[3], parts[4]]) {
        try serialization.requireString(name, value)
      }
    }
  }

  func judge() -> Verdict {
    verdict { () throws(JOSEError) in
      guard compact == parts.joined(separator: ".") else { return .wrong("the parts are not those of the token") }
      let key = try DecryptionKey(JWK(key), algorithm: keyManagement)
      let decrypted = try JWE.decrypt(compact, with: key, contentEncryption: [contentEncryption])
      return .accepted(if: decrypted.plaintext.elementsEqual(plaintext.utf8), otherwise: "the plaintext differs")
    }
  }
}
