import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("ECDH") struct SharedSecretTests {
  /// RFC 5903 §8.1.
  @Test func rfc5903() throws {
    let initiator = try P256PrivateKey(
      rawRepresentation: hex("C88F01F510D9AC3F70A292DAA2316DE544E9AAB8AFE84049C62A9C57862D1433"))
    let responder = try P256PrivateKey(
      rawRepresentation: hex("C6EF9C5D78AE012A011164ACB397CE2088685D8F06BF9BE0B283AB46476BEE53"))
    #expect(
      initiator.publicKey.x963Representation
        == (try hex(
          "04DAD0B65394221CF9B051E1FECA5787D098DFE637FC90B9EF945D0C3772581180"
            + "5271A0461CDB8252D61F1C456FA3E59AB1F45B33ACCF5F58389E0577B8990BB3")))
    #expect(
      responder.publicKey.x963Representation
        == (try hex(
          "04D12DFB5289C8D4F81208B70270398C342296970A0BCCB74C736FC7554494BF63"
            + "56FBF3CA366CC23E8157854C13C58D6AAC23F046ADA30F8353E74F33039872AB")))
    let z = try hex("D6840F6B42F6EDAFD13116E0E12565202FEF8E9ECE7DCE03812464D04B9442DE")
    #expect(try initiator.sharedSecret(with: responder.publicKey).withUnsafeBytes { Array($0) } == z)
    #expect(try responder.sharedSecret(with: initiator.publicKey).withUnsafeBytes { Array($0) } == z)
  }

  @Test func bothSidesAgree() throws {
    for _ in 0..<50 {
      let a = P256PrivateKey()
      let b = P256PrivateKey()
      let first = try a.sharedSecret(with: b.publicKey)
      let second = try b.sharedSecret(with: a.publicKey)
      #expect(first.withUnsafeBytes { $0.count } == 32)
      #expect(first.withUnsafeBytes { Array($0) } == second.withUnsafeBytes { Array($0) })
      let other = try P256PrivateKey().sharedSecret(with: b.publicKey)
      #expect(first.withUnsafeBytes { Array($0) } != other.withUnsafeBytes { Array($0) })
    }
  }

  /// d = 1 and d = n − 1: the public key's own x-coordinate.
  @Test func extremeKeys() throws {
    let peer = P256PrivateKey().publicKey
    for d in [
      String(repeating: "0", count: 63) + "1", "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550",
    ] {
      let key = try P256PrivateKey(rawRepresentation: hex(d))
      #expect(try key.sharedSecret(with: peer).withUnsafeBytes { Array($0) } == peer.x)
    }
  }
}
