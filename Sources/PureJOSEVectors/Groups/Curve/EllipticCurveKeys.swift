import PureCrypto

/// A group whose tests run on one curve.
protocol CurveGroup: VectorGroup {
  var curve: any EllipticCurve.Type { get }

  func judge<Curve: EllipticCurve>(_ test: MemberReader, _ curve: Curve.Type) throws -> Verdict
}

extension CurveGroup {
  func run(_ test: MemberReader) throws -> Verdict { try judge(test, curve) }
}

/// A group with nothing but its curve.
protocol PlainCurveGroup: CurveGroup {
  init(curve: any EllipticCurve.Type)
}

extension PlainCurveGroup {
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    self.init(curve: try group.curve())
  }
}

/// A group whose tests run on one curve with one hash function, which need not be the curve's own.
protocol SignatureGroup: VectorGroup {
  var curve: any EllipticCurve.Type { get }
  var function: HashFunction { get }

  func judge<Curve: EllipticCurve, Function: SHA2Function>(
    _ test: MemberReader, _ curve: Curve.Type, _ function: Function.Type
  ) throws -> Verdict
}

extension SignatureGroup {
  func run(_ test: MemberReader) throws -> Verdict { try function.type.judge(test, in: self) }
}

extension SHA2Function {
  fileprivate static func judge(_ test: MemberReader, in group: some SignatureGroup) throws -> Verdict {
    try group.judge(test, group.curve, self)
  }
}

extension MemberReader {
  /// The kind of private key on the curve that the member `curve` names, by either of its names.
  /// - Throws: ``VectorFault/notImplemented(_:)`` for any other curve.
  func curve() throws(VectorFault) -> any EllipticCurve.Type {
    let name = try string("curve")
    switch name {
    case "P-256", "secp256r1": return P256Curve.self
    case "P-384", "secp384r1": return P384Curve.self
    case "P-521", "secp521r1": return P521Curve.self
    case "secp256k1": return Secp256k1Curve.self
    default: throw .notImplemented(name)
    }
  }

  /// The hash function that the member `sha` names.
  func hashFunction() throws(VectorFault) -> HashFunction { try HashFunction(named: string("sha")) }

  /// The coordinates `x` and `y` of this object, which need not be those of a point.
  func coordinates() throws(VectorFault) -> (x: [UInt8], y: [UInt8]) {
    (try octets("x"), try octets("y"))
  }
}

extension [UInt8] {
  /// These octets, the most significant first, as an integer of this many octets; nil when it is larger.
  func asInteger(byteCount: Int) -> [UInt8]? {
    let significant = drop { $0 == 0 }
    return significant.count <= byteCount
      ? Array(repeating: 0, count: byteCount - significant.count) + significant : nil
  }
}

extension SecretBytes {
  /// The bytes, which are published test data.
  var octets: [UInt8] { unwipedOctets }
}

extension SharedSecret {
  /// Z, for a comparison with what a vector states.
  var octets: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
