// Which algorithms a key that names none may serve.
//
// A key is used with exactly one algorithm at the time of the operation (RFC 8725 bis §3.1): its own `alg`, or the
// token's, where the caller accepts it for this key. The caller's list must then leave no choice that matters: all that
// fit the key are one scheme, with another hash or name. A choice between schemes would be the token's, so it is
// refused.

extension KeyManagementAlgorithm {
  /// Algorithms of one scheme on one key. The variants of ECDH-ES and of PBES2 derive unrelated keys, for their names
  /// enter the derivation; those of OAEP don't. Those of HPKE do, yet nothing is proved of a key that serves two suites
  /// (RFC 9180 §9.2.2), so each stands alone: a key serves one algorithm.
  enum Family: Hashable, Sendable {
    case direct, aesKeyWrap, aesGCM, password, agreement, oaepSHA1, oaepSHA256, oaepSHA384, oaepSHA512
    case hpke(Identifier)
  }

  var family: Family {
    switch identifier {
    case .dir: .direct
    case .rsaOAEP: .oaepSHA1
    case .rsaOAEP256: .oaepSHA256
    case .rsaOAEP384: .oaepSHA384
    case .rsaOAEP512: .oaepSHA512
    case .a128kw, .a192kw, .a256kw: .aesKeyWrap
    case .a128gcmKW, .a192gcmKW, .a256gcmKW: .aesGCM
    case .ecdhES, .ecdhESA128KW, .ecdhESA192KW, .ecdhESA256KW: .agreement
    case .pbes2HS256A128KW, .pbes2HS384A192KW, .pbes2HS512A256KW: .password
    case .hpke0, .hpke1, .hpke2, .hpke3, .hpke4, .hpke7, .hpke8, .hpke9, .hpke10, .hpke12, .hpke13,
      .hpke0KE, .hpke1KE, .hpke2KE, .hpke3KE, .hpke4KE, .hpke7KE, .hpke8KE, .hpke9KE, .hpke10KE, .hpke12KE, .hpke13KE:
      .hpke(identifier)
    }
  }
}

extension JWK {
  /// Requires that the key's own `alg` or the accepted algorithms, and not the token, bind it to an algorithm.
  ///
  /// - Throws: ``ErrorCode/keyMismatch`` if the key names none and the accepted ones that fit it are of several
  ///   families.
  func requireBound(to algorithm: SignatureAlgorithm, among accepted: [SignatureAlgorithm]) throws(JOSEError) {
    guard self.algorithm == nil else { return }
    let fitting = accepted.filter { $0.takes(self) }
    guard fitting.allSatisfy({ $0.row.family == algorithm.row.family }) else { throw Self.unbound }
  }

  /// The same for a JWE's `alg`. The `alg` of a key for direct encryption may name a content encryption algorithm
  /// instead: that binds it too.
  ///
  /// - Throws: as ``requireBound(to:among:)-(SignatureAlgorithm,_)``.
  func requireBound(to algorithm: KeyManagementAlgorithm, among accepted: [KeyManagementAlgorithm]) throws(JOSEError) {
    guard self.algorithm == nil else { return }
    let fitting = accepted.filter { $0.takes(self) }
    guard fitting.allSatisfy({ $0.family == algorithm.family }) else { throw Self.unbound }
  }

  private static var unbound: JOSEError {
    JOSEError(
      .keyMismatch, "the key names no algorithm, and those accepted that fit it are of several families", name: "alg")
  }
}
