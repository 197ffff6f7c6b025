import JOSE
import StrictJSON
import Testing

/// RFC 8725 §3.12: the rules for the kinds of tokens that one issuer makes exclude each other.
@Suite("Kinds of tokens exclude each other")
struct ProfileExclusionTests {
  /// Whether a kind's policy takes tokens without `typ`.
  private static let untyped = ["ID token", "logout token", "request object", "client assertion"]

  @Test("each policy takes its own kind and no other", arguments: ProfileFixture.all, ProfileFixture.all)
  func matrix(_ offered: ProfileFixture, _ taken: ProfileFixture) throws {
    // Names are bent towards the policy, so that neither issuer nor audience is what saves it.
    let own = taken.claims
    let verdict = try ProfileFixture.verdict(
      of: offered.token {
        guard offered.name != taken.name else { return }
        $0["iss"] = .string(own.issuer)
        $0["aud"] = .string(own.audience.names[0])
      }, taken.policy)
    #expect(offered.name == taken.name ? verdict == "accepted" : verdict == "typeMismatch(typ)" || isClaim(verdict))
  }

  @Test(
    "kinds that began without a type exclude each other without it", arguments: ProfileFixture.all, ProfileFixture.all)
  func untypedMatrix(_ offered: ProfileFixture, _ taken: ProfileFixture) throws {
    for type in [nil, "JWT"] {
      let verdict = try ProfileFixture.verdict(of: offered.token(type: .some(type)), taken.policy)
      if offered.name == taken.name {
        #expect(verdict == (Self.untyped.contains(taken.name) ? "accepted" : "typeMismatch(typ)"))
      } else {
        #expect(verdict == "typeMismatch(typ)" || isClaim(verdict), "\(verdict)")
      }
    }
  }

  @Test("a proof of possession is no token", arguments: ProfileFixture.all)
  func proofs(_ taken: ProfileFixture) throws {
    let proof = try DPoP.proof(
      method: "GET", url: "https://api.example.com/", key: TestKeys.signing(), clock: ProfileFixture.clock)
    #expect(try ProfileFixture.verdict(of: proof, taken.policy) == "typeMismatch(typ)")
  }

  /// Whether a token was refused for what it says.
  private func isClaim(_ verdict: String) -> Bool {
    verdict.hasPrefix("claimMissing(") || verdict.hasPrefix("claimMismatch(")
  }
}
