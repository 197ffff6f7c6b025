import JOSE
import PureCrypto
import Testing

@Suite("HMAC keys")
struct HMACKeyTests {
  static let algorithms: [SignatureAlgorithm] = [.hs256, .hs384, .hs512]

  @Test("each algorithm has its shortest key", arguments: algorithms)
  func lengths(algorithm: SignatureAlgorithm) throws {
    let minimum = algorithm.row.minimumKeyByteCount
    #expect(minimum == algorithm.row.signatureByteCount)
    for count in [1, 6, minimum - 1] {
      #expect(
        code { _ = try SigningKey(secret: [UInt8](repeating: 0x81, count: count), algorithm: algorithm) } == .keyTooWeak
      )
    }
    _ = try SigningKey(secret: [UInt8](repeating: 0x81, count: minimum), algorithm: algorithm)
    #expect(JWK.generate(algorithm).secretKeyThumbprint().count == 43)
  }

  @Test("an HMAC tag that is changed, shortened or lengthened is refused", arguments: algorithms)
  func tags(algorithm: SignatureAlgorithm) throws {
    let key = try SigningKey.generate(algorithm)
    let token = try JWS.sign(Array("payload".utf8), with: key)
    #expect(try JWS.verify(token, with: key.verificationKey).payload == Array("payload".utf8))
    var segments = token.split(separator: ".").map(String.init)
    let tag = try Base64URL.decode(segments[2])
    #expect(tag.count == algorithm.row.signatureByteCount)
    for damaged in [[], Array(tag.prefix(1)), Array(tag.dropLast()), tag + [0]] {
      segments[2] = Base64URL.encode(damaged)
      let text = segments.joined(separator: ".")
      #expect(code { _ = try JWS.verify(text, with: key.verificationKey) } == .signatureInvalid)
    }
    for index in tag.indices {
      var damaged = tag
      damaged[index] ^= 0x10
      segments[2] = Base64URL.encode(damaged)
      let text = segments.joined(separator: ".")
      #expect(code { _ = try JWS.verify(text, with: key.verificationKey) } == .signatureInvalid)
    }
  }

  @Test("a secret without alg is bound only where a single accepted algorithm fits it")
  func binding() throws {
    let secret = SecretBytes.random(count: 64)
    let token = try JWS.sign([1], with: SigningKey(JWK(.octets(secret), keyID: "a"), algorithm: .hs384))
    let unnamed = JWKSet([JWK(.octets(secret), keyID: "a")])
    #expect(try JWS.verify(token, with: unnamed, algorithms: [.hs384, .es256]).payload == [1])
    #expect(refusal { _ = try JWS.verify(token, with: unnamed, algorithms: [.hs384, .hs256]) } == "keyMismatch(alg)")
    let named = JWKSet([JWK(.octets(secret), keyID: "a", algorithm: "HS384")])
    #expect(try JWS.verify(token, with: named, algorithms: Self.algorithms).payload == [1])
    let other = JWKSet([JWK(.octets(secret), keyID: "a", algorithm: "HS256")])
    #expect(refusal { _ = try JWS.verify(token, with: other, algorithms: Self.algorithms) } == "keyMismatch(alg)")
  }

  @Test("a public key in any file is no secret", arguments: PublicKeyFiles.all)
  func publicKeyFiles(_ name: String, _ octets: [UInt8]) throws {
    #expect(octets.count >= 32)
    #expect(code { _ = try SigningKey(secret: octets, algorithm: .hs256) } == .keyMismatch, "\(name)")
    let jwk = JWK(.octets(SecretBytes(copying: octets)))
    #expect(code { _ = try VerificationKey(jwk, algorithm: .hs256) } == .keyMismatch, "\(name)")
  }

  @Test(
    "a text that only resembles a key file is accepted as a secret",
    arguments: [
      "correct horse battery staple, and more", "c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IHNlY3JldA==",
      "0123456789abcdef0123456789abcdef", #"{"secret":"0123456789abcdef0123"}"#,
      "-----begin of a long pass phrase-----",
      "30820122300d06092a864886f70d01010105000382010f003082010a02820101", "0x0123456789abcdef0123456789abcdef01234567",
      "30:82:01:22:30:0d:06:09:2a:86:48:86:f7:0d:01:01:01:05:00:03:82:01:0f",
      "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5eg",
    ])
  func textSecrets(_ text: String) throws {
    _ = try SigningKey(secret: Array(text.utf8), algorithm: .hs256)
  }
}

