import PureCrypto

/// Which certificate of a validation an error is about, as ``JOSEError/name`` writes it.
enum CertificatePlace {
  /// Of the chain, from 0 for that of the key.
  case chain(Int)
  /// Of the trusted roots, from 0.
  case root(Int)

  func refusal(_ rule: String, _ text: StaticString) -> JOSEError {
    let place =
      switch self {
      case .chain(let index): "x5c[\(index)]"
      case .root(let index): "root[\(index)]"
      }
    return JOSEError(.certificateInvalid, text, name: "\(place).\(rule)")
  }
}

extension X509Profile {
  /// Reads a certificate, with errors in JOSE's terms.
  init(reading bytes: [UInt8], as place: CertificatePlace, isAnchor: Bool = false) throws(JOSEError) {
    let certificate: X509Certificate
    do throws(CryptoError) {
      certificate = try X509Certificate(derRepresentation: bytes)
    } catch {
      throw place.refusal(X509Refusal.Rule.encoding.rawValue, error.text)
    }
    do throws(X509Refusal) {
      self = try X509Profile(certificate, isAnchor: isAnchor)
    } catch {
      throw place.refusal(error.rule.rawValue, error.text)
    }
  }

  /// Whether another certificate is for the same name and key, regardless of its issuer and its validity.
  func isSameAuthority(as other: X509Profile) -> Bool {
    certificate.subject == other.certificate.subject && publicKey == other.publicKey
  }

  /// The certificate is that of an authority, whose key signs certificates.
  func requireAuthority(_ place: CertificatePlace) throws(JOSEError) {
    guard extensions.basicConstraints?.isAuthority == true else {
      throw place.refusal("basicConstraints", "the issuer is not an authority")
    }
    guard extensions.keyUsage?.contains(.keyCertSign) ?? true else {
      throw place.refusal("keyUsage", "the issuer's key is not for certificates")
    }
  }
}
