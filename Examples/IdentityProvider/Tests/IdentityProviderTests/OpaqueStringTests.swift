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
  private static let hasher = PasswordHasher(World.cost)

  /// A form as older versions have stored it, before they mapped passwords.
  private static func unmarked(_ password: String, salt: [UInt8] = RandomText.octets(16)) throws -> String {
    let key = try PBKDF2<SHA2.SHA256>.deriveKey(
      password: SecretBytes(copying: password.utf8), salt: salt, iterationCount: 10, byteCount: 32
    ).withBytes { $0.withUnsafeBytes { Array($0) } }
    return "pbkdf2-sha256$10$\(Base64URL.encode(salt))$\(Base64URL.encode(key))"
  }

  /// A form as later ones have stored it.
  private static func marked(_ password: String) throws -> String {
    try unmarked(OpaqueString.mapped(password), salt: "opaque".utf8 + RandomText.octets(16))
  }

  private static func isNew(_ stored: String) -> Bool { StoredPassword(stored)?.cost == World.cost }

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
    for typed in forms { #expect(PasswordHasher.spellings(of: typed, isMapped: true).count == 1) }
  }

  @Test func `an unmarked password hash is checked against mapped, typed and decomposed spellings`() async throws {
    let typed = "caf\u{E9}\u{A0}au lait"
    #expect(
      Self.octets(PasswordHasher.spellings(of: typed, isMapped: false))
        == Self.octets(["caf\u{E9} au lait", typed, "cafe\u{301}\u{A0}au lait"]))
    #expect(PasswordHasher.spellings(of: "cafe\u{301}", isMapped: false).count == 2)
    #expect(PasswordHasher.spellings(of: World.password, isMapped: false).count == 1)
    for set in ["caf\u{E9} au lait", typed, "cafe\u{301}\u{A0}au lait"] {
      let stored = try Self.unmarked(set)
      #expect(try await Self.hasher.check(typed, for: stored) == .outdated)
      #expect(try await Self.hasher.check("Caf\u{E9} au lait", for: stored) == .wrong)
    }
    // Salts of older versions are random, and may begin with any octets.
    let chance = try Self.unmarked(typed, salt: "opaque".utf8 + RandomText.octets(10))
    #expect(try await Self.hasher.check(typed, for: chance) == .outdated)
  }

  @Test func `a form of PBKDF2 is outdated where new ones are of Argon2id, and the other way round`() async throws {
    let other = PasswordHasher(.pbkdf2(iterationCount: 10))
    let (old, new) = (try Self.marked(Self.composed), try await Self.hasher.hash(Self.composed))
    let typed = Self.composed.decomposedStringWithCanonicalMapping
    #expect(try await Self.hasher.check(typed, for: old) == .outdated)
    #expect(try await Self.hasher.check(typed, for: new) == .right)
    #expect(try await other.check(typed, for: old) == .right)
    #expect(try await other.check(typed, for: new) == .outdated)
    #expect(try await Self.hasher.check(typed + " ", for: old) == .wrong)
    #expect(try await other.check(typed + " ", for: new) == .wrong)
  }

  @Test func `a provider that stores PBKDF2 writes what older versions read`() async throws {
    for typed in [World.password, "caf\u{E9} au lait"] {
      let stored = try await PasswordHasher(.pbkdf2(iterationCount: 10)).hash(typed)
      let salt = try Base64URL.decode(String(stored.split(separator: "$")[2]))
      #expect(salt.count == 22 && salt.starts(with: "opaque".utf8))
      #expect(try stored == Self.unmarked(typed, salt: salt))
    }
  }

  /// Forms of `composed` that Python's `cryptography` has written.
  private static let foreign = [
    "$argon2id$v=19$m=19456,t=2,p=1$c2l4dGVlbiBvY3RldHMuLg$LAlNOK2f2JBUr6/cZQZwlBQr55mW/xM8VP6XSuEPfeE",
    "$argon2id$v=19$m=64,t=3,p=2$c2l4dGVlbiBvY3RldHMuLg$ResFqdm6PJyMAEBZVq2BtYJeWjfFa6yNQ0zqV3TDu18",
  ]

  @Test func `a form that another implementation of Argon2id wrote is read`() async throws {
    for form in Self.foreign {
      #expect(StoredPassword(form)?.text == form)
      #expect(try await Self.hasher.check(Self.composed, for: form) == .outdated)
      #expect(try await Self.hasher.check("another password", for: form) == .wrong)
    }
    #expect(try await PasswordHasher(.standard).check(Self.composed, for: Self.foreign[0]) == .right)
  }

  @Test func `a stored form has one spelling and bounded costs, and any other matches no password`() async throws {
    let form = Self.foreign[1]
    var broken = [
      "", "$", "$$$", "$$$$$", "pbkdf2-sha256$10$$", "pbkdf2-sha256$10$c2FsdA$", form + "$", form + "$x", form + "=",
      form + "A",
    ]
    broken += [String(form.dropLast()), String(form.dropFirst()), "x" + form, form + "\n"]
    for (part, others) in [
      ("argon2id", ["argon2i", "argon2d", "Argon2id", "pbkdf2-sha256", ""]), ("v=19", ["v=16", "v=19 ", "", "v=019"]),
      (
        "m=64,t=3,p=2",
        [
          "m=15,t=3,p=2", "m=262145,t=3,p=2", "m=64,t=0,p=2", "m=64,t=65,p=2", "m=64,t=3,p=0", "m=64,t=3,p=17",
          "m=064,t=3,p=2", "m=+64,t=3,p=2", "m=64,t=3", "m=64,t=3,p=2,x=1", "t=3,m=64,p=2", "m=64,t=3,p=2,", "",
          "m=-64,t=3,p=2", "m=99999999999999999999,t=3,p=2", "m=64, t=3,p=2",
        ]
      ),
      ("c2l4dGVlbiBvY3RldHMuLg", ["c2l4dGVlbiBvY3RldHMuLg==", "c2l4dGVlbiBvY3RldHMuLh", "c2hvcnQ", "", "c2l4 dGVl"]),
    ] {
      #expect(form.contains(part))
      broken += others.map { form.replacing(part, with: $0) }
    }
    let old = try Self.marked(Self.composed)
    broken += [old + "$x", old + "x", String(old.dropLast()), old.replacing("$10$", with: "$010$")]
    broken += ["0", "-1", "10000001", ""].map { old.replacing("$10$", with: "$\($0)$") }
    for text in broken {
      #expect(StoredPassword(text) == nil, "\(text)")
      #expect(try await Self.hasher.check(Self.composed, for: text) == .wrong, "\(text)")
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
      let decomposed = Self.composed.decomposedStringWithCanonicalMapping
      let forms = [try Self.unmarked(Self.composed), try Self.unmarked(decomposed), try Self.marked(Self.composed)]
      for old in forms + Self.foreign {
        try await Self.store(old, world)
        #expect(try await Self.logIn("no, " + Self.composed, world) == "login")
        #expect(try await Self.stored(world) == old)
        #expect(try await Self.logIn(Self.composed, world) == "account")
        let new = try await Self.stored(world)
        #expect(new != old && Self.isNew(new))
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
      #expect(Self.isNew(try await Self.stored(world)))
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
