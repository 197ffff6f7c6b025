import PureCrypto
import Testing

@Suite("Texts in place of keys") struct MistakenTextTests {
  @Test(
    "a path is told from a text by how it begins or ends",
    arguments: [
      ("/etc/key", true), ("./key", true), ("~/key", true), ("key.pem", true), ("keys/signing.p8", true),
      ("key.pem and more", false), ("", false), ("pem", false), ("-----BEGIN PUBLIC KEY-----", false),
      (String(repeating: "a", count: 1100) + ".pem", false),
    ])
  func paths(_ text: String, _ expected: Bool) {
    #expect(MistakenText.isPath(Array(text.utf8)) == expected)
  }

  @Test(
    "a text that stands for an unset variable is refused as a key",
    arguments: ["undefined", "null", "nil", "None", "[object Object]"])
  func unset(_ text: String) {
    #expect(MistakenText.isUnset(Array(text.utf8)))
    #expect(!MistakenText.isUnset(Array((text + "x").utf8)))
    #expect(MistakenText.isUnset(MistakenText.trimmed(Array("\n \(text)\r\n".utf8))))
    let error = #expect(throws: CryptoError.self) { try P256PublicKey(pemRepresentation: text + "\n") }
    #expect(error?.reason.contains("set the variable") == true)
  }
}
