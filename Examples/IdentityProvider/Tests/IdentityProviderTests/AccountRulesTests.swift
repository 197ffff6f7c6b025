import JOSE
import Testing

@testable import IdentityProvider

/// What names of users must be.
@Suite struct AccountRulesTests {
  @Test(arguments: [
    "", "a b", "al\u{202E}ice", "al\u{200B}ice", "al\u{0}ice", "аlice", "ａlice", "a\u{308}lice", "a×b", "ǀice", "alıce",
    String(repeating: "a", count: 101),
  ])
  func `a user name that is empty, too long or has confusable characters is refused`(name: String) async throws {
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

  @Test func `the longest name logs in however its letters are written, and a longer one costs no time`() async throws {
    let long = String(repeating: "Ä", count: 100)
    let decomposed = String(repeating: "a\u{308}", count: 100)
    #expect(UserRepository.key(decomposed) == UserRepository.key(long))
    #expect(UserRepository.key(decomposed) == Array(String(repeating: "ä", count: 100).utf8))
    // Nothing orders the marks of a text that can be no name.
    let marks = "A" + String(repeating: "\u{301}\u{316}", count: 5000)
    #expect(UserRepository.key(marks) == Array("a".utf8) + marks.utf8.dropFirst())
    // A name that is older than the rule may be longer.
    #expect(UserRepository.key(String(repeating: "Ab", count: 150)) == Array(String(repeating: "ab", count: 150).utf8))
    try await World.run { world in
      _ = try await world.provider.addUser(long, email: "a@example.com", name: nil, password: World.password)
      for (name, page) in [(decomposed, "account"), (marks, "login"), (decomposed + "\u{308}", "login")] {
        let browser = TestBrowser(world)
        let form: FormFields = ["username": name, "password": World.password]
        let next = try await browser.submit(try await browser.open("/login"), "/login", form)
        #expect(next.page == page)
      }
    }
  }
}
