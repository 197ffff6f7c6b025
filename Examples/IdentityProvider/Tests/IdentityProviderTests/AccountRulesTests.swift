import JOSE
import Testing

@testable import IdentityProvider

/// What names of users must be.
@Suite struct AccountRulesTests {
  @Test(arguments: [
    "", "a b", "al\u{202E}ice", "al\u{200B}ice", "al\u{0}ice", "аlice", "ａlice", "a\u{308}lice", "a×b", "ǀice", "alıce",
    String(repeating: "a", count: 101),
  ])
  func `a user name that may look like another is refused, in whatever way it comes`(name: String) async throws {
    try await World.run { world in
      await #expect(throws: RuleRefusal.self) {
        try await world.provider.addUser(name, email: "a@example.com", name: nil, password: World.password)
      }
    }
  }

  @Test func `names of people who write in Latin letters are taken`() throws {
    for name in ["alice", "Jürgen.Łukasz", "o'neil", "a+b@example.com", "x-1_2"] {
      try AccountRules.check(username: name)
    }
    for email in ["", "a", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\u{202E}", "а@b.example"] {
      #expect(throws: RuleRefusal.self) { try AccountRules.check(email: email) }
    }
  }
}
