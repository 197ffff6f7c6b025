/// What the signatures of P-256, P-384 and P-521 have in common, for code that serves all three.
package protocol EllipticCurveSignature: Sendable, Hashable {
  init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError)
  init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError)

  var rawRepresentation: [UInt8] { get }
  var derRepresentation: [UInt8] { get }
}

extension P256Signature: EllipticCurveSignature {}
extension P384Signature: EllipticCurveSignature {}
extension P521Signature: EllipticCurveSignature {}
