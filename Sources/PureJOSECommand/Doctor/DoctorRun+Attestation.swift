import JOSE
import PlatformSSOKit

extension DoctorRun {
  private static let attestationSource = "Apple, Validating Managed Device Attestation"

  /// The registration of a Mac with an attestation by the administrator's own authority.
  func attested(
    _ name: String, _ keys: DeviceKeys, token: String?, by authority: AttestationAuthority
  ) async throws -> AttestedRegistration {
    try AttestedRegistration(
      name, keys, token: token, authority: authority, nonces: await nonces(), now: device.clock.now)
  }

  /// Tries attestations that prove nothing, each of a Mac of its own, and at last a sound one again: a server that
  /// refuses that one may have refused the others for another reason.
  mutating func refusedAttestations(_ registration: DoctorRegistration, by authority: AttestationAuthority) async {
    let isNamed = registration.format == .standard
    for mutation in AttestationMutation.all + (isNamed ? [.ofAnotherMac] : []) {
      guard !isOutOfTime else {
        record(mutation.name, .skipped, "out of time", rule: mutation.rule)
        continue
      }
      do {
        var changed = try await sound(registration, by: authority)
        try mutation.apply(&changed)
        try await refused(changed, registration, mutation.name, mutation.rule, ifAccepted: mutation.ifAccepted)
      } catch {
        record(mutation.name, .wrong, Self.described(error), rule: mutation.rule)
      }
    }
    do {
      try await soundAndUsed(registration, by: authority)
    } catch {
      record(Self.soundName, .wrong, Self.described(error), rule: Self.soundRule)
    }
  }

  private static let soundName = "a sound one after these"
  private static let soundRule = "the refusals above are of attestations, and not of registrations that are too many"

  /// Registers a Mac with a sound attestation, and another one with an attestation for the same nonce.
  private mutating func soundAndUsed(
    _ registration: DoctorRegistration, by authority: AttestationAuthority
  ) async throws {
    let first = try await sound(registration, by: authority)
    let answer = try await transport.send(first.httpRequest(to: registration))
    let isTaken = (200..<300).contains(answer.status)
    record(
      Self.soundName, isTaken ? .right : .wrong, isTaken ? "registered" : "refused, \(answer.status)",
      rule: Self.soundRule)
    guard isTaken else { return }
    var second = try await sound(registration, by: authority)
    (second.registration.nonce, second.draft.nonce) = (first.registration.nonce, first.draft.nonce)
    second.clientRequestID = first.clientRequestID
    try await refused(
      second, registration, "for a nonce that was used", "a nonce is good for one attestation", ifAccepted: .wrong)
  }

  private func sound(
    _ registration: DoctorRegistration, by authority: AttestationAuthority
  ) async throws -> AttestedRegistration {
    try await attested(UUIDText.random(), .generate(), token: registration.token, by: authority)
  }

  private mutating func refused(
    _ changed: AttestedRegistration, _ registration: DoctorRegistration, _ name: String, _ rule: String,
    ifAccepted: DoctorFinding.Verdict
  ) async throws {
    let answer = try await transport.send(changed.httpRequest(to: registration))
    switch answer.status {
    // A registration's answer may well be empty.
    case 200..<300: record(name, ifAccepted, "accepted, \(answer.status)", rule: rule)
    case 429: record(name, .skipped, "too many registrations, 429", rule: rule)
    default:
      let (verdict, observed) = Self.judged(answer, ifAccepted: ifAccepted, mayAskAgain: true)
      record(name, verdict, observed, rule: rule)
    }
  }

  private mutating func record(
    _ name: String, _ verdict: DoctorFinding.Verdict, _ observed: String, rule: String
  ) {
    record(
      "attestation: \(name)", verdict, observed, rule: rule, source: Self.attestationSource,
      isMutation: name != Self.soundName)
  }
}
