import PureCrypto

extension MemberReader {
  /// Fails unless the member `curve` is P-256, under either of its names.
  func requireP256() throws(VectorFault) {
    let curve = try string("curve")
    guard curve == "P-256" || curve == "secp256r1" else {
      let standardNames = ["secp384r1": "P-384", "secp521r1": "P-521"]
      throw .notImplemented(standardNames[curve] ?? curve)
    }
  }

  /// Fails unless the members `curve` and `sha` are P-256 and SHA-256.
  func requireP256WithSHA256() throws(VectorFault) {
    try requireP256()
    try requireSHA256()
  }

  func requireSHA256() throws(VectorFault) {
    let function = try string("sha")
    guard function == "SHA-256" else { throw .notImplemented("ECDSA with \(function) on P-256") }
  }

  /// The coordinates `x` and `y` of this object, which need not be those of a point.
  func coordinates() throws(VectorFault) -> (x: [UInt8], y: [UInt8]) {
    (try octets("x"), try octets("y"))
  }
}

extension [UInt8] {
  /// These octets, the most significant first, as an integer of 32 octets; nil when it is larger.
  var asInteger256: [UInt8]? {
    let significant = drop { $0 == 0 }
    return significant.count <= 32 ? Array(repeating: 0, count: 32 - significant.count) + significant : nil
  }
}

/// Runs `body`, whose refusal by the package is a verdict.
func verdict(_ body: () throws(CryptoError) -> Verdict) -> Verdict {
  do throws(CryptoError) {
    return try body()
  } catch {
    return .refused("\(error.code)")
  }
}
