import JOSE
import NativeSSOKit
import StrictJSON
import Testing

@Suite("ds_hash, at_hash and proof keys")
struct HashTests {
  static let vectors: [(secret: String, left: String, full: String, hex: String)] = [
    (
      "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "6oZqdX5MOLq_qBJ8vppAnQ",
      "6oZqdX5MOLq_qBJ8vppAnT4fk6AP8UiP9zX8-Rev_9A", "ea866a757e4c38babfa8127cbe9a409d3e1f93a00ff1488ff735fcf917afffd0"
    ),
    (
      "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8", "zwkx4Wi0nph1A8rxivb-JQ",
      "zwkx4Wi0nph1A8rxivb-JTtrPYKoEAjD6OHuZ8fI3FU", "cf0931e168b49e987503caf18af6fe253b6b3d82a81008c3e8e1ee67c7c8dc55"
    ),
    (
      "ds_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "mAUb0J_Uix872Y0U-Ce1tA",
      "mAUb0J_Uix872Y0U-Ce1tGaEDVmn5jMU9Z-H492PKZw", "98051bd09fd48b1f3bd98d14f827b5b466840d59a7e63314f59f87e3dd8f299c"
    ),
    (
      "test-device-secret-12345", "l9T3TF43wYy2O6m7D13CiA", "l9T3TF43wYy2O6m7D13CiHBY8xn7T0_lJzoIamaTivE",
      "97d4f74c5e37c18cb63ba9bb0f5dc2887058f319fb4f4fe5273a086a66938af1"
    ),
    (
      "my-ds", "sInZSacYnFDucWprDjfkXw", "sInZSacYnFDucWprDjfkXxCQf_fXhlT65d7nKEX7768",
      "b089d949a7189c50ee716a6b0e37e45f10907ff7d78654fae5dee72845fbefaf"
    ),
  ]

  @Test("P01 every recipe over every vector", arguments: 0..<5)
  func p01(index: Int) throws {
    let vector = Self.vectors[index]
    let secret = try DeviceSecret(vector.secret)
    #expect(DSHashRecipe.leftHalfSHA256.value(of: secret, signatureAlgorithm: "ES256") == vector.left)
    #expect(DSHashRecipe.fullSHA256Base64URL.value(of: secret, signatureAlgorithm: "ES256") == vector.full)
    #expect(DSHashRecipe.fullSHA256Hex.value(of: secret, signatureAlgorithm: "ES256") == vector.hex)
    #expect(secret.fingerprint.hexadecimal == vector.hex)
    let finding = DSHashFinding(vector.left, secret: secret, signatureAlgorithm: "ES256", configured: nil)
    #expect(finding == .verified(.leftHalfSHA256))
  }

  @Test("P02 left halves of SHA-384 and SHA-512")
  func p02() throws {
    let secret = try DeviceSecret(Self.vectors[0].secret)
    let recipe = DSHashRecipe.leftHalfByAlgorithm
    #expect(recipe.value(of: secret, signatureAlgorithm: "ES384") == "lCjME2g-E7_amAbmXnJ04QORwByflt-t")
    #expect(recipe.value(of: secret, signatureAlgorithm: "RS512") == "47ZRhq8wYqfTsnUMXr-_xR7l09FQzNakO0J9f0AnlIk")
    for name in ["EdDSA", "Ed25519"] {
      #expect(recipe.value(of: secret, signatureAlgorithm: name)?.utf8.count == 43)
    }
    #expect(
      recipe.value(of: secret, signatureAlgorithm: "ES256K") == recipe.value(of: secret, signatureAlgorithm: "ES256"))
    #expect(recipe.value(of: secret, signatureAlgorithm: "Ed448") == nil)
    #expect(recipe.value(of: secret, signatureAlgorithm: "XX256") == nil)
  }

  @Test("P03 at_hash and c_hash of OpenID Connect Core, appendix A")
  func p03() {
    #expect(
      SignatureAlgorithm.es256.leftHalfHash(of: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")
        == "77QmUPtjPfzWtF2AnpK9RQ")
    let code = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk"
    #expect(SignatureAlgorithm.es256.leftHalfHash(of: code) == "LDktKdoQak3Pk0cnXxCltA")
  }

  @Test("P28 the tokens of the worked example verify, and their hashes are right")
  func p28() throws {
    let first = try claims(WorkedExample.idToken)
    #expect(first == WorkedExample.idTokenClaims)
    #expect(SignatureAlgorithm.es256.leftHalfHash(of: "at_synthetic_app_a_0001") == first["at_hash"]?.stringValue)
    let second = try claims(WorkedExample.exchangedIDToken)
    #expect(second["aud"] == "app-b")
    #expect(SignatureAlgorithm.es256.leftHalfHash(of: "at_synthetic_app_b_0001") == second["at_hash"]?.stringValue)
    #expect(SignatureAlgorithm.es256.leftHalfHash(of: WorkedExample.secondSecret) == "zwkx4Wi0nph1A8rxivb-JQ")
  }

  @Test("An unknown recipe is unverifiable, a configured one that does not match is a mismatch")
  func findings() throws {
    let secret = try DeviceSecret("my-ds")
    for claim in ["AAAAAAAAAAAAAAAAAAAAAA", "short", "", String(repeating: "g", count: 64), "AAAA AAAA"] {
      let free = DSHashFinding(claim, secret: secret, signatureAlgorithm: "ES256", configured: nil)
      #expect(free == .unverifiable)
      for recipe in DSHashRecipe.allCases {
        let bound = DSHashFinding(claim, secret: secret, signatureAlgorithm: "ES256", configured: recipe)
        #expect(bound == .mismatch)
      }
    }
  }

  @Test("A device secret is 1 to 4096 visible characters, and 256 random bits when we make it")
  func deviceSecrets() throws {
    for bad in ["", "with space", "line\nbreak", "é", String(repeating: "a", count: 4097)] {
      #expect(throws: JOSEError.self) { try DeviceSecret(bad) }
    }
    #expect(try DeviceSecret(String(repeating: "a", count: 4096)).reveal().utf8.count == 4096)
    let fresh = DeviceSecret.random().reveal()
    #expect(try Base64URL.decode(fresh).count == 32)
    #expect(DeviceSecretFingerprint(hexadecimal: String(repeating: "A", count: 64)) == nil)
    #expect(DeviceSecretFingerprint(hexadecimal: String(repeating: "a", count: 64)) != nil)
  }
}
