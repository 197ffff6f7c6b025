import PureCrypto

/// Verification of r ‖ s, by a key that the group or the test gives by its coordinates.
struct ECDSAVerifyRawGroup: CurveGroup {
  let curve: any EllipticCurve.Type
  private let function: HashFunction
  private let key: (x: [UInt8], y: [UInt8])?

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    curve = try group.curve()
    function = try group.hashFunction()
    key = try group.object(ifPresent: "key")?.coordinates()
  }

  func judge<Curve: EllipticCurve>(
    _ test: MemberReader, _ curve: Curve.Type
  ) throws(VectorFault) -> Verdict {
    let (x, y) = if let key { key } else { try test.object("key").coordinates() }
    let message = try test.octets("msg")
    let signature = try test.octets("sig")
    return verdict { () throws(CryptoError) in
      let key = try ECPublicKey<Curve>(x: x, y: y)
      return try key.judge(rawSignature: signature, of: message, function)
    }
  }
}

/// Verification of a signature in DER.
struct ECDSAVerifyDERGroup: CurveGroup {
  let curve: any EllipticCurve.Type
  private let function: HashFunction
  private let key: (x: [UInt8], y: [UInt8])

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    curve = try group.curve()
    function = try group.hashFunction()
    key = try group.object("key").coordinates()
  }

  func judge<Curve: EllipticCurve>(
    _ test: MemberReader, _ curve: Curve.Type
  ) throws(VectorFault) -> Verdict {
    let message = try test.octets("msg")
    let encoded = try test.octets("sig")
    return verdict { () throws(CryptoError) in
      let key = try ECPublicKey<Curve>(x: key.x, y: key.y)
      return try key.judge(derSignature: encoded, of: message, function)
    }
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

extension ECPublicKey: VerifyingKey {
  /// Verifies a signature on every path that the package has for it.
  func judge(_ signature: ECDSASignature<Curve>, of message: [UInt8], _ function: HashFunction) -> Verdict {
    switch function {
    case .sha256: judge(signature, of: message, SHA2.SHA256.self)
    case .sha384: judge(signature, of: message, SHA2.SHA384.self)
    case .sha512: judge(signature, of: message, SHA2.SHA512.self)
    }
  }

  private func judge<Function: SHA2Function>(
    _ signature: ECDSASignature<Curve>, of message: [UInt8], _ function: Function.Type
  ) -> Verdict {
    let isValid = isValidSignature(signature, forDigest: function.hash(message), of: function)
    // The function that JOSE pairs with the curve, if it is that one, has a path of its own.
    if Function.self == Curve.HashFunction.self {
      guard isValidSignature(signature, for: message) == isValid else {
        return .wrong("message and digest verify differently")
      }
      if let key = self as? P256PublicKey, let signature = signature as? P256Signature {
        guard key.prepared().isValidSignature(signature, for: message) == isValid else {
          return .wrong("the prepared key verifies differently")
        }
      }
    }
    return .accepted(if: isValid)
  }

  /// Verifies r ‖ s.
  func judge(
    rawSignature encoded: [UInt8], of message: [UInt8], _ function: HashFunction
  ) throws(CryptoError) -> Verdict {
    judge(try ECDSASignature<Curve>(rawRepresentation: encoded), of: message, function)
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
    return judge(signature, of: message, function)
  }
}
