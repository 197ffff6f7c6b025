import JOSE
import PureCrypto

/// Which attestations of Macs' keys a provider takes (macOS 15.4 and later, on Apple silicon).
///
/// An attestation is a chain of certificates, leaf first, by which Apple says that a key lives in a genuine Secure
/// Enclave, and, if the profile has `AllowDeviceIdentifiersInAttestation`, in which Mac. macOS attests the device's
/// signing key and the user's Secure Enclave key, not the encryption key. Without identifiers it proves a genuine Mac
/// and not which one: then ask for a registration token as well.
///
/// ```swift
/// var policy = try AttestationPolicy(
///   trust: CertificateTrust(pemRoots: appleEnterpriseAttestationRoot, purpose: .attestation))
/// policy.requiresDeviceIdentifiers = true
/// let registrations = RegistrationPolicy(attestation: policy) { tokens.contain($0.registrationToken) }
/// let device = try await provider.registerDevice(from: request, by: registrations)
/// ```
///
/// The root is the caller's: `Apple Enterprise Attestation Root CA`, an ECDSA key on P-384, valid until 2047, from
/// Apple's page of certificate authorities. SHA-256 of its DER is
/// `CCF59EF8FCB3017D97F8B5FA6FA90E7A3F9283F76B55AC6CF6EDA8B8B949F05B`. Revocation is not checked: ask for it with the
/// ``VerifiedAttestation/chain``.
///
/// Source: Apple, attestKey of the login manager; Validating Managed Device Attestation.
public struct AttestationPolicy: Sendable {
  /// Whether an attestation must name the Mac's serial number and UDID. Default false.
  public var requiresDeviceIdentifiers = false

  /// Whom to trust, for keys that devices attest.
  package let trust: CertificateTrust

  /// A policy that trusts some roots.
  ///
  /// - Throws: `ErrorCode.callerMisuse` if the trust is for another purpose than attestation.
  public init(trust: CertificateTrust) throws(JOSEError) {
    guard trust.purpose == .attestation else {
      throw JOSEError(.callerMisuse, "the trust must have the purpose attestation", name: "trust")
    }
    self.trust = trust
  }

  /// Checks the attestation of a key that was asked for with some hash: for a registration, SHA-256 of a server nonce's
  /// text, which must have been used up before. ``IdentityProvider/registerDevice(from:format:by:)`` does.
  ///
  /// In this order: the chain, the key, freshness, identifiers.
  /// - Parameters:
  ///   - certificates: in DER, leaf first. The root may stand at the end.
  ///   - key: the key that is registered.
  ///   - clientDataHash: the 32 octets that the extension handed to `attestKey`. They must belong to this registration
  ///     and no other.
  ///   - serialNumber: what the attestation must name; nil for any or none.
  ///   - udid: what the attestation must name; nil for any or none.
  /// - Throws: `ErrorCode.attestationMissing` without certificates;
  ///   `ErrorCode.attestationInvalid` with the rule that is broken as the error's name, such as
  ///   `x5c[1].keyUsage`; `ErrorCode.attestationKeyMismatch`;
  ///   `ErrorCode.attestationNotFresh`; `ErrorCode.attestedIdentifierMissing` and
  ///   `ErrorCode.attestedIdentifierMismatch`, named `serialNumber` or `udid`;
  ///   `ErrorCode.limitExceeded`; `ErrorCode.callerMisuse` for a hash of another length.
  public func verify(
    _ certificates: [[UInt8]], of key: RegisteredKey, clientDataHash: [UInt8], serialNumber: String? = nil,
    udid: String? = nil
  ) throws(JOSEError) -> VerifiedAttestation {
    guard clientDataHash.count == 32 else {
      throw JOSEError(.callerMisuse, "the hash of the client's data has 32 octets", name: "clientDataHash")
    }
    guard !certificates.isEmpty else {
      throw JOSEError(.attestationMissing, "there are no certificates", name: "attestation")
    }
    let chain: CertificateChain
    do throws(JOSEError) {
      chain = try trust.validate(certificates)
    } catch {
      throw Self.refusal(error)
    }
    guard chain.publicKey.x963Representation == key.x963Representation else {
      throw JOSEError(.attestationKeyMismatch, "the attested key must be the registered one", name: "x5c[0]")
    }
    guard let hash = chain.extensionValue(AttestedProperty.freshness) else {
      throw JOSEError(.attestationNotFresh, "the attestation has no freshness code", name: "freshness")
    }
    let bareHash = hash.count == clientDataHash.count ? hash : VerifiedAttestation.bareOctets(hash)
    guard ConstantTime.equal(bareHash, clientDataHash) else {
      throw JOSEError(.attestationNotFresh, "the attestation was made for something else", name: "freshness")
    }
    let attestation = VerifiedAttestation(chain: chain)
    try require(attestation.serialNumber, serialNumber, "serialNumber")
    try require(attestation.udid, udid, "udid")
    return attestation
  }

  /// An identifier that is expected or required must be attested, and be the one expected.
  private func require(_ attested: String?, _ expected: String?, _ name: String) throws(JOSEError) {
    guard expected != nil || requiresDeviceIdentifiers else { return }
    guard let attested else {
      throw JOSEError(
        .attestedIdentifierMissing,
        "the attestation doesn't name the Mac: the profile needs AllowDeviceIdentifiersInAttestation", name: name)
    }
    guard let expected else { return }
    guard WireName(attested) == expected else {
      throw JOSEError(.attestedIdentifierMismatch, "the attestation names another Mac", name: name)
    }
  }

  private static func refusal(_ error: JOSEError) -> JOSEError {
    switch error.code {
    case .certificateInvalid:
      JOSEError(
        .attestationInvalid, "the certificate chain is invalid or ends at no trusted root", name: error.name)
    default: error
    }
  }
}
