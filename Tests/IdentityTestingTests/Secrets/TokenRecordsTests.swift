import IdentityTesting
import JOSE
import OpenIDKit
import StrictJSON
import Testing

/// The record that a `TokenManager` keeps in a secret store: what was written is read, and nothing else is.
@Suite struct TokenRecordsTests {
  @Test func `an empty store has no record`() async throws {
    #expect(try await TokenRecords(MemorySecretStore()).load() == nil)
  }

  @Test(arguments: AwkwardText.all.map { $0.name }) func `any text is kept in each member`(_ name: String) async throws
  {
    let text = try #require(AwkwardText.all.first { $0.name == name }).text
    for path in [
      \TokenRecord.subject, \.accessToken, \.scope, \.refreshToken, \.idToken, \.loginIDToken, \.accessTokenScope,
    ] {
      var record = try TokenRecord(parsing: Self.full.utf8)
      (record.loginID, record.tokenType) = (WireName(text), text)
      record[keyPath: path] = text
      let stored = try #require(try await TokenRecords(MemorySecretStore(record.serialized())).load())
      #expect(stored.serialized() == record.serialized())
      for kept in [stored.loginID.text, stored.tokenType, stored[keyPath: path]] {
        #expect(kept.map { Array($0.utf8) } == Array(text.utf8))
      }
    }
  }

  @Test func `a record is read with every member that it has, and no other`() throws {
    for text in [Self.full, Self.least] {
      let members = try JSONObject(parsing: text.utf8)
      let written = try JSONObject(parsing: TokenRecord(parsing: text.utf8).serialized())
      #expect(Set(written.members.map { $0.name }) == Set(members.members.map { $0.name }))
      for name in ["revision", "generation"] {
        #expect(try written.number(name).exactly(UInt64.self) == members.number(name).exactly(UInt64.self))
      }
    }
  }

  @Test(arguments: DocumentDamage.all.map(\.name)) func `a damaged token record is reported as malformed`(
    _ name: String
  ) async throws {
    let damage = try #require(DocumentDamage.all.first { $0.name == name })
    let store = MemorySecretStore(damage.change(try TokenRecord(parsing: Self.full.utf8).serialized()))
    #expect(try await StoredFormCases.isMalformed(TokenRecords(store).load))
  }

  private static let full =
    #"{"version":1,"loginID":"a","revision":18446744073709551615,"generation":18446744073709551614,"#
    + #""kind":"refreshable","subject":"\ud83d\ude00'\"\\","accessToken":"at","tokenType":"Bearer","scope":"a b","#
    + #""accessTokenScope":"a","issuedAt":1760000000,"lifetime":0.5,"refreshToken":"rt","#
    + #""refreshTokenExpiration":1790000000,"idToken":"x.y.z","loginIDToken":"u.v.w","lastFullLogin":-5,"#
    + #""pendingRotation":{"startedAt":7,"refreshTokenFingerprint":"0123456789abcdef"}}"#

  private static let least =
    #"{"version":1,"loginID":"","revision":0,"generation":0,"kind":"thing","tokenType":"","issuedAt":0,"lifetime":0,"#
    + #""lastFullLogin":0}"#
}
