import PureCrypto

/// Verification of r ‖ s or of a signature in DER, by a key that the group or the test gives by its coordinates.
struct ECDSAVerifyGroup: CurveGroup {
  let curve: any EllipticCurve.Type
  private let function: HashFunction
  private let key: (x: [UInt8], y: [UInt8])?
  private let isDER: Bool

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    curve = try group.curve()
    function = try group.hashFunction()
    key = try group.object(ifPresent: "key")?.coordinates()
    isDER = try group.string("type") == "EcdsaVerify"
  }

  func judge<Curve: EllipticCurve>(_ test: MemberReader, _ curve: Curve.Type) throws -> Verdict {
    let (x, y) = if let key { key } else { try test.object("key").coordinates() }
    let message = try test.octets("msg")
    let signature = try test.octets("sig")
    let key = try ECPublicKey<Curve, KeyUse.All>(x: x, y: y)
    return isDER
      ? try key.judge(derSignature: signature, of: message, function)
      : try key.judge(rawSignature: signature, of: message, function)
  }
}

/// A key on any curve that judges signatures in either encoding.
protocol VerifyingKey: Sendable {
  var x: [UInt8] { get }
  var y: [UInt8] { get }

  func judge(
    rawSignature encoded: [UInt8], of message: [UInt8], _ function: HashFunction
  ) throws(CryptoError) -> Verdict
  func judge(
    derSignature encoded: [UInt8], of message: [UInt8], _ function: HashFunction
  ) throws(CryptoError) -> Verdict
}

extension ECPublicKey: VerifyingKey where Use == KeyUse.All {
  /// Verifies r ‖ s.
  func judge(
    rawSignature encoded: [UInt8], of message: [UInt8], _ function: HashFunction
  ) throws(CryptoError) -> Verdict {
    function.type.judge(try ECDSASignature<Curve>(rawRepresentation: encoded), of: message, by: self)
  }

  /// Verifies a signature in DER, which must be the only encoding of its value.
  func judge(
    derSignature encoded: [UInt8], of message: [UInt8], _ function: HashFunction
  ) throws(CryptoError) -> Verdict {
    let signature = try ECDSASignature<Curve>(derRepresentation: encoded)
    guard signature.derRepresentation == encoded else { return .wrong("another encoding was accepted") }
    guard try ECDSASignature<Curve>(rawRepresentation: signature.rawRepresentation) == signature else {
      return .wrong("the raw form is not the same signature")
    }
    return function.type.judge(signature, of: message, by: self)
  }
}

extension SHA2Function {
  /// Verifies a signature on every path that the package has for it.
  fileprivate static func judge<Curve: EllipticCurve>(
    _ signature: ECDSASignature<Curve>, of message: [UInt8], by key: ECPublicKey<Curve, KeyUse.All>
  ) -> Verdict {
    let isValid = key.isValidSignature(signature, forDigest: hash(message), of: self)
    // The function that JOSE pairs with the curve, if it is that one, has a path of its own.
    if Self.self == Curve.HashFunction.self {
      guard key.isValidSignature(signature, for: message) == isValid else {
        return .wrong("message and digest verify differently")
      }
      if let key = key as? P256PublicKey, let signature = signature as? P256Signature {
        guard key.prepared().isValidSignature(signature, for: message) == isValid else {
          return .wrong("the prepared key verifies differently")
        }
      }
    }
    return .accepted(if: isValid)
  }
}
