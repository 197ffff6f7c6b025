import JOSE
import Testing

@Suite("Agreement party info")
struct PartyInfoTests {
  private func open(_ token: String, _ agreed: AgreedParties = AgreedParties()) throws -> [UInt8] {
    try JWE.decrypt(token, with: TestKeys.decryption(), contentEncryption: [.a256gcm], agreedParties: agreed).plaintext
  }

  @Test("octets of any value and length travel in the header and enter the key")
  func octets() throws {
    let recipient = try TestKeys.decryption().encryptionKey
    for info in [[0], [0xFF, 0x80, 0], [UInt8](repeating: 0xC3, count: 300), Array("Alice".utf8)] {
      let token = try JWE.encrypt(
        [9], to: recipient, agreementPartyUInfo: .octets(info), agreementPartyVInfo: .octets(info))
      #expect(try open(token) == [9])
      #expect(try UnverifiedJWE(parsing: token).unverifiedHeader["apu"] == .string(Base64URL.encode(info)))
    }
  }

  @Test("a party info agreed on and absent from the header opens with that info only")
  func agreedInfo() throws {
    let recipient = try TestKeys.decryption().encryptionKey
    let token = try JWE.encrypt([9], to: recipient, agreementPartyVInfo: .agreed([1, 2, 3]))
    #expect(try UnverifiedJWE(parsing: token).unverifiedHeader["apv"] == nil)
    #expect(try open(token, AgreedParties(partyVInfo: [1, 2, 3])) == [9])
    #expect(code { _ = try open(token, AgreedParties(partyVInfo: [1, 2, 4])) } == .decryptionFailed)
    #expect(code { _ = try open(token) } == .decryptionFailed)
  }

  @Test("a header that has party info must agree with the caller's")
  func headerAndCallerAgree() throws {
    let recipient = try TestKeys.decryption().encryptionKey
    let token = try JWE.encrypt([9], to: recipient, agreementPartyVInfo: .octets([1, 2, 3]))
    #expect(try open(token, AgreedParties(partyVInfo: [1, 2, 3])) == [9])
    #expect(refusal { _ = try open(token, AgreedParties(partyVInfo: [1, 2])) } == "headerInvalid(apv)")
    #expect(refusal { _ = try open(token, AgreedParties(partyVInfo: [])) } == "headerInvalid(apv)")
  }

  @Test("empty and absent party info derive the same key")
  func emptyInfo() throws {
    let recipient = try TestKeys.decryption().encryptionKey
    #expect(try open(JWE.encrypt([9], to: recipient, agreementPartyUInfo: .octets([]))) == [9])
    #expect(try open(JWE.encrypt([9], to: recipient), AgreedParties(partyUInfo: [], partyVInfo: [])) == [9])
  }

  @Test("party info can be made from the ephemeral key that the header names")
  func madeFromEphemeralKey() throws {
    let recipient = try TestKeys.decryption().encryptionKey
    let info = AgreementPartyInfo.madeFromEphemeralKey { Array("P".utf8) + $0 }
    let token = try JWE.encrypt([9], to: recipient, agreementPartyUInfo: info)
    #expect(try open(token) == [9])
    let header = try UnverifiedJWE(parsing: token).unverifiedHeader
    guard case .object(let epk)? = header["epk"], case .string(let apu)? = header["apu"] else {
      return #expect(Bool(false))
    }
    #expect(try Base64URL.decode(apu) == Array("P".utf8) + #require(JWK(epk).x963Representation))
  }

  @Test("party info with a symmetric key is refused as callerMisuse")
  func direct() throws {
    let key = try EncryptionKey(JWK.generate(.a128gcm))
    #expect(code { _ = try JWE.encrypt([], to: key, agreementPartyUInfo: .octets([1])) } == .callerMisuse)
    #expect(code { _ = try JWE.encrypt([], to: key, agreementPartyVInfo: .agreed([1])) } == .callerMisuse)
  }
}
