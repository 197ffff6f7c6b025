import Foundation
import JOSE
import JOSEFoundation
import PureCrypto
import StrictJSON
import Testing

/// What a program shows that knows of errors nothing but `localizedDescription`.
@Suite struct LocalizedErrorTests {
  @Test func `an error says what is wrong`() throws {
    let refused = try #require(#expect(throws: JOSEError.self) { try JWK(parsing: #"{"kty":"EC"}"#) })
    #expect((refused as any Error).localizedDescription == refused.description)
    let bridged = refused as NSError
    #expect(bridged.domain == "JOSE.JOSEError" && bridged.localizedDescription == refused.description)
    #expect(bridged.userInfo["code"] as? String == "keyInvalid" && bridged.userInfo["name"] as? String == refused.name)
    let json = try #require(#expect(throws: JSONError.self) { try JSONValue(parsing: "[1".utf8) })
    #expect((json as any Error).localizedDescription == json.description)
    let crypto = try #require(
      #expect(throws: CryptoError.self) { try P256VerificationKey(x963Representation: [4]) })
    #expect((crypto as any Error).localizedDescription == crypto.description)
  }

  @Test func `an error of stores and transports says its cause, and repeats nothing that a server wrote`() {
    #expect("\(FileStoreError.failed)".contains("permissions") && "\(FileStoreError.notPrivate)".contains("0700"))
    struct Answer: Error { let text = "written by a server" }
    let failures: [RemoteKeySetFailure] = [
      .unreachable(Answer()), .timedOut, .status(404), .status(302), .status(502), .noUsableKeys,
    ]
    let texts = failures.map { "\($0)" }
    #expect(Set(texts).count == texts.count)
    #expect(texts.allSatisfy { $0.hasPrefix("externalKeyFailed(keys): ") && !$0.contains("written by a server") })
  }
}
