import JOSE

/// Which Macs may register at a provider, and which registered ones may come with other keys.
///
/// A new Mac needs what `admits` and `attestation` ask for. A name that is taken keeps its keys. It is given others
/// for one of these alone: an attestation of the same Mac, a signature by its registered key
/// (``DeviceRegistration/sign(with:nonce:)``), or the word of an administrator (`approves`). The profile's token is
/// none of them: every Mac that has the profile has it.
///
/// ```swift
/// let policy = RegistrationPolicy(attestation: attestation) { registration in
///   await tokens.isGood(registration.registrationToken, forMac: registration.udid)
/// }
/// let device = try await provider.registerDevice(from: request, by: policy)
/// ```
public struct RegistrationPolicy: Sendable {
  package var attestation: AttestationPolicy?
  package var admits: @Sendable (DeviceRegistration) async throws -> Bool
  package var approves: @Sendable (_ registration: DeviceRegistration, _ known: RegisteredDevice) async throws -> Bool

  /// A policy of these three questions. Without `approves`, a registered Mac that lost its keys is refused.
  ///
  /// - Parameters:
  ///   - attestation: whom Apple must attest; nil where no attestation is asked for. Then, and where the attestation
  ///     need not name the Mac, what a registration says of it is the sender's word, and every name that is free can
  ///     be taken.
  ///   - admits: whether a registration is expected, by the token that came with it: best one for each Mac, or else the
  ///     profile's, compared in constant time. It is asked again for a registration that comes again, since an answer
  ///     may be lost: a token for one use stays good for the signing key that it came with first.
  ///   - approves: whether an administrator has allowed a registered Mac other keys, which has lost its own. By default
  ///     that is never so.
  public init(
    attestation: AttestationPolicy? = nil, admits: @escaping @Sendable (DeviceRegistration) async throws -> Bool,
    approves: @escaping @Sendable (DeviceRegistration, RegisteredDevice) async throws -> Bool = { _, _ in false }
  ) {
    (self.attestation, self.admits, self.approves) = (attestation, admits, approves)
  }
}
