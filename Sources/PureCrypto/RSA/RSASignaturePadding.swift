/// How a digest is encoded before RSA turns it into a signature.
public enum RSASignaturePadding: Sendable, Hashable {
  /// EMSA-PKCS1-v1_5: deterministic. `RS256`, `RS384` and `RS512` of JOSE.
  case pkcs1v15
  /// EMSA-PSS with MGF1 over the same hash function and a salt as long as the digest. `PS256`, `PS384` and `PS512` of JOSE.
  case pss
}
