import Foundation
import HummingbirdTesting
import JOSE
import PureCrypto
import SQLStores
import Testing

@testable import IdentityProvider

/// Passwords are the same however a keyboard composes their letters and spaces.
///
/// Source: RFC 8265 §4.2.
@Suite struct OpaqueStringTests {
  private static let composed = "caf\u{E9} cr\u{E8}me et \u{212B}ngstr\u{F6}m"
  private static let hasher = PasswordHasher(iterationCount: 10)

  /// A form as older versions have stored it.
  private static func unmarked(_ password: String, salt: [UInt8] = RandomText.octets(16)) throws -> String {
    let key = try PBKDF2<SHA2.SHA256>.deriveKey(
      password: SecretBytes(copying: password.utf8), salt: salt, iterationCount: 10, byteCount: 32
    ).withBytes { $0.withUnsafeBytes { Array($0) } }
    return "pbkdf2-sha256$10$\(Base64URL.encode(salt))$\(Base64URL.encode(key))"
  }

  private static func isMarked(_ stored: String) -> Bool {
    stored.split(separator: "$")[2].hasPrefix(Base64URL.encode("opaque".utf8))
  }

  private static func octets(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  @Test func `spaces are mapped, letters are composed and keep their case`() {
    func mapped(_ text: String) -> [UInt8] { Array(OpaqueString.mapped(text).utf8) }
    #expect(mapped("cafe\u{301}") == Array("caf\u{E9}".utf8))
    for space in "\u{A0}\u{1680}\u{2000}\u{2001}\u{2009}\u{200A}\u{202F}\u{205F}\u{3000}".unicodeScalars {
      #expect(mapped("a\(space)b") == Array("a b".utf8), "U+\(String(space.value, radix: 16))")
    }
    // Nothing else is mapped: neither controls nor full width and compatibility characters.
    for text in ["a\tb", "a\u{200B}b", "\u{FF21}\u{FB01}", "ÀBC", "àbc", "  a  ", "\u{0}", "", "\u{10FFFF}"] {
      #expect(mapped(text) == Array(text.utf8), "\(text)")
    }
    let long = String(repeating: "e\u{301}", count: 5000)
    #expect(mapped(long) == Array(long.utf8))
  }

  @Test func `a password is right in every form, by one hash`() async throws {
    let decomposed = Self.composed.decomposedStringWithCanonicalMapping
    let spaced = Self.composed.replacingOccurrences(of: " ", with: "\u{A0}")
    let wide = decomposed.replacingOccurrences(of: " ", with: "\u{3000}")
    let forms = [Self.composed, decomposed, spaced, wide]
    for set in forms {
      let stored = try await Self.hasher.hash(set)
      for typed in forms { #expect(try await Self.hasher.check(typed, for: stored) == .right, "\(set) \(typed)") }
      for other in [Self.composed.uppercased(), Self.composed + " ", "cafe creme et Angstrom", ""] {
        #expect(try await Self.hasher.check(other, for: stored) == .wrong)
      }
    }
    for typed in forms { #expect(PasswordHasher.spellings(of: typed, isMarked: true).count == 1) }
  }

  @Test func `an unmarked password hash is checked against mapped, typed and decomposed spellings`() async throws {
    let typed = "caf\u{E9}\u{A0}au lait"
    #expect(
      Self.octets(PasswordHasher.spellings(of: typed, isMarked: false))
        == Self.octets(["caf\u{E9} au lait", typed, "cafe\u{301}\u{A0}au lait"]))
    #expect(PasswordHasher.spellings(of: "cafe\u{301}", isMarked: false).count == 2)
    #expect(PasswordHasher.spellings(of: World.password, isMarked: false).count == 1)
    for set in ["caf\u{E9} au lait", typed, "cafe\u{301}\u{A0}au lait"] {
      let stored = try Self.unmarked(set)
      #expect(try await Self.hasher.check(typed, for: stored) == .outdated)
      #expect(try await Self.hasher.check("Caf\u{E9} au lait", for: stored) == .wrong)
    }
    // Salts of older versions are random, and may begin with any octets.
    let chance = try Self.unmarked(typed, salt: "opaque".utf8 + RandomText.octets(10))
    #expect(try await Self.hasher.check(typed, for: chance) == .outdated)
    // A form of another kind matches no password.
    let stored = try await Self.hasher.hash(typed)
    for broken in [stored + "$x", stored + "x", String(stored.dropLast()), "", "pbkdf2-sha256$10$$"] {
      #expect(try await Self.hasher.check(typed, for: broken) == .wrong)
    }
  }

  @Test func `an older version that still runs reads the new form`() async throws {
    for typed in [World.password, "caf\u{E9} au lait"] {
      let stored = try await Self.hasher.hash(typed)
      let salt = try Base64URL.decode(String(stored.split(separator: "$")[2]))
      #expect(Self.isMarked(stored))
      #expect(try stored == Self.unmarked(typed, salt: salt))
    }
  }

  @Test func `password rules apply to the normalized form`() {
    #expect(throws: PasswordRules.Refusal.tooCommon) {
      let spaces = "\u{A0}\u{2000}\u{2002}\u{2003}\u{2004}\u{2005}\u{3000}"
      try PasswordRules.check(spaces + spaces + spaces, username: "", email: "")
    }
    #expect(throws: PasswordRules.Refusal.tooLong) {
      try PasswordRules.check(
        "a long password" + String(repeating: "\u{301}\u{316}", count: 10_000), username: "", email: "")
    }
    #expect(throws: Never.self) { try PasswordRules.check(Self.composed, username: "", email: "") }
  }

