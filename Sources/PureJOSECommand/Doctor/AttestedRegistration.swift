import JOSE
import PlatformSSOKit
import PureCrypto

/// The registration of a Mac whose signing key is attested, before it is written.
struct AttestedRegistration {
  var registration: DeviceRegistration
  var draft: AttestationDraft
  var authority: AttestationAuthority
  /// The certificates that are sent.
  var chain: (Self) throws -> [[UInt8]] = { [$0.authority.certificate(for: $0.draft)] }
  /// Names the request that the nonce came with.
  var clientRequestID: String
  let now: NumericDate

  /// A sound one. The Mac's UDID is its name.
  init(
    _ name: String, _ keys: DeviceKeys, token: String?, authority: AttestationAuthority, nonces: RequestNonces,
    now: NumericDate
  ) throws {
    guard let key = keys.signingKey else {
      throw JOSEError(.callerMisuse, "the Mac's signing key is not here", name: "keys")
    }
    self.registration = try DeviceRegistration(
      deviceID: name, udid: name, keys: keys, registrationToken: token)
    self.registration.nonce = nonces.serverNonce
    draft = AttestationDraft(
      key: key, nonce: nonces.serverNonce, serialNumber: "TEST\(name.prefix(8))", udid: name,
      validity: now.advanced(by: .seconds(-3600))...now.advanced(by: .seconds(3600)))
    (self.authority, self.now) = (authority, now)
    clientRequestID = nonces.clientRequestID
  }

  func httpRequest(to registration: DoctorRegistration) throws -> HTTPRequestValue {
    var sent = self.registration
    sent.attestation = try chain(self)
    return try sent.httpRequest(to: registration.url, format: registration.format, clientRequestID: clientRequestID)
  }
}

/// A change to an attested registration that a server must refuse.
struct AttestationMutation: Sendable {
  let name: String
  let rule: String
  let ifAccepted: DoctorFinding.Verdict
  let apply: @Sendable (inout AttestedRegistration) throws -> Void

  private init(
    _ name: String, _ rule: String, ifAccepted: DoctorFinding.Verdict = .wrong,
    _ apply: @escaping @Sendable (inout AttestedRegistration) throws -> Void
  ) {
    (self.name, self.rule, self.ifAccepted, self.apply) = (name, rule, ifAccepted, apply)
  }

  private static let trust = "an attestation ends at an authority that the server trusts"
  private static let freshness = "an attestation carries the hash of a nonce that the server gave for it"

  static let all: [AttestationMutation] = [
    AttestationMutation("no attestation", "a server that trusts an authority wants an attestation") { attested in
      attested.registration.nonce = nil
      attested.chain = { _ in [] }
    },
    AttestationMutation("by an authority that only has the same name", trust) { attested in
      attested.authority = try attested.authority.impostor(now: attested.now)
    },
    AttestationMutation("by an authority that the registration brings along", trust) { attested in
      attested.authority = try .generate(now: attested.now)
      attested.chain = { [$0.authority.certificate(for: $0.draft), $0.authority.certificate] }
    },
    AttestationMutation("by a key that is only attested itself", "attested keys sign no certificates") { attested in
      let (trusted, between) = (attested.authority, try SigningKey.generate(.es256))
      var leaf = attested.draft
      leaf.key = between
      let certificate = trusted.certificate(for: leaf)
      attested.authority = try AttestationAuthority(certificate: certificate, key: between)
      attested.chain = { [$0.authority.certificate(for: $0.draft), certificate] }
    },
    AttestationMutation("of another key", "the attested key is the one that is registered") { attested in
      attested.draft.key = try .generate(.es256)
    },
    AttestationMutation("for another nonce", freshness) { $0.draft.nonce = UUIDText.random() },
    AttestationMutation("for no nonce", freshness) { $0.draft.nonce = nil },
    AttestationMutation("for a nonce that the server did not give", freshness) { attested in
      let nonce = UUIDText.random()
      (attested.registration.nonce, attested.draft.nonce) = (nonce, nonce)
    },
    AttestationMutation("that has expired", "certificates are good for as long as they say", ifAccepted: .lenient) {
      $0.draft.validity = $0.now.advanced(by: .seconds(-7200))...$0.now.advanced(by: .seconds(-3600))
    },
  ]

  /// For formats in which a registration names its Mac. A server may well go by what is attested alone.
  static let ofAnotherMac = AttestationMutation(
    "of another Mac", "what the sender claims of a Mac does not contradict what is attested", ifAccepted: .lenient
  ) { $0.draft.udid = UUIDText.random() }
}
