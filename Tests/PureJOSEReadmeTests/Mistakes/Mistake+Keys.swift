import JOSE
import PureCrypto
import StrictJSON

extension Mistake {
  static let keyFiles: [Mistake] = [
    Mistake("PEM with \\n written out", says: "\\n", "line break") {
      _ = try JWK(pemRepresentation: Bench.pem.replacing("\n", with: "\\n"))
    },
    Mistake("PEM with spaces for line breaks", says: "spaces", "line breaks back") {
      _ = try JWK(pemRepresentation: Bench.pem.replacing("\n", with: " "))
    },
    Mistake("PEM without line breaks", says: "one line", "line breaks behind") {
      _ = try JWK(pemRepresentation: Bench.pem.replacing("\n", with: ""))
    },
    Mistake("PEM with line breaks of Windows") {
      _ = try JWK(pemRepresentation: Bench.pem.replacing("\n", with: "\r\n"))
    },
    Mistake("PEM after a byte order mark") {
      _ = try JWK(pemRepresentation: "\u{FEFF}" + Bench.pem)
    },
    Mistake("a certificate where a key belongs", says: "certificate", "LeafCertificate") {
      _ = try JWK(pemRepresentation: block("CERTIFICATE"))
    },
    Mistake("a certificate request", says: "certificate request", "private key") {
      _ = try JWK(pemRepresentation: block("CERTIFICATE REQUEST"))
    },
    Mistake("a private key of OpenSSH", says: "OpenSSH", "ssh-keygen -p -m PKCS8") {
      _ = try JWK(pemRepresentation: block("OPENSSH PRIVATE KEY"))
    },
    Mistake("a public key of OpenSSH", says: "OpenSSH", "ssh-keygen -e -m PKCS8") {
      _ = try JWK(pemRepresentation: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 jane@example.com")
    },
    Mistake("DSA parameters", says: "label", "PUBLIC KEY") { _ = try JWK(pemRepresentation: block("DSA PARAMETERS")) },
    Mistake("a public key to sign with", says: "public key", "private") {
      _ = try SigningKey(pemRepresentation: Bench.publicPEM, algorithm: .es256)
    },
    Mistake("an encrypted key", says: "encrypted", "encryptedPEMRepresentation") {
      _ = try JWK(pemRepresentation: block("ENCRYPTED PRIVATE KEY"))
    },
    Mistake("a key encrypted by old OpenSSL", says: "openssl pkcs8") {
      _ = try JWK(pemRepresentation: block("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\n\nMAA="))
    },
    Mistake("an empty setting where PEM is read", says: "empty", "setting") { _ = try JWK(pemRepresentation: "") },
    Mistake("a path", says: "path, not PEM", "read the file") {
      _ = try JWK(pemRepresentation: "/etc/keys/signing.pem")
    },
    Mistake("PEM from a variable that was never set", says: "undefined", "set the variable") {
      _ = try JWK(pemRepresentation: "undefined")
    },
    Mistake("a JWK where PEM is read", says: "JWK(parsing:)") {
      _ = try JWK(pemRepresentation: String(decoding: Bench.jwk.serialized(), as: UTF8.self))
    },
    Mistake("base64 without armour", says: "base64", "BEGIN") {
      _ = try JWK(pemRepresentation: Bench.publicPEM.split(separator: "\n").dropFirst().dropLast().joined())
    },
    Mistake("another text where PEM is read", says: "-----BEGIN") { _ = try JWK(pemRepresentation: "changeme") },
    Mistake("PEM without its last line", says: "END", "whole") {
      _ = try JWK(pemRepresentation: String(Bench.pem.prefix(80)))
    },
    Mistake("two keys in one text", says: "more than one") { _ = try JWK(pemRepresentation: Bench.pem + Bench.pem) },
    Mistake("PEM whose base64 lacks letters", says: "base64", "copy") {
      _ = try JWK(pemRepresentation: block("PUBLIC KEY", "MFkwEwYHKoZIzj0CAQYIKoZIzj0"))
    },
    Mistake("PEM whose base64 was changed", says: "base64", "character") {
      _ = try JWK(pemRepresentation: block("PUBLIC KEY", "MFkwEwYH!oZI"))
    },
    Mistake("PEM where DER is read", says: "PEM", "pemRepresentation") {
      _ = try JWK(derRepresentation: Bench.pem.utf8)
    },
    Mistake("a key where a certificate belongs", says: "certificate", "key") {
      _ = try LeafCertificate(pemRepresentation: Bench.publicPEM)
    },
    Mistake("a chain where one certificate belongs", says: "one certificate", "first") {
      _ = try LeafCertificate(pemRepresentation: block("CERTIFICATE") + block("CERTIFICATE"))
    },
  ]

  private static func block(_ label: String, _ body: String = "MAA=") -> String {
    "-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----\n"
  }

  static let keys: [Mistake] = [
    Mistake("PEM where a JWK is read", says: "PEM, not JSON", "JWK(pemRepresentation:)") {
      _ = try JWK(parsing: Bench.publicPEM)
    },
    Mistake("the name of a file where a JWK is read", says: "path, not JSON", "read the file") {
      _ = try JWK(parsing: "signing.json")
    },
    Mistake("a JWK from a variable that was never set", says: "JSON", "undefined", "set the variable") {
      _ = try JWK(parsing: "[object Object]")
    },
    Mistake("a set where a key belongs", says: "set", "JWKSet(parsing:)") {
      _ = try JWK(parsing: Bench.keySet().serialized())
    },
    Mistake("a key where a set belongs", says: "one key", "JWK(parsing:)") {
      _ = try JWKSet(parsing: Bench.publicJWK().serialized())
    },
    Mistake("metadata where a set belongs", says: "jwks_uri", "metadata") {
      _ = try JWKSet(parsing: #"{"issuer":"https://a.example","jwks_uri":"https://a.example/keys"}"#)
    },
    Mistake("another object where a set belongs", says: "array", "keys") { _ = try JWKSet(parsing: "{}") },
    Mistake("no kty", says: "kty", "absent") { _ = try JWK(Bench.members(["kty": nil])) },
    Mistake("an unknown kty", says: "kty", "EC") { _ = try JWK(Bench.members(["kty": "ECC"])) },
    Mistake("no crv", says: "crv", "absent") { _ = try JWK(Bench.members(["crv": nil])) },
    Mistake("a curve that isn't implemented", says: "crv", "P-256") {
      _ = try JWK(Bench.members(["crv": "brainpoolP256r1"]))
    },
    Mistake("the x of another key", says: "coordinates", "curve") {
      _ = try JWK(Bench.members(["x": Bench.other.publicJSONObject()["x"]]))
    },
    Mistake("a coordinate in standard base64", says: "(x)", "base64url") { _ = try JWK(Bench.members(["x": "ab+/="])) },
    Mistake("the d of another key", says: "belong together", "one JWK") {
      let other = try JSONObject(parsing: Bench.other.serializedWithPrivateKey())
      _ = try JWK(Bench.members(isPrivate: true, ["d": other["d"]]))
    },
    Mistake("an RSA key without d", says: "(d)", "absent") {
      _ = try JWK(Bench.members(of: Bench.rsa, isPrivate: true, ["d": nil]))
    },
    Mistake("a private key in a public set", says: "private", "publicKey") {
      let key = String(decoding: Bench.jwk.serializedWithPrivateKey(), as: UTF8.self)
      for entry in try JWKSet(parsing: "{\"keys\":[\(key)]}").unsupportedKeys { throw entry.reason }
    },
    Mistake("two secrets of one name", says: "kid", "same name") {
      let key = #"{"kty":"oct","kid":"a","k":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"}"#
      let set = try JWKSet(parsing: "{\"keys\":[\(key),\(key)]}", acceptsSecretKeys: true)
      for entry in set.unsupportedKeys { throw entry.reason }
    },
    Mistake("the algorithm of another key", says: "alg", "another algorithm") {
      _ = try VerificationKey(Bench.publicJWK(), algorithm: .es384)
    },
    Mistake("no algorithm", says: "names no algorithm", "algorithm:") {
      _ = try VerificationKey(JWK(Bench.members(["alg": nil])))
    },
    Mistake("a type of key that the algorithm doesn't take", says: "(kty)", "ES256") {
      _ = try VerificationKey(JWK(Bench.members(["alg": nil])), algorithm: .rs256)
    },
    Mistake("an algorithm that isn't implemented", says: "implemented", "SignatureAlgorithm") {
      _ = try VerificationKey(JWK(Bench.members(["alg": "ES257"])))
    },
    Mistake("a key for encryption to verify with", says: "use", "enc") {
      _ = try VerificationKey(JWK(Bench.members(["use": "enc"])))
    },
    Mistake("key_ops without verify", says: "key_ops", "operations") {
      _ = try VerificationKey(JWK(Bench.members(["use": nil, "key_ops": ["sign"]])))
    },
    Mistake("an encryption algorithm to verify with", says: "encryption", "signature") {
      _ = try VerificationKey(JWK(Bench.members(["alg": "ECDH-ES"])))
    },
    Mistake("a short secret", says: "32 octets", "HS256") {
      _ = try SigningKey(secret: "secret".utf8, algorithm: .hs256)
    },
    Mistake("a secret in standard base64", says: "(k)", "base64url") {
      _ = try JWK(parsing: #"{"kty":"oct","k":"c2VjcmV0+/=="}"#)
    },
    Mistake("a public key as a secret", says: "HMAC", "file") {
      _ = try SigningKey(secret: Bench.publicPEM.utf8, algorithm: .hs256)
    },
    Mistake("RSA of 1024 bits", says: "2048", "new key") {
      _ = try JWK(["kty": "RSA", "e": "AQAB", "n": .string(Base64URL.encode([UInt8](repeating: 0xC1, count: 128)))])
    },
    Mistake("a signature in DER from an external signer", says: "DER", "r and s") {
      try Bench.sign { _ in [0x30, 0x44, 0x02, 0x20] + [UInt8](repeating: 1, count: 66) }
    },
    Mistake("an external signer that fails", says: "did not answer", "signer") {
      try Bench.sign { _ in throw CancellationError() }
    },
    Mistake("an external signer with another key", says: "verify", "public key") {
      try Bench.sign { _ in [UInt8](repeating: 1, count: 64) }
    },
  ]
}
