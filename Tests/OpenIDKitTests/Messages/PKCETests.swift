import Testing
import OpenIDKit

@Suite("Proof keys for codes") struct PKCETests {
  @Test("S256 of RFC 7636 appendix B, and verifiers that are not legal")
  func proofKey() throws {
    let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    #expect(try PKCE(verifier: verifier).challenge == challenge)
    #expect(PKCE.isValid(verifier: verifier, forChallenge: challenge))
    #expect(!PKCE.isValid(verifier: String(verifier.dropLast()) + "l", forChallenge: challenge))
    for bad in ["short", String(repeating: "a", count: 129), String(repeating: "a", count: 42) + "/"] {
      #expect(throws: OpenIDError.self) { try PKCE(verifier: bad) }
      #expect(!PKCE.isValid(verifier: bad, forChallenge: challenge))
    }
    #expect(PKCE().verifier.utf8.count == 43 && PKCE().verifier != PKCE().verifier)
  }
}
