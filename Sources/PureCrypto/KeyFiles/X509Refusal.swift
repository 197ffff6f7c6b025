/// Why a certificate is not one of a chain: the field or extension that is wrong, by its name in RFC 5280.
package struct X509Refusal: Error, Sendable {
  /// A rule, named after what it is about.
  package enum Rule: String, Sendable {
    case encoding, version, serialNumber, signatureAlgorithm, issuer, validity, subject, subjectPublicKeyInfo
    case uniqueIdentifier, extensions, basicConstraints, keyUsage, extKeyUsage, subjectAltName, nameConstraints
    case subjectKeyIdentifier, authorityKeyIdentifier
  }

  package let rule: Rule
  package let text: StaticString

  package init(_ rule: Rule, _ text: StaticString) {
    self.rule = rule
    self.text = text
  }

  /// Runs a reader whose failures concern one rule.
  static func reading<Value>(
    _ rule: Rule, _ body: () throws(CryptoError) -> Value
  ) throws(X509Refusal) -> Value {
    do throws(CryptoError) {
      return try body()
    } catch {
      throw X509Refusal(rule, error.text)
    }
  }
}
