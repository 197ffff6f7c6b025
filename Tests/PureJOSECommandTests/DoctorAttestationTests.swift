import JOSE
import PureCrypto
import Synchronization
import Testing

@testable import PlatformSSOKit
@testable import PureJOSECommand

@Suite("jose psso doctor, attestations")
struct DoctorAttestationTests {
  private static let clock = WallClock.standing

  /// Whether a server takes a registration, which is all that its faults are about.
  typealias Judge = @Sendable (DeviceRegistration) throws -> Bool

  private func rows(
    _ policy: (AttestationAuthority) throws -> RegistrationPolicy
  ) async throws -> (all: [String: DoctorFinding.Verdict], bad: Set<String>) {
    let authority = try AttestationAuthority.generate(now: Self.clock.now)
    var (provider, subject) = try await OwnProvider.make(clock: Self.clock, registration: policy(authority))
    provider.provider.configuration.bindsServerNonces = true
    subject.registration?.authority = authority
    var run = DoctorRun(subject: subject, transport: provider, extent: DoctorRun.Extent(isQuick: true))
    let found = try await run.examine().findings.filter {
      ["registration", "second Mac", "attestation"].contains($0.part)
    }
    let bad = found.filter { [.wrong, .lenient].contains($0.verdict) }
    return (
      Dictionary(found.map { ($0.name, $0.verdict) }, uniquingKeysWith: { first, _ in first }), Set(bad.map(\.name))
    )
  }

  /// The names of attestations that a server took which judges them by `judge`.
  private func taken(_ judge: (AttestationAuthority) throws -> Judge) async throws -> Set<String> {
    let bad = try await rows { authority in
      let judge = try judge(authority)
      return RegistrationPolicy { registration in
        registration.registrationToken == OwnProvider.registrationToken && ((try? judge(registration)) ?? false)
      }
    }
    .bad
    return Set(bad.map { $0.replacing("attestation: ", with: "") })
  }

  private static func trust(_ roots: [[UInt8]], at clock: WallClock = clock) throws -> AttestationPolicy {
    try AttestationPolicy(trust: CertificateTrust(roots: roots, purpose: .attestation, clock: clock))
  }

  private static func hash(_ nonce: String?) -> [UInt8] { Array(SHA2.SHA256.hash(Array((nonce ?? "").utf8))) }

  @Test("The package's own provider takes a sound attestation of a trusted authority, and none of the others")
  func sound() async throws {
    let (all, bad) = try await rows { authority in
      RegistrationPolicy(attestation: try Self.trust([authority.certificate])) {
        $0.registrationToken == OwnProvider.registrationToken
      }
    }
    #expect(bad == [] && all.count == 23, "\(bad), \(all.count)")
    #expect(all.values.allSatisfy { $0 == .right })
  }

  @Test("A server that refuses a sound attestation is wrong, where one is sent")
  func refuses() async throws {
    let (all, bad) = try await rows { _ in RegistrationPolicy { _ in false } }
    #expect(bad == ["registration: answered"] && all["registration: answered"] == .wrong)
  }

  @Test("A server that looks at no attestation takes every one")
  func blind() async throws {
    let taken = try await taken { _ in { _ in true } }
    #expect(taken == Set((AttestationMutation.all + [.ofAnotherMac]).map(\.name) + ["for a nonce that was used"]))
  }

  @Test("A server that trusts whatever authority comes along is found out")
  func trustsAnybody() async throws {
    let taken = try await taken { authority in
      { registration in
        let brought = registration.attestation.dropFirst().last ?? authority.certificate
        _ = try Self.trust([brought]).verify(
          registration.attestation, of: registration.signingKey, clientDataHash: Self.hash(registration.nonce))
        return registration.nonce != nil
      }
    }
    #expect(taken.contains("by an authority that the registration brings along"))
    #expect(!taken.contains("by an authority that only has the same name") && !taken.contains("of another key"))
  }

  @Test("A server that compares names of authorities, and no signatures, is found out")
  func comparesNames() async throws {
    let taken = try await taken { authority in
      let issuer = try X509Certificate(derRepresentation: authority.certificate).subject
      return { registration in
        guard let leaf = registration.attestation.first else { return false }
        return try X509Certificate(derRepresentation: leaf).issuer == issuer
      }
    }
    #expect(taken.contains("by an authority that only has the same name"))
    #expect(!taken.contains("by a key that is only attested itself") && !taken.contains("no attestation"))
  }

