import PureJOSEBenchmarking
import PureCrypto

/// P-384, P-521 and secp256k1, on digests, so that the curves alone are measured.
enum PrimeCurveWorkloads {
  static func all() throws -> [Workload] {
    try curve("p384", P384Curve.self, SHA2.SHA384.hash(SampleBytes.make(count: 300)))
      + curve("p521", P521Curve.self, SHA2.SHA512.hash(SampleBytes.make(count: 300)))
      + curve("secp256k1", Secp256k1Curve.self, SHA2.SHA256.hash(SampleBytes.make(count: 300)))
  }

  private static func curve<Curve: EllipticCurve>(
    _ name: String, _: Curve.Type, _ digest: Curve.HashFunction.Digest
  ) throws -> [Workload] {
    let key = ECPrivateKey<Curve, KeyUse.Signing>()
    let agreementKey = ECPrivateKey<Curve, KeyUse.Agreement>()
    let publicKey = key.publicKey
    let other = ECPrivateKey<Curve, KeyUse.Agreement>().publicKey
    let signature = key.signature(forDigest: digest)
    return [
      Workload("\(name).keygen") { ECPrivateKey<Curve, KeyUse.Signing>() },
      Workload("\(name).sign") { key.signature(forDigest: digest) },
      Workload("\(name).verify") { publicKey.isValidSignature(signature, forDigest: digest) },
      Workload("\(name).ecdh") { try agreementKey.sharedSecret(with: other) },
    ]
  }
}
