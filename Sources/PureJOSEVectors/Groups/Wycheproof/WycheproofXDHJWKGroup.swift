import JOSE
import PureCrypto
import StrictJSON

/// Wycheproof's X25519 with both keys as JWK.
struct WycheproofXDHJWKGroup: VectorGroup {
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    guard try group.string("curve") == "curve25519" else { throw .malformed("the key has another curve") }
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let (own, peer) = (try test.jsonObject("private"), try test.jsonObject("public"))
    let shared = try test.octets("shared")
    guard case .privateKey(let key) = try JWK(own).material else { return .refused("keyMismatch") }
    guard let publicKey = try JWK(peer).material.publicKey, let secret = key.sharedSecret(with: publicKey) else {
      return .refused("keyMismatch")
    }
    return .accepted(if: secret.octets == shared, otherwise: "the secret differs")
  }
}
