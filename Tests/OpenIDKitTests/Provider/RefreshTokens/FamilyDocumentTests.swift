import IdentityTesting
import JOSE
import PureJOSETestSupport
import Testing

@testable import OpenIDKit

/// The stored form of a family: written in binary, read in JSON as well.
@Suite struct FamilyDocumentTests {
  private static let json =
    #"{"version":1,"id":"AAECAwQFBgcICQoLDA0ODw","revision":7,"subject":"u","client":"c","scope":["a"],"resources":[],"#
    + #""createdAt":10,"lastUsedAt":20,"generation":5,"replayCount":1,"session":"s","grant":"g","rotatedAt":20.25}"#

  /// Families that have all, with and without a context, and one that has nothing that need not be.
  private static func families() throws -> [RefreshTokenFamily] {
    let id = try #require(RefreshTokenFamily.ID(octets: Array(0..<16)))
    var grant = RefreshGrant(
      subject: "e\u{301}", clientID: "a\u{0}b", sessionID: "", scope: ["openid", "", "\u{1F600}"],
      resources: ["https://api.example"], confirmation: "thumbprint", deviceSecretID: "secret",
      authenticationTime: NumericDate(5), accessTokenLifetime: .milliseconds(90_500), grantID: "grant")
    var families: [RefreshTokenFamily] = []
    for context in ["urn:example:gold", nil] {
      grant.authenticationContext = context
      var full = RefreshTokenFamily(
        id: id, grant: grant, createdAt: NumericDate(-1), absoluteExpiration: NumericDate(1 << 53))
      full.lastUsedAt = NumericDate(7).advanced(by: 0.125)
      (full.generation, full.replayCount, full.rotatedAt) = (.max, 3, NumericDate(8))
      full.status = .revoked(LogoutReason("one of the app's own"), at: NumericDate(9))
      families.append(full)
    }
    let bare = RefreshTokenFamily(
      id: id, grant: RefreshGrant(subject: "", clientID: "", scope: []), createdAt: NumericDate(0),
      absoluteExpiration: nil)
    return families + [bare]
  }

  private func isRefused(_ document: [UInt8]) -> Bool {
    do throws(OpenIDError) {
      _ = try RefreshTokenFamily(parsing: document)
      return false
    } catch {
      return error.code == .recordMalformed
    }
  }

  @Test func `a family is read as it was written`() throws {
    for family in try Self.families() {
      let again = try RefreshTokenFamily(parsing: family.serialized())
      #expect(again == family && WireName(again.grant.subject) == family.grant.subject)
    }
    var family = try #require(try Self.families().first)
    for text in AwkwardText.all.map(\.text) {
      family = RefreshTokenFamily(
        id: family.id, grant: RefreshGrant(subject: text, clientID: text, scope: [text]), createdAt: NumericDate(0),
        absoluteExpiration: nil)
      let grant = try RefreshTokenFamily(parsing: family.serialized()).grant
      #expect([grant.subject, grant.clientID, grant.scope[0]].allSatisfy { WireName($0) == text })
    }
  }

  /// The octets are made by hand after the form's description.
  @Test func `a lifetime is stored in seconds`() throws {
    let stored = try hex(
      "02000102030405060708090a0b0c0d0e0f00000000000000000000000000000000000000000000000100000000000000000000000000000"
        + "00000000175000000000000000163000000000000000000000000000000000000000000014056a00000000000e64cb20e9bbd7bea")
    var grant = RefreshGrant(subject: "u", clientID: "c", scope: [])
    grant.accessTokenLifetime = .milliseconds(90_500)
    let family = RefreshTokenFamily(
      id: try Self.families()[0].id, grant: grant, createdAt: NumericDate(0), absoluteExpiration: nil)
    #expect(family.serialized() == stored)
    #expect(try RefreshTokenFamily(parsing: stored) == family)
  }

  @Test(arguments: [.infinity, -.infinity, .nan, 1e300, -1e300, .leastNonzeroMagnitude] as [Double])
  func `a stored lifetime that no duration has is cut`(seconds: Double) throws {
    var family = try #require(try Self.families().last)
    let plain = Array(family.serialized().dropLast(StoredOctets.checkByteCount))
    var writer = StoredOctets.Writer(Array(plain.dropLast()) + [1])
    writer.append(seconds)
    family = try RefreshTokenFamily(parsing: StoredOctets.sealed(writer.octets))
    #expect(family.grant.accessTokenLifetime == Duration(saturating: seconds))
    #expect(try RefreshTokenFamily(parsing: family.serialized()) == family)
  }

  @Test func `a truncated or lengthened document is refused`() throws {
    for document in try Self.families().map({ $0.serialized() }) + [Array(Self.json.utf8)] {
      for count in 0..<document.count { #expect(isRefused(Array(document.prefix(count))), "\(count) octets") }
      #expect(isRefused(document + [0]) && isRefused(document + document))
    }
  }

  @Test func `a document in binary of which any octet was changed is refused`() throws {
    for document in try Self.families().map({ $0.serialized() }) {
      for place in document.indices {
        for change in UInt8(1)...255 {
          var damaged = document
          damaged[place] ^= change
          #expect(isRefused(damaged), "octet \(place), \(change)")
        }
      }
    }
  }

  /// Whoever can write into the records can make the check too.
  @Test func `a document whose check was made anew is refused or says what it is read as`() throws {
    for family in try Self.families() {
      let fields = Array(family.serialized().dropLast(StoredOctets.checkByteCount))
      for count in fields.indices { #expect(isRefused(StoredOctets.sealed(Array(fields.prefix(count)))), "\(count)") }
      #expect(isRefused(StoredOctets.sealed(fields + [0])))
      for place in fields.indices {
        for change: UInt8 in [0x01, 0x02, 0x7F, 0x80, 0xFF] {
          var changed = fields
          changed[place] ^= change
          guard let read = try? RefreshTokenFamily(parsing: StoredOctets.sealed(changed)) else { continue }
          let again = try RefreshTokenFamily(parsing: read.serialized())
          #expect(
            again.serialized() == read.serialized() && read.serialized() != family.serialized(),
            "octet \(place), \(change)")
        }
      }
    }
  }

  @Test(arguments: DocumentDamage.all)
  func `a document in JSON that is damaged is refused`(damage: DocumentDamage) {
    #expect(isRefused(damage.change(Array(Self.json.utf8))))
  }

  @Test func `a document in JSON, of the version before, is read`() throws {
    let family = try RefreshTokenFamily(parsing: Array(Self.json.utf8))
    #expect(family.id.octets == Array(0..<16) && family.version == 0)
    #expect(family.generation == 5 && family.replayCount == 1)
    #expect(family.grant == RefreshGrant(subject: "u", clientID: "c", sessionID: "s", scope: ["a"], grantID: "g"))
    #expect(family.rotatedAt == NumericDate(20).advanced(by: 0.25) && family.lastUsedAt == NumericDate(20))
    let timed = Self.json.dropLast() + #","accessTokenLifetime":90.5}"#
    let grant = try RefreshTokenFamily(parsing: Array(timed.utf8)).grant
    #expect(grant.accessTokenLifetime == .milliseconds(90_500) && family.grant.accessTokenLifetime == nil)
    let revoked = Self.json.dropLast() + #","revoked":{"reason":"expired","at":30}}"#
    #expect(try RefreshTokenFamily(parsing: Array(revoked.utf8)).status == .revoked(.expired, at: NumericDate(30)))
  }
}
