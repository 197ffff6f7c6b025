import PureJOSEBenchmarking
import PureCrypto

/// On digests, so that the curve alone is measured.
enum P256Workloads {
  static func all() throws -> [Workload] {
    let key = try P256SigningKey(rawRepresentation: SampleBytes.make(count: 32))
    let agreementKey = try P256AgreementPrivateKey(rawRepresentation: SampleBytes.make(count: 32))
    let publicKey = key.publicKey
    let encodedKey = publicKey.x963Representation
    let prepared = publicKey.prepared()
    let other = P256AgreementPrivateKey().publicKey
    let digest = SHA2.SHA256.hash(SampleBytes.make(count: 300))
    let signature = key.signature(forDigest: digest)
    return [
      Workload("p256.field-mul", operationsPerCall: 1000) { FieldElementChain.products(count: 1000) },
      Workload("p256.field-square", operationsPerCall: 1000) { FieldElementChain.squarings(count: 1000) },
      Workload("p256.keygen") { P256SigningKey() },
      Workload("p256.decode-key") { try P256VerificationKey(x963Representation: encodedKey) },
      Workload("p256.sign") { key.signature(forDigest: digest) },
      Workload("p256.sign.deterministic") { key.signature(forDigest: digest, nonce: .deterministic) },
      Workload("p256.verify") { publicKey.isValidSignature(signature, forDigest: digest) },
      Workload("p256.prepare") { publicKey.prepared() },
      Workload("p256.verify.prepared") { prepared.isValidSignature(signature, forDigest: digest) },
      Workload("p256.ecdh") { try agreementKey.sharedSecret(with: other) },
    ]
  }
}
