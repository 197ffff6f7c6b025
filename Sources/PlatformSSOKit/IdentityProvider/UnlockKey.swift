import JOSE
import PureCrypto

/// A user's unlock key: the provider keeps its private half, the device wraps its secrets for the public one.
///
/// For one user and device it must stay the same: a new one would orphan what the device has wrapped.
public struct UnlockKey: Sendable {
  let privateKey: P256AgreementPrivateKey

  /// A fresh key.
  public static func generate() -> UnlockKey { UnlockKey(privateKey: P256AgreementPrivateKey()) }

  init(privateKey: P256AgreementPrivateKey) {
    self.privateKey = privateKey
  }

  /// A key that was stored: 32 octets, big-endian.
  ///
  /// - Throws: `ErrorCode.keyInvalid`.
  public init(rawRepresentation octets: SecretBytes) throws(JOSEError) {
    guard let key = unsafe octets.withUnsafeBytes({ try? unsafe P256AgreementPrivateKey(rawRepresentation: $0) }) else {
      throw JOSEError(.keyInvalid, "the private key is out of range")
    }
    privateKey = key
  }

  /// The private key, 32 octets, big-endian. Keep it as you would keep the key.
  public var rawRepresentation: SecretBytes { privateKey.rawRepresentation }

  /// The public key, as 65 octets `04 ‖ X ‖ Y`.
  public var x963Representation: [UInt8] { privateKey.publicKey.x963Representation }

  /// A self-signed certificate for key agreement, in DER, with the key's identifier.
  ///
  /// Apple shows no profile; servers issue self-signed ones for a day to a year.
  /// - Parameters:
  ///   - commonName: issuer and subject.
  ///   - notBefore: when it is issued.
  ///   - lifetime: how long it is valid from then on.
  ///   - backdating: by how much its validity begins earlier, so that a Mac whose clock is slow takes it.
  public func selfSignedCertificate(
    commonName: String, notBefore: NumericDate, lifetime: Duration = .seconds(365 * 86_400),
    backdating: Duration = .seconds(86_400)
  ) -> [UInt8] {
    Certificate.selfSigned(
      privateKey, commonName: commonName, notBefore: notBefore.advanced(by: -backdating.inSeconds),
      notAfter: notBefore.advanced(by: lifetime))
  }
}

extension UnlockKey: Redacted {}
