/// How a certificate is signed, by the AlgorithmIdentifier in it. SHA-1, MD5 and DSA are not among them.
///
/// Source: RFC 4055 §3 and §5, RFC 5758 §3.2, RFC 8410 §3, RFC 9881 §2.
package enum X509SignatureAlgorithm: Hashable, Sendable {
  /// A hash function of signatures. ECDSA combines any of them with any curve, unlike JOSE.
  package enum Function: CaseIterable, Hashable, Sendable {
    case sha256, sha384, sha512

    /// 2.16.840.1.101.3.4.2.1 to 3.
    fileprivate var objectIdentifier: DERObjectIdentifier {
      DERObjectIdentifier(contents: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, lastOctet &+ 1])
    }

    fileprivate var byteCount: UInt8 { [32, 48, 64][Int(lastOctet)] }

    private var lastOctet: UInt8 {
      switch self {
      case .sha256: 0
      case .sha384: 1
      case .sha512: 2
      }
    }
  }

  case ecdsa(Function)
  case rsaPKCS1(Function)
  /// With MGF1 over the same function and a salt as long as its digest.
  case rsaPSS(Function)
  case ed25519
  case mlDSA(MLDSAParameterSet)

  /// 1.2.840.10045.4.3.2 to 4, ecdsa-with-SHA256, -SHA384 and -SHA512.
  private static let ecdsaPrefix: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03]
  /// 1.2.840.113549.1.1.11 to 13, sha256WithRSAEncryption and its kin.
  private static let rsaPrefix: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01]
  /// 1.2.840.113549.1.1.8, id-mgf1.
  private static let mgf1 = DERObjectIdentifier(contents: rsaPrefix + [0x08])

  /// Reads an AlgorithmIdentifier.
  init(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var outer = DERReader(bytes)
    var identifier = try outer.read(.sequence)
    try outer.finish()
    let name = try identifier.readObjectIdentifierContents()
    switch name {
    case Self.ecdsaPrefix + [0x02]: self = .ecdsa(.sha256)
    case Self.ecdsaPrefix + [0x03]: self = .ecdsa(.sha384)
    case Self.ecdsaPrefix + [0x04]: self = .ecdsa(.sha512)
    case Self.rsaPrefix + [0x0b]: self = .rsaPKCS1(.sha256)
    case Self.rsaPrefix + [0x0c]: self = .rsaPKCS1(.sha384)
    case Self.rsaPrefix + [0x0d]: self = .rsaPKCS1(.sha512)
    case DERObjectIdentifier.rsassaPSS.contents: self = .rsaPSS(try Self.pssFunction(&identifier))
    case DERObjectIdentifier.ed25519.contents: self = .ed25519
    default:
      guard let parameterSet = MLDSAParameterSet(objectIdentifier: name) else {
        throw CryptoError(.unsupportedKey, "the signature algorithm is not supported")
      }
      self = .mlDSA(parameterSet)
    }
    // Parameters are absent; PKCS #1 has NULL, and may leave it out (RFC 4055 §5).
    if case .rsaPKCS1 = self { try identifier.readNullIfPresent() }
    try identifier.finish()
  }

  /// RSASSA-PSS-params ::= SEQUENCE { [0] hashAlgorithm, [1] maskGenAlgorithm, [2] saltLength, [3] trailerField }. The
  /// defaults of the first three stand for SHA-1, so each must be there; that of the last is the only trailer, which
  /// DER then leaves out.
  private static func pssFunction(_ identifier: inout DERReader) throws(CryptoError) -> Function {
    var parameters = try identifier.read(.sequence)
    var hash = try parameters.read(.constructed(0))
    let function = try hash.readHashFunction()
    try hash.finish()
    var mask = try parameters.read(.constructed(1))
    var generator = try mask.read(.sequence)
    try mask.finish()
    guard try generator.readObjectIdentifier(mgf1), try generator.readHashFunction() == function else {
      throw CryptoError(.unsupportedKey, "the mask is not that of MGF1 with the function of the digest")
    }
    try generator.finish()
    var salt = try parameters.read(.constructed(2))
    guard try salt.readSmallInteger() == function.byteCount else {
      throw CryptoError(.unsupportedKey, "the salt is not as long as the digest")
    }
    try salt.finish()
    try parameters.finish()
    return function
  }
}

