import JOSE
import PureCrypto

/// Wycheproof's key agreement with public keys as X.509 structures.
struct WycheproofECDHGroup: VectorGroup {
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    try group.requireP256()
    guard try group.string("encoding") == "asn" else { throw .malformed("the encoding is another one") }
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let encoded = try test.octets("public")
    return try test.judgeAgreement { () throws(CryptoError) in try P256PublicKey(derRepresentation: encoded) }
  }
}

/// Wycheproof's key agreement with public keys as encoded points.
struct WycheproofECDHPointGroup: VectorGroup {
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    try group.requireP256()
    guard try group.string("encoding") == "ecpoint" else { throw .malformed("the encoding is another one") }
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let encoded = try test.octets("public")
    return try test.judgeAgreement { () throws(CryptoError) in
      // The length tells which form it claims to be, as it does in X.509.
      encoded.count == 33
        ? try P256PublicKey(compressedRepresentation: encoded) : try P256PublicKey(x963Representation: encoded)
    }
  }
}

extension MemberReader {
  /// Agrees on a secret between the scalar `private` and a public key, and compares it with `shared`.
  fileprivate func judgeAgreement(
    with publicKey: () throws(CryptoError) -> P256PublicKey
  ) throws(VectorFault) -> Verdict {
    let scalar = try octets("private").asInteger256
    let shared = try octets("shared")
    return verdict { () throws(CryptoError) in
      let peer = try publicKey()
      guard let scalar else { throw CryptoError(.invalidPrivateKey, "d is longer than 32 bytes") }
      let secret = try P256PrivateKey(rawRepresentation: scalar).sharedSecret(with: peer)
      return .accepted(if: secret.withUnsafeBytes { Array($0) } == shared, otherwise: "the secret differs")
    }
  }
}
