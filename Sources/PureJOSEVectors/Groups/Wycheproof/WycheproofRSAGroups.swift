import JOSE
import PureCrypto

/// Wycheproof's RSASSA-PKCS1-v1_5.
struct WycheproofRSAPKCS1Group: VectorGroup {
  private let key: AnyRSAPublicKey
  private let function: HashFunction

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    key = try group.wycheproofRSAKey(jwkName: "keyJwk")
    function = try HashFunction(named: try group.string("sha"))
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let message = try test.octets("msg")
    let signature = try test.octets("sig")
    return .accepted(if: function.type.isValid(signature, for: message, by: key, padding: .pkcs1v15))
  }
}

/// Wycheproof's RSASSA-PSS.
struct WycheproofRSAPSSGroup: VectorGroup {
  private let key: AnyRSAPublicKey
  private let parameters: PSSParameters

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    key = try group.wycheproofRSAKey(jwkName: "publicKeyJwk")
    parameters = try PSSParameters(reading: group)
  }

  func run(_ test: MemberReader) throws -> Verdict {
    parameters.judge(try test.octets("sig"), of: try test.octets("msg"), with: key)
  }
}

extension MemberReader {
  /// The group's public key, in each of the forms that it is given in.
  fileprivate func wycheproofRSAKey(jwkName: String) throws(VectorFault) -> AnyRSAPublicKey {
    let numbers = try object("publicKey")
    // Integers as Java writes them: a zero octet in front where the highest bit is set.
    let modulus = try numbers.octets("modulus").drop { $0 == 0 }
    let exponent = try numbers.octets("publicExponent").drop { $0 == 0 }
    let pkcs1 = try octets("publicKeyAsn")
    let der = try octets("publicKeyDer")
    let pem = try string("publicKeyPem")
    let key: AnyRSAPublicKey
    do throws(CryptoError) {
      key = try AnyRSAPublicKey(modulus: modulus, exponent: exponent)
      guard try AnyRSAPublicKey(derRepresentation: pkcs1) == key, try AnyRSAPublicKey(derRepresentation: der) == key,
        try AnyRSAPublicKey(pemRepresentation: pem) == key, key.pkcs1Representation == pkcs1,
        key.derRepresentation == der, try AnyRSAPublicKey(pemRepresentation: key.pemRepresentation) == key
      else { throw CryptoError(.invalidPublicKey, "its forms are different keys") }
    } catch {
      throw .malformed("the public key: \(error)")
    }
    guard try integer("keySize") == key.bitCount else { throw .malformed("keySize is not that of the modulus") }
    try requireSameKey(inJWK: jwkName, asDER: der)
    return key
  }
}
