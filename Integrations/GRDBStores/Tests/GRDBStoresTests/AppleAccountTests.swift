import JOSE
import Testing

@testable import GRDBStores

@Suite struct AppleAccountTests {
  private let folder = Folder()

  @Test func `an Apple Account is one user's until it is unlinked`() async throws {
    let store = try ProviderDatabase(
      path: folder.path + "/state.sqlite", durability: .processEnd, clock: .fixed(at: NumericDate(1_760_000_000))
    ).appleAccounts
    #expect(
      try await store.link(
        subject: "000.a", email: "a@example.com", isPrivateEmail: true, at: NumericDate(1_760_000_000), to: "jane"))
    // Another user doesn't get it, and changes nothing.
    #expect(
      try await !store.link(
        subject: "000.a", email: "b@example.com", isPrivateEmail: false, at: NumericDate(1_760_000_000), to: "joe"))
    let account = try #require(try await store.account(subject: "000.a"))
    #expect(account.userID == "jane" && account.email == "a@example.com" && account.isPrivateEmail)
    #expect(account.isEmailEnabled && account.linkedAt == NumericDate(1_760_000_000))
    // A sign-in without an address leaves the one that is known.
    #expect(
      try await store.link(
        subject: "000.a", email: nil, isPrivateEmail: false, at: NumericDate(1_760_000_000), to: "jane"))
    #expect(try await store.account(subject: "000.a") == account)
    #expect(
      try await store.link(
        subject: "000.a", email: "c@example.com", isPrivateEmail: false, at: NumericDate(1_760_000_000), to: "jane"))
    #expect(
      try await store.link(
        subject: "000.b", email: nil, isPrivateEmail: false, at: NumericDate(1_760_000_000), to: "jane"))
    #expect(try await store.accounts(userID: "jane").map(\.email) == ["c@example.com", nil])
    // The latest sign-in counts, in whatever order they arrive.
    for (time, expected) in [(1_760_000_100, 1_760_000_100), (1_760_000_050, 1_760_000_100)] {
      #expect(
        try await store.link(subject: "000.b", email: nil, isPrivateEmail: false, at: NumericDate(time), to: "jane"))
      #expect(try await store.account(subject: "000.b")?.linkedAt == NumericDate(expected))
    }
    #expect(try await store.accounts(userID: "joe").isEmpty)

    #expect(try await store.setEmail(subject: "000.b", email: "d@example.com", isEnabled: false))
    let muted = try #require(try await store.account(subject: "000.b"))
    #expect(muted.email == "d@example.com" && !muted.isEmailEnabled)
    #expect(try await !store.setEmail(subject: "000.c", email: nil, isEnabled: true))

    #expect(try await store.unlink(subject: "000.a") == "jane")
    #expect(try await store.unlink(subject: "000.a") == nil)
    #expect(
      try await store.link(
        subject: "000.a", email: nil, isPrivateEmail: false, at: NumericDate(1_760_000_000), to: "joe"))
  }
}
