import JOSE
import Testing

/// What people get wrong on their first day, and whether the error tells them.
@Suite("The first day") struct FirstDayTests {
  /// What is wrong with the texts of these mistakes: none, one without what it must say, one that two causes share, or
  /// one with something that a sender wrote.
  static func complaints(about mistakes: [Mistake]) async -> [String] {
    var complaints: [String] = []
    var causes: [String: String] = [:]
    for mistake in mistakes {
      guard let text = await mistake.text() else {
        if !mistake.says.isEmpty { complaints.append("\(mistake.name): nothing is refused") }
        continue
      }
      let folded = text.lowercased()
      let missing = mistake.says.filter { !folded.contains($0.lowercased()) }
      if mistake.says.isEmpty || !missing.isEmpty {
        complaints.append("\(mistake.name): \"\(text)\" lacks \(missing)")
      }
      if let other = causes.updateValue(mistake.name, forKey: text) {
        complaints.append("\(mistake.name) and \(other) share \"\(text)\"")
      }
      for sent in ["idp.example.com", "other.example.com", "eyJ", "jane", "brainpoolP256r1", "correct horse"]
      where text.contains(sent) {
        complaints.append("\(mistake.name): \"\(text)\" has what was sent, \(sent)")
      }
    }
    return complaints
  }

  @Test("each mistake has a text of its own, which names the cause and what to do")
  func texts() async {
    #expect(Mistake.all.count >= 105)
    #expect(Set(Mistake.all.map(\.name)).count == Mistake.all.count)
    for complaint in await Self.complaints(about: Mistake.all) { Issue.record(Comment(rawValue: complaint)) }
  }

  @Test("a text that two causes share, one that lacks a word and one with a token are found")
  func plantedFaults() async {
    struct Told: Error, CustomStringConvertible { let description: String }
    let planted = [
      Mistake("first", says: "key") { throw Told(description: "the key is wrong") },
      Mistake("second", says: "key") { throw Told(description: "the key is wrong") },
      Mistake("third", says: "key") { throw Told(description: "the token eyJ is wrong") },
      Mistake("fourth", says: "key") {},
    ]
    #expect(
      await Self.complaints(about: planted) == [
        "second and first share \"the key is wrong\"", "third: \"the token eyJ is wrong\" lacks [\"key\"]",
        "third: \"the token eyJ is wrong\" has what was sent, eyJ", "fourth: nothing is refused",
      ])
  }
}
