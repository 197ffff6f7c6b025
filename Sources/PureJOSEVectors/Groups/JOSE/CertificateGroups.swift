import JOSE
import StrictJSON

/// The key in a certificate, and the certificate's thumbprints.
struct LeafCertificateGroup: BareGroup {
  func run(_ test: MemberReader) throws -> Verdict {
    let octets = try test.octets("certificate")
    let key = try test.jsonObject(ifPresent: "jwk")
    let sha1Thumbprint = try test.string(ifPresent: "x5t")
    let sha256Thumbprint = try test.string(ifPresent: "x5tS256")
    let certificate = try LeafCertificate(derRepresentation: octets)
    guard let key, certificate.isFor(try JWK(key)), try certificate.publicKey.publicJSONObject() == key else {
      return .wrong("the key is another one")
    }
    guard certificate.sha1Thumbprint == sha1Thumbprint, certificate.sha256Thumbprint == sha256Thumbprint else {
      return .wrong("a thumbprint differs")
    }
    guard try LeafCertificate(pemRepresentation: certificate.pemRepresentation).derRepresentation == octets else {
      return .wrong("PEM gives another certificate")
    }
    var members = key
    members["x5c"] = [.string(Base64.encode(octets))]
    members["x5t"] = sha1Thumbprint.map { .string($0) }
    members["x5t#S256"] = sha256Thumbprint.map { .string($0) }
    return .accepted(
      if: try JWK(members).leafCertificate()?.derRepresentation == octets, otherwise: "a JWK's certificate differs")
  }
}

/// Certificates in the header of a token that verifies.
struct CertificateHeaderGroup: VectorGroup {
  private let key: JSONObject

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    key = try group.jsonObject("key")
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let token = try test.string("token")
    let sha256Thumbprint = try test.string(ifPresent: "x5tS256")
    // The certificate chooses no key: the token verifies with the one that is trusted.
    let verified = try JWS.verify(token, with: VerificationKey(JWK(key), algorithm: .es256))
    let certificate = try verified.leafCertificate()
    return .accepted(
      if: certificate?.sha256Thumbprint == sha256Thumbprint, otherwise: "the certificate is another one")
  }
}
