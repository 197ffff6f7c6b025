import JOSE
import PureCrypto
import Testing

@Suite("Nonces of DPoP proofs") struct DPoPNoncesTests {
  private static let secret = SecretBytes(copying: Array(repeating: 7, count: 32))
  private static let other = SecretBytes(copying: Array(repeating: 8, count: 32))

  private static func verifier(
    _ policy: DPoPNoncePolicy, at date: NumericDate = DPoPTests.now
  ) -> DPoPVerifier {
    var verifier = DPoPTests.verifier(at: date)
    verifier.nonces = policy
    return verifier
  }

  @Test func `a server that asks for nonces refuses proofs without one, and takes its own`() async throws {
    let key = try TestKeys.signing()
    let verifier = Self.verifier(.required(DPoPNonces()))
    let nonce = try #require(verifier.currentNonce)
    #expect(nonce.utf8.count == 22)
    #expect(try await DPoPTests.refusal(DPoPTests.proof(key), by: verifier) == "dpopNonceRequired(nonce)")
    #expect(try await DPoPTests.refusal(DPoPTests.proof(key, nonce: ""), by: verifier) == "dpopNonceRequired(nonce)")
    #expect(
      try await DPoPTests.refusal(DPoPTests.proof(key, nonce: nonce + "A"), by: verifier) == "dpopNonceRequired(nonce)")
    #expect(try await DPoPTests.refusal(DPoPTests.proof(key, nonce: nonce), by: verifier) == "accepted")
    let theirs = Self.verifier(.required(DPoPNonces())).currentNonce
    #expect(
      try await DPoPTests.refusal(DPoPTests.proof(key, nonce: theirs), by: verifier) == "dpopNonceRequired(nonce)")
  }

  @Test func `where nonces may be left out, a wrong one is refused all the same`() async throws {
    let key = try TestKeys.signing()
    let verifier = Self.verifier(.ifPresent(DPoPNonces()))
    #expect(try await DPoPTests.refusal(DPoPTests.proof(key), by: verifier) == "accepted")
    #expect(try await DPoPTests.refusal(DPoPTests.proof(key, nonce: "n"), by: verifier) == "dpopNonceRequired(nonce)")
    #expect(try await DPoPTests.refusal(DPoPTests.proof(key, nonce: verifier.currentNonce), by: verifier) == "accepted")
    #expect(DPoPTests.verifier().currentNonce == nil)
    #expect(try await DPoPTests.refusal(DPoPTests.proof(key, nonce: "n"), by: DPoPTests.verifier()) == "accepted")
  }

  @Test func `a refused proof may come again with a nonce, for it was not noted`() async throws {
    let key = try TestKeys.signing()
    var verifier = Self.verifier(.required(DPoPNonces()))
    let proof = try DPoPTests.proof(key)
    #expect(await DPoPTests.refusal(proof, by: verifier) == "dpopNonceRequired(nonce)")
    verifier.nonces = .unchecked
    #expect(await DPoPTests.refusal(proof, by: verifier) == "accepted")
  }

  @Test func `a nonce is valid for its span and the next one, and up to 60 seconds before them`() throws {
    let nonces = try DPoPNonces(secret: Self.secret, span: .seconds(100))
    let now = NumericDate(1_700_000_000)  // Begins a span of 100 seconds.
    let nonce = nonces.nonce(at: now)
    #expect(nonces.nonce(at: now.advanced(by: 99)) == nonce && nonces.nonce(at: now.advanced(by: 100)) != nonce)
    for (seconds, isGood) in [(-61.0, false), (-60, true), (0, true), (99, true), (199, true), (200, false)] {
      #expect(nonces.isGood(nonce, at: now.advanced(by: seconds)) == isGood, "\(seconds)")
    }
  }

  @Test func `machines share nonces by their secret, also while it is replaced`() throws {
    let now = DPoPTests.now
    let old = try DPoPNonces(secret: Self.secret).nonce(at: now)
    #expect(try DPoPNonces(secret: Self.secret).isGood(old, at: now))
    #expect(try !DPoPNonces(secret: Self.other).isGood(old, at: now))
    let new = try DPoPNonces(secret: Self.other, previousSecrets: [Self.secret])
    #expect(new.isGood(old, at: now) && new.nonce(at: now) != old)
  }

  @Test func `a short secret and a span out of range are refused as callerMisuse`() throws {
    let short = SecretBytes(copying: Array(repeating: 7, count: 31))
    #expect(code { _ = try DPoPNonces(secret: short) } == .callerMisuse)
    #expect(code { _ = try DPoPNonces(secret: Self.secret, previousSecrets: [short]) } == .callerMisuse)
    for span in [Int.min, 0, 9, 3601, .max] {
      #expect(code { _ = try DPoPNonces(secret: Self.secret, span: .seconds(span)) } == .callerMisuse)
    }
    for span in [10, 3600] { _ = try DPoPNonces(secret: Self.secret, span: .seconds(span)) }
  }

  @Test func `a token request may have one DPoP proof or none, and not two`() async throws {
    let (verifier, proof) = (DPoPTests.verifier(), try DPoPTests.proof(TestKeys.signing()))
    #expect(try await verifier.verify(fields: [], method: "POST", url: DPoPTests.url) == nil)
    await #expect(throws: JOSEError.self) {
      try await verifier.verify(fields: [proof, proof], method: "POST", url: DPoPTests.url)
    }
    #expect(try await verifier.verify(fields: [proof], method: "POST", url: DPoPTests.url)?.issuedAt == DPoPTests.now)
  }
}