  @Test("A server that looks at the attested key, and not at the registered one, is found out")
  func otherKey() async throws {
    let taken = try await taken { authority in
      let policy = try Self.trust([authority.certificate])
      return { registration in
        let key = try Certificate.p256PublicKey(of: registration.attestation.first ?? [])
        _ = try policy.verify(
          registration.attestation, of: RegisteredKey(x963Representation: key),
          clientDataHash: Self.hash(registration.nonce))
        return true
      }
    }
    #expect(taken.contains("of another key") && !taken.contains("for another nonce"))
  }

  @Test("A server that uses no nonce up, and gives none, is found out")
  func nonces() async throws {
    let taken = try await taken { authority in
      let policy = try Self.trust([authority.certificate])
      return { registration in
        _ = try policy.verify(
          registration.attestation, of: registration.signingKey, clientDataHash: Self.hash(registration.nonce),
          udid: registration.udid)
        return true
      }
    }
    #expect(taken == ["for a nonce that the server did not give", "for a nonce that was used"])
  }

  @Test("A server that takes any freshness code is found out")
  func freshness() async throws {
    let taken = try await taken { authority in
      let trust = try CertificateTrust(roots: [authority.certificate], purpose: .attestation, clock: Self.clock)
      return { registration in
        let chain = try trust.validate(registration.attestation)
        return chain.publicKey.x963Representation == registration.signingKey.x963Representation
      }
    }
    #expect(
      taken == [
        "for another nonce", "for no nonce", "for a nonce that the server did not give", "for a nonce that was used",
        "of another Mac",
      ])
  }

  @Test("A server whose clock stands takes what has expired")
  func clock() async throws {
    let taken = try await taken { authority in
      let policy = try Self.trust([authority.certificate], at: .fixed(at: Self.clock.now.advanced(by: .seconds(-5400))))
      let sound = try Self.trust([authority.certificate])
      return { registration in
        let (certificates, key, hash) = (
          registration.attestation, registration.signingKey, Self.hash(registration.nonce)
        )
        if (try? sound.verify(certificates, of: key, clientDataHash: hash)) != nil { return true }
        return (try? policy.verify(certificates, of: key, clientDataHash: hash)) != nil
      }
    }
    #expect(taken.contains("that has expired"))
  }

  @Test("A server that takes no more registrations after the first ones has not shown that it looks at attestations")
  func tooMany() async throws {
    let count = Mutex(0)
    let (all, bad) = try await rows { _ in
      RegistrationPolicy { registration in
        guard registration.registrationToken == OwnProvider.registrationToken else { return false }
        return count.withLock { count in
          count += 1
          return count <= 2
        }
      }
    }
    #expect(bad == ["attestation: a sound one after these"], "\(bad)")
    #expect(all["attestation: for a nonce that was used"] == nil)
  }

  @Test("An authority is named beside a profile, by both files, and not for the package's own provider")
  func options() {
    let files = ["root.pem": Array("none".utf8)]
    for arguments in [
      ["in-process", "--attestation-root", "root.pem"], ["in-process", "--attestation-key", "root.pem"],
    ] {
      let run = CommandRun(["psso", "doctor"] + arguments, files: files)
      #expect(run.status == .usage && run.errors.first?.contains("--attestation-root") == true, "\(run.errors)")
    }
  }

  @Test("An authority is one certificate and its own key")
  func authorities() throws {
    let authority = try AttestationAuthority.generate(now: Self.clock.now)
    let other = try SigningKey.generate(.es256)
    let error = #expect(throws: JOSEError.self) {
      try AttestationAuthority(certificate: authority.certificate, key: other)
    }
    #expect(error?.code == .keyMismatch)
    try authority.requireSound(clock: Self.clock)
    let late = WallClock.fixed(at: Self.clock.now.advanced(by: .seconds(90_000)))
    #expect(throws: JOSEError.self) { try authority.requireSound(clock: late) }
    let leaf = authority.certificate(
      for: AttestationDraft(
        key: other, nonce: nil, serialNumber: nil, udid: nil, validity: NumericDate(0)...NumericDate(4_000_000_000)))
    #expect(throws: JOSEError.self) {
      try AttestationAuthority(certificate: leaf, key: other).requireSound(clock: Self.clock)
    }
    let malformed = #expect(throws: JOSEError.self) { try AttestationAuthority(certificate: [0x30, 0], key: other) }
    #expect(malformed?.code == .certificateInvalid)
  }
}