  // MARK: In every way that a password comes in

  private static func logIn(_ password: String, _ world: World) async throws -> String? {
    let browser = TestBrowser(world)
    return try await browser.logIn(try await browser.open("/login"), password: password).page
  }

  @Test func `a password is set by one keyboard and typed by another`() async throws {
    try await World.run { world in
      let decomposed = Self.composed.decomposedStringWithCanonicalMapping
      var change = UserChange()
      change.password = decomposed
      try await world.provider.change(world.user, change)
      #expect(try await Self.logIn(Self.composed, world) == "account")
      let browser = TestBrowser(world)
      _ = try await browser.logIn(try await browser.open("/login"), password: Self.composed)
      let new = Self.composed + " again"
      let page = try await browser.submit(
        try await browser.open("/account"), "/account/password",
        ["password": decomposed.replacingOccurrences(of: " ", with: "\u{3000}"), "new-password": new])
      #expect(page.status == .ok)
      #expect(try await Self.logIn(new.decomposedStringWithCanonicalMapping, world) == "account")
      #expect(try await Self.logIn(Self.composed, world) == "login")
      #expect(try await Self.logIn(new.uppercased(), world) == "login")
    }
  }

  private static func store(_ form: String, _ world: World) async throws {
    try await world.provider.database.write { try world.provider.users.setPassword(form, of: world.user.id, in: $0) }
  }

  private static func stored(_ world: World) async throws -> String {
    try #require(try await world.provider.users.user(id: world.user.id)?.storedPassword)
  }

  @Test func `a form of an older version is written anew by a login`() async throws {
    try await World.run { world in
      for set in [Self.composed, Self.composed.decomposedStringWithCanonicalMapping] {
        let old = try Self.unmarked(set)
        try await Self.store(old, world)
        #expect(try await Self.logIn("no, " + Self.composed, world) == "login")
        #expect(try await Self.stored(world) == old)
        #expect(try await Self.logIn(Self.composed, world) == "account")
        let new = try await Self.stored(world)
        #expect(new != old && Self.isMarked(new))
        #expect(try await Self.logIn(Self.composed.decomposedStringWithCanonicalMapping, world) == "account")
        #expect(try await Self.stored(world) == new)
      }
    }
  }

  @Test func `a form of an older version is written anew where a page asks for the password`() async throws {
    try await World.run { world in
      let browser = TestBrowser(world)
      _ = try await browser.logIn(try await browser.open("/login"))
      let old = try Self.unmarked(Self.composed.decomposedStringWithCanonicalMapping)
      try await Self.store(old, world)
      // The change is made for the user as stored now.
      let page = try await browser.submit(
        try await browser.open("/account"), "/account/second-factor", ["change": "off", "password": Self.composed])
      #expect(page.page == "account" && page.status == .ok)
      #expect(Self.isMarked(try await Self.stored(world)))
    }
  }

  @Test func `two logins at once both go on, and a disabled user's form stays`() async throws {
    try await World.run { world in
      try await Self.store(try Self.unmarked(Self.composed), world)
      let pages = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<6 { group.addTask { try await Self.logIn(Self.composed, world) } }
        return try await group.reduce(into: [String?]()) { $0.append($1) }
      }
      #expect(pages.allSatisfy { $0 == "account" })
      let old = try Self.unmarked(Self.composed)
      try await Self.store(old, world)
      try await world.provider.users.setEnabled(false, of: world.user.id)
      #expect(try await Self.logIn(Self.composed, world) == "login")
      #expect(try await Self.stored(world) == old)
    }
  }

  @Test func `a password check fails if the password was replaced meanwhile`() async throws {
    try await World.run { world in
      try await Self.store(try Self.unmarked(Self.composed), world)
      let before = try #require(try await world.provider.users.user(id: world.user.id))
      let other = try await Self.hasher.hash("another password")
      try await Self.store(other, world)
      #expect(try await world.provider.user(before, provedBy: Self.composed) == nil)
      #expect(try await Self.stored(world) == other)
    }
  }
}
