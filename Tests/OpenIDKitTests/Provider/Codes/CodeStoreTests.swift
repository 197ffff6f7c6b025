import JOSE
import Testing

@testable import OpenIDKit

/// How codes are kept.
@Suite struct CodeStoreTests {
  @Test func `full records take no more codes, until those that were used are forgotten`() async throws {
    let provider = try CodeProvider(retention: 1_000, byteLimit: 2_500)
    var codes: [String] = []
    await #expect(throws: OpenIDError(.storeUnavailable, "")) {
      for _ in 0..<20 { codes.append(try await provider.codes.issue(CodeProvider.grant)) }
    }
    #expect((2..<10).contains(codes.count))
    _ = try await provider.redeem(CodeProvider.request(codes[0]))
    await #expect(throws: OpenIDError(.invalidGrant, "")) {
      try await provider.redeem(CodeProvider.request(codes[0]))
    }
    // Those that nobody has used go a minute after their time, the other one when its second use need not be known.
    provider.clock.advance(121)
    _ = try await provider.codes.issue(CodeProvider.grant)
    #expect(try await provider.store.code(AuthorizationCodeText.hash(of: codes[0]))?.use == .reused)
    #expect(try await provider.store.code(AuthorizationCodeText.hash(of: codes[1])) == nil)
    provider.clock.advance(1_000)
    _ = try await provider.codes.issue(CodeProvider.grant)
    #expect(try await provider.store.code(AuthorizationCodeText.hash(of: codes[0])) == nil)
  }

  @Test func `a code that can't be read is not one that was never there, and others go on`() async throws {
    let provider = try CodeProvider()
    let codes = try await [provider.codes.issue(CodeProvider.grant), provider.codes.issue(CodeProvider.grant)]
    let hash = AuthorizationCodeText.hash(of: codes[0])
    var record = try #require(await provider.records.record(AuthorizationCodeRecords.kind, key: hash))
    let sound = record.document
    let other = try #require(
      await provider.records.record(AuthorizationCodeRecords.kind, key: AuthorizationCodeText.hash(of: codes[1])))
    for document in [[], Array("{}".utf8), Array(sound.dropLast()), sound + sound, other.document] {
      record.document = document
      #expect(try await provider.records.commit([.replace(record)]) == .done)
      record.version += 1
      await #expect(throws: OpenIDError(.recordMalformed, "")) { try await provider.store.code(hash) }
      await #expect(throws: OpenIDError(.storeUnavailable, "")) {
        try await provider.redeem(CodeProvider.request(codes[0]))
      }
    }
    _ = try await provider.redeem(CodeProvider.request(codes[1]))
  }

  @Test func `a record of another form is refused`() async throws {
    let provider = try CodeProvider()
    var grant = CodeProvider.grant
    grant.resources = ["https://r.example"]
    let code = try await provider.codes.issue(grant)
    let record = try #require(try await provider.store.code(AuthorizationCodeText.hash(of: code)))
    let text = String(decoding: record.serialized(), as: UTF8.self)
    var parsed = try AuthorizationCodeRecord(parsing: record.serialized())
    parsed.version = record.version
    #expect(parsed == record && record.version == 1)
    // Codes that were kept before resources were, and named what came of them.
    let former = text.replacing(#","resources":["https://r.example"]"#, with: "").replacing(
      #""use":"unused""#, with: #""use":"unused","families":["AAAAAAAAAAAAAAAAAAAAAA"]"#)
    #expect(try AuthorizationCodeRecord(parsing: Array(former.utf8)).grant.resources.isEmpty)
    for (part, other) in [
      (#""unused""#, #""usable""#), (#""version":1"#, #""version":2"#),
      (#""resources":["https://r.example"]"#, #""resources":{}"#),
      (#""resources":["https://r.example"]"#, #""resources":[1]"#), (#""client":"app""#, #""client":1"#),
    ] {
      #expect(text.contains(part))
      #expect(throws: OpenIDError(.recordMalformed, "")) {
        try AuthorizationCodeRecord(parsing: Array(text.replacing(part, with: other).utf8))
      }
    }
  }
}