extension DERReader {
  /// Reads the AlgorithmIdentifier of a hash function, whose parameters are NULL or absent (RFC 4055 §2.1).
  fileprivate mutating func readHashFunction() throws(CryptoError) -> X509SignatureAlgorithm.Function {
    var identifier = try read(.sequence)
    let name = try identifier.read(.objectIdentifier).bytes
    try identifier.readNullIfPresent()
    try identifier.finish()
    guard
      let function = X509SignatureAlgorithm.Function.allCases.first(where: { $0.objectIdentifier.hasContents(name) })
    else { throw CryptoError(.unsupportedKey, "the hash function is not supported") }
    return function
  }

  fileprivate mutating func readNullIfPresent() throws(CryptoError) {
    try readOptional(.null)?.finish()
  }
}

extension PublicKey {
  /// Whether the contents of a certificate's signatureValue are a signature of `message`. False for an algorithm of
  /// another key type.
  ///
  /// Timing: depends on its input, all of which is public.
  package func isValidSignature(
    _ signature: [UInt8], for message: [UInt8], algorithm: X509SignatureAlgorithm
  ) -> Bool {
    switch (self, algorithm) {
    case (.ec(let key), .ecdsa(let function)): key.isValidSignature(der: signature, for: message, function: function)
    case (.rsa(let key), .rsaPKCS1(let function)):
      key.isValidSignature(signature, for: message, padding: .pkcs1v15, function: function)
    case (.rsa(let key), .rsaPSS(let function)):
      key.isValidSignature(signature, for: message, padding: .pss, function: function)
    case (.ed25519(let key), .ed25519): key.isValidSignature(signature, for: message)
    case (.mlDSA(let key), .mlDSA(let parameterSet)):
      key.parameterSet == parameterSet && key.isValidSignature(signature, for: message)
    default: false
    }
  }
}

extension AnyRSAPublicKey {
  fileprivate func isValidSignature(
    _ signature: [UInt8], for message: [UInt8], padding: RSASignaturePadding, function: X509SignatureAlgorithm.Function
  ) -> Bool {
    switch function {
    case .sha256: isValidSignature(signature, for: message, padding: padding, function: SHA2.SHA256.self)
    case .sha384: isValidSignature(signature, for: message, padding: padding, function: SHA2.SHA384.self)
    case .sha512: isValidSignature(signature, for: message, padding: padding, function: SHA2.SHA512.self)
    }
  }
}

extension AnyECPublicKey {
  fileprivate func isValidSignature(
    der signature: [UInt8], for message: [UInt8], function: X509SignatureAlgorithm.Function
  ) -> Bool {
    switch self {
    case .p256(let key): key.isValidSignature(der: signature, for: message, function: function)
    case .p384(let key): key.isValidSignature(der: signature, for: message, function: function)
    case .p521(let key): key.isValidSignature(der: signature, for: message, function: function)
    case .secp256k1(let key): key.isValidSignature(der: signature, for: message, function: function)
    }
  }
}

extension ECPublicKey where Use: KeyUse.Signs {
  fileprivate func isValidSignature(
    der: [UInt8], for message: [UInt8], function: X509SignatureAlgorithm.Function
  ) -> Bool {
    guard let signature = try? ECDSASignature<Curve>(derRepresentation: der) else { return false }
    return switch function {
    case .sha256: isValidSignature(signature, forDigest: SHA2.SHA256.hash(message), of: SHA2.SHA256.self)
    case .sha384: isValidSignature(signature, forDigest: SHA2.SHA384.hash(message), of: SHA2.SHA384.self)
    case .sha512: isValidSignature(signature, forDigest: SHA2.SHA512.hash(message), of: SHA2.SHA512.self)
    }
  }
}