enum PublicKeyFiles {
  /// The public key of RFC 7515 A.3 in SPKI, and what else is a public key that somebody may take for a secret.
  static let all: [(String, [UInt8])] = {
    let der = try? Base64.decode(
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ=="
    )
    let octets = der ?? []
    let text = Base64.encode(octets)
    let pem = "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n"
    let jwk =
      #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    func hexadecimal(_ octets: some Sequence<UInt8>, capital: Bool = false, between separator: String = "") -> [UInt8] {
      let digits = octets.map { octet in
        let text = (octet < 16 ? "0" : "") + String(octet, radix: 16, uppercase: capital)
        return text
      }
      return Array(digits.joined(separator: separator).utf8)
    }
    func utf16(_ text: some Sequence<UInt8>, bigEndian: Bool = false) -> [UInt8] {
      text.flatMap { bigEndian ? [0, $0] : [$0, 0] }
    }
    let written: [(String, [UInt8])] = [
      ("hexadecimal of DER", hexadecimal(octets)), ("capital hexadecimal of DER", hexadecimal(octets, capital: true)),
      ("hexadecimal of DER with colons", hexadecimal(octets, between: ":")),
      ("hexadecimal of DER with 0x", Array("0x".utf8) + hexadecimal(octets)),
      ("hexadecimal of DER in lines", hexadecimal(octets, between: " \n")),
      ("hexadecimal of PEM", hexadecimal(pem.utf8)), ("hexadecimal of a JWK", hexadecimal(jwk.utf8)),
      ("hexadecimal of base64 of DER", hexadecimal(text.utf8)),
      ("PEM in UTF-16 without a mark", utf16(pem.utf8)),
      ("PEM in UTF-16, big end first", utf16(pem.utf8, bigEndian: true)),
      ("JWK in UTF-16", [0xFF, 0xFE] + utf16(jwk.utf8)), ("JWK in UTF-16 without a mark", utf16(jwk.utf8)),
      ("base64 of DER in UTF-16", [0xFE, 0xFF] + utf16(text.utf8, bigEndian: true)),
      ("base64 of DER in UTF-16 without a mark", utf16(text.utf8)),
      ("hexadecimal of DER in UTF-16", utf16(hexadecimal(octets))),
      ("base64 of PEM in UTF-16", Array(Base64.encode(utf16(pem.utf8)).utf8)),
    ]
    return written + [
      ("DER", octets), ("PEM", Array(pem.utf8)), ("PEM after white space", Array(" \r\n\(pem)".utf8)),
      ("PEM after a byte order mark", mark + pem.utf8),
      ("PEM after a comment", Array("# the service's key\n\(pem)".utf8)),
      ("PEM in UTF-16", [0xFF, 0xFE] + pem.utf8.flatMap { [$0, 0] }), ("base64 of DER", Array(text.utf8)),
      ("base64 of DER in lines", Array((text.prefix(64) + "\n" + text.dropFirst(64) + "\n").utf8)),
      ("base64url of DER", Array(Base64URL.encode(octets).utf8)),
      ("base64 of PEM", Array(Base64.encode(pem.utf8).utf8)),
      ("JWK", Array(jwk.utf8)), ("JWK after a byte order mark", mark + jwk.utf8),
      ("JWK Set", Array(#"{"keys":[\#(jwk)]}"#.utf8)), ("base64url of a JWK", Array(Base64URL.encode(jwk.utf8).utf8)),
      ("SSH", Array("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7 someone@somewhere".utf8)),
      ("SSH, Ed25519", Array("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGt0 someone".utf8)),
      ("SSH with options", Array(#"command="x" ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY="#.utf8)),
      ("SSH without its name", Array("AAAAC3NzaC1lZDI1NTE5AAAAIGt0AAAAAAAAAAAAAAAA".utf8)),
      ("SSH2", Array("---- BEGIN SSH2 PUBLIC KEY ----\nAAAAB3NzaC1yc2E".utf8)),
    ]
  }()
}
