import JOSE
import PureCrypto
import StrictJSON

/// Wycheproof's key agreement with both keys as JWK.
struct WycheproofECDHWebCryptoGroup: VectorGroup {
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    guard try group.curve().namedCurve.isForAgreement else { throw .notImplemented("agreement on secp256k1 in JOSE") }
    guard try group.string("encoding") == "webcrypto" else { throw .malformed("the encoding must be the usual one") }
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let own = try test.jsonObject("private")
    let peer = try test.jsonObject("public")
    let shared = try test.octets("shared")
    guard case .privateKey(let key) = try JWK(own).material else { return .wrong("the private key is a public one") }
    let publicKey = try EncryptionKey(try JWK(peer), algorithm: .ecdhES)
    guard case .publicKey(let point) = publicKey.material else { return .wrong("the public key is for no agreement") }
    guard point.curve == key.publicKey.curve else { return .refused("keyMismatch(epk)") }
    guard let secret = key.sharedSecret(with: point) else { return .wrong("a sound point gives no secret") }
    return .accepted(if: secret.octets == shared, otherwise: "the secret differs")
  }
}
