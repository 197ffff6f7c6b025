import PureCrypto
import StrictJSON

extension JWK {
  /// Reads the members of an RSA key.
  ///
  /// Source: RFC 7518 §6.3.
  static func rsaMaterial(_ object: JSONObject) throws(JOSEError) -> Material {
    let publicKey = try rsaPublicKey(object)
    guard object["oth"] == nil else {
      throw JOSEError(.algorithmUnsupported, "a key with more than two primes is not implemented", name: "oth")
    }
    let present = factorMembers.filter { object[$0] != nil }
    guard object["d"] != nil else {
      guard present.isEmpty else { throw JOSEError(.keyInvalid, "a required member is absent", name: "d") }
      return .rsaPublic(publicKey)
    }
    let d = try object.requiredKeySecret("d")
    // A producer that writes one of the factors writes all of them (RFC 7518 §6.3.2).
    var factors: [SecretBytes] = []
    if !present.isEmpty {
      for name in factorMembers { factors.append(try object.requiredKeySecret(name)) }
    }
    do throws(CryptoError) {
      return .rsaPrivate(
        factors.isEmpty
          ? try RSAPrivateKey(publicKey: publicKey, d: d)
          : try RSAPrivateKey(
            publicKey: publicKey, d: d, p: factors[0], q: factors[1], dp: factors[2], dq: factors[3], qi: factors[4]))
    } catch {
      throw JOSEError(.keyInvalid, "the private members are out of range or do not belong together", name: "d")
    }
  }

  private static func rsaPublicKey(_ object: JSONObject) throws(JOSEError) -> RSAPublicKey {
    let modulus = try object.requiredKeyOctets("n")
    let exponent = try object.requiredKeyOctets("e")
    do throws(CryptoError) {
      return try RSAPublicKey(modulus: modulus, exponent: exponent)
    } catch {
      guard error.code == .invalidKeyLength else {
        throw JOSEError(.keyInvalid, "modulus or exponent is even, out of range, or has leading zeros", name: "n")
      }
      guard modulus.count <= 256 else {
        throw JOSEError(.keyInvalid, "the modulus has more than 8192 bits", name: "n")
      }
      throw JOSEError(.keyTooWeak, "an RSA modulus needs 2048 bits or more (RFC 7518 §3.3)", name: "n")
    }
  }

  /// The members of a private key besides `d`, all or none of which are present.
  private static let factorMembers = ["p", "q", "dp", "dq", "qi"]

  static func publicMembers(_ key: RSAPublicKey) -> JSONObject {
    [
      "kty": "RSA", "n": .string(Base64URL.encode(key.modulus)), "e": .string(Base64URL.encode(key.publicExponent)),
    ]
  }

  static func appendPrivateMembers(of key: RSAPrivateKey, to object: inout JSONObject) {
    let numbers = key.numbers
    object["d"] = unsignedInteger(numbers.d)
    for (name, number) in zip(factorMembers, numbers.factors) { object[name] = unsignedInteger(number) }
  }

  /// Base64urlUInt: without leading zeros. Source: RFC 7518 §2.
  private static func unsignedInteger(_ number: SecretBytes) -> JSONValue {
    .string(number.withUnsafeBytes { Base64URL.encode($0.drop { $0 == 0 }) })
  }
}

extension JSONObject {
  /// The octets of a member as a secret.
  fileprivate func requiredKeySecret(_ name: String) throws(JOSEError) -> SecretBytes {
    SecretBytes(copying: try requiredKeyOctets(name))
  }
}
