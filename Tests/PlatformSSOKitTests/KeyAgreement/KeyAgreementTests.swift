import JOSE
import PlatformSSOKit
import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("Party infos and key derivation")
struct KeyAgreementTests {
  struct Derivation: Sendable {
    let name: String
    let sharedSecret: String
    let agreementPartyUInfo: String
    let agreementPartyVInfo: String
    let key: String
  }

  static let vInfoOfS1: String =
    "AAAABUFwcGxlAAAAQQThBselTjhCLUunwQ4y2XV9yStAN-JDsGs3ZSkiLQNmmKeVWKAnR2xs9TzrVNiXXc4kP_HmY6Dgiez1cgZItdDAAAAAJDBGM0E1QzdFLTFCMkQtNEU2Ri04QTlCLTBDMUQyRTNGNEE1Qg"

  static let derivations: [Derivation] =
    [
      // Apple, Creating a JSON Web Encryption (JWE) login response.
      Derivation(
        name: "Apple's example A", sharedSecret: "3491708C92422BB807EDF2B8183A42737C5DAA6C39BA9535321D51C836D7ADA1",
        agreementPartyUInfo:
          "AAAABUFQUExFAAAAQQQGQUdFhCiV6rf0umUaqVyawR2fDrjDTBtxscASOszinI2zqFmW4AxUxHy2tTv-2bict0fHdlwMNAh1lCpiS7G1",
        agreementPartyVInfo:
          "AAAABUFwcGxlAAAAQQSZwnKvYGpRAeWxxoahZPD_hA3ENSojWVHXWQJEDMsmST_5i7WSqDDAtxvD7UZXis5tXOQ9Gnz2V_-tbO9Ase-SAAAAJEI3RjFGQzMyLTkxMjEtNEUyQS05RTMyLTg0MTdFMDM2NzVERA",
        key: "A146E4A23BDA2E53826C04D2F442BCFBD87BC2719D74B8A7DA00AF976267712E"),
      // Apple, Performing encryption verification.
      Derivation(
        name: "Apple's example B", sharedSecret: "2FCEF2C260F768BA55957B2A02FABBB9DCABE2CE8CD32F4C8D00B2B44EF57A90",
        agreementPartyUInfo:
          "AAAABUFQUExFAAAAQQRUhd2C7fHR4uARW1E5nlhDgZRLxZlBP7cc-pfYU-hjgnq3_ZxJBAvEorsD_u3-7nQ-wp1-ShGrlSHwT6Kp5pWK",
        agreementPartyVInfo:
          "AAAABUFwcGxlAAAAQQRO-Q84fjKxytILWsVi-cFU9gyrNHW8pyT2G3gPsr-ABODJUrlH_-yei479BQU9YytP7ChgeFmMHSgjrZ0xAMM-AAAAJERERjY4MTcxLTQwOUQtNEUyQy05MUYwLTlFNDJENzc0NTM2NQ",
        key: "921DFAB964861F6E6BD3D94B7F79B99774CB4B9C4A02CFA1DD409D6D32A17826"),
      Derivation(
        name: "S3i", sharedSecret: "90a62727c68291a66ce0b38308c2b713be443fb7efe695d37fcc52c85ebdb980",
        agreementPartyUInfo:
          "AAAABUFQUExFAAAAQQTwaUGuOrS4OEz1wOQGFLTSmfqvHrFPj_gQAnsjE6B2mSUFZsQ1gJ5Rg1jfWbjKRfmMri109MNc6436u9kRynkI",
        agreementPartyVInfo:
          "AAAAB0VYQU1QTEUAAABBBGhRBv73iZHQ1saoQmVj039KKqG2lqclF96J0uuLbAdRPQSSnGzy4BYif7HtECO8RvixmmQndIzYtKwHOmzRiwwAAAAcM3EyLTd3QUFleGFtcGxlU2VydmVyTm9uY2UwMQ",
        key: "84ef40199c00612354f4d3fad56ccc92ee68ddae006f258b3fbb67070c2f0deb"),
      Derivation(
        name: "S4", sharedSecret: "feaa6086af7e61c4943eaed27c1b6dd664a9df860d4a03aa37fd19c5745f1f82",
        agreementPartyUInfo:
          "AAAABUFQUExFAAAAQQTYeV5-pIOFj-HI4udhj6iAFPUKvYufh-nsqzgJTfXH8Xj5_u4-L2m00L1_uAO4-5i6O6c3cMmHTUloZsdSdEGi",
        agreementPartyVInfo: vInfoOfS1, key: "b7eb0407f04d04502d83096068487b0980849f304629882b84c3264d2cd61179"),
      Derivation(
        name: "S6r", sharedSecret: "f5f0040c91a85bf9df60899e405274b82fc9ddb30e5ae83a182f0da24a2d1f8f",
        agreementPartyUInfo:
          "AAAABUFQUExFAAAAQQSVrT-MUB_TdS9d3854QbeBMvSnY2x58ZyRaBKHd8OGQhl8-dFCgfKufe1OeiGAoYG_SNV4HgpXPocGnbtqUguL",
        agreementPartyVInfo:
          "AAAABUFwcGxlAAAAQQThBselTjhCLUunwQ4y2XV9yStAN-JDsGs3ZSkiLQNmmKeVWKAnR2xs9TzrVNiXXc4kP_HmY6Dgiez1cgZItdDAAAAAJDJCM0M0RDVFLTZGNzAtNEIyQy04RDNFLTRGNUE2QjdDOEQ5RQ",
        key: "8633a1292d0d94d74edd563fd5cdce499683d593bdd5d48a670e33a6eff537c1"),
      Derivation(
        name: "S7r", sharedSecret: "cfebced7f012d142ddeb54b9fc28a106e7b2606ad80d507e72ca8c3f28731d41",
        agreementPartyUInfo:
          "AAAABUFQUExFAAAAQQQDW4Keo6inn1128On68mTSM7ylLp4Yhs0N4yGMvsSrM0tCYeh_GxaBctbfT6rwbaegEF3A12zk-9itbk9QdBnu",
        agreementPartyVInfo:
          "AAAABUFwcGxlAAAAQQThBselTjhCLUunwQ4y2XV9yStAN-JDsGs3ZSkiLQNmmKeVWKAnR2xs9TzrVNiXXc4kP_HmY6Dgiez1cgZItdDAAAAAJDNDNEQ1RTZGLTcwODEtNEMzRC05RTRGLTVBNkI3QzhEOUVBRg",
        key: "c8f4bee2ad1bd140e9f97af6ba209396455dc183693fb0fa6b3cc4dfd8707451"),
    ] + leadingZeros.map(\.derivation)

  struct LeadingZero: Sendable {
    let label: String
    let point: String
    let derivation: Derivation
  }

  static let leadingZeros: [LeadingZero] = [
    LeadingZero(
      label: "psso-vector/edge-epk-372",
      point:
        "04003fcc8eb84464b80397700bbffa05db19db0a6db32cb39387c32b53ce06b9b9e1e853a795b1dd483d549c81977fc981bb74594f4e42617435c363d8e5b3c0a9",
      derivation: Derivation(
        name: "epk X starts with 00", sharedSecret: "bd38d265d265aaaa84c7090f07e418a1ffc32fadae4bca716a9af3886d916030",
        agreementPartyUInfo:
          "AAAABUFQUExFAAAAQQQAP8yOuERkuAOXcAu_-gXbGdsKbbMss5OHwytTzga5ueHoU6eVsd1IPVScgZd_yYG7dFlPTkJhdDXDY9jls8Cp",
        agreementPartyVInfo: vInfoOfS1, key: "09b8f1329eeae478f9b67de4cc2b37a9c4569a101f2b9feedfb4f6f73f2d99a0")),
    LeadingZero(
      label: "psso-vector/edge-epk-281",
      point:
        "04eb564f0f89a713f5ec2b59b8e46c6807858b1b9fee330d7bc2c8f64a0ee50eeb003af5aa231193f65b70ce08c04bb9453866aa382ffebe5d6651c7b8db4c14ea",
      derivation: Derivation(
        name: "epk Y starts with 00", sharedSecret: "6281260650e5d54f3580c53df895773e2e093a9321a9bb611a3f6b0ef6c2c608",
        agreementPartyUInfo:
          "AAAABUFQUExFAAAAQQTrVk8PiacT9ewrWbjkbGgHhYsbn-4zDXvCyPZKDuUO6wA69aojEZP2W3DOCMBLuUU4Zqo4L_6-XWZRx7jbTBTq",
        agreementPartyVInfo: vInfoOfS1, key: "b13061830fb7860900c3001c58ba27140166c58ebf22e536bc83d5acf21dd510")),
    LeadingZero(
      label: "psso-vector/edge-epk-227",
      point:
        "04d4cf61ee47060e6389d5b9158e11597403b75173a9900c55021925a19ba4c1fd649fd86474b8f4aac0f9a4499283dccbf92c383ce88e6486a1912c6c5779166a",
      derivation: Derivation(
        name: "Z starts with 00", sharedSecret: "00eba1ce3943cffa10924625fd5b6d273fa661a95b3bdd023a70e05b8e84bb10",
        agreementPartyUInfo:
          "AAAABUFQUExFAAAAQQTUz2HuRwYOY4nVuRWOEVl0A7dRc6mQDFUCGSWhm6TB_WSf2GR0uPSqwPmkSZKD3Mv5LDg86I5khqGRLGxXeRZq",
        agreementPartyVInfo: vInfoOfS1, key: "b12e62604f63adfdc31ede64bfd57aea0628bfed8bb5e90bae49ebbdf3a1f862")),
  ]

  @Test("The derived key is that of the example", arguments: KeyAgreementTests.derivations)
  func derivedKey(_ derivation: Derivation) throws {
    let info = KeyAgreement.otherInfo(
      algorithmID: "A256GCM", partyUInfo: try Base64URL.decode(derivation.agreementPartyUInfo),
      partyVInfo: try Base64URL.decode(derivation.agreementPartyVInfo), keyBitCount: 256)
    let key = try SharedSecret(SecretBytes(copying: hex(derivation.sharedSecret)))
      .concatKDFDerivedKey(otherInfo: info, bitCount: 256)
    #expect(key.withUnsafeBytes { Array($0) } == (try hex(derivation.key)))
  }

  @Test("The whole input of example A is as printed")
  func wholeInput() throws {
    let derivation = Self.derivations[0]
    let info = KeyAgreement.otherInfo(
      algorithmID: "A256GCM", partyUInfo: try Base64URL.decode(derivation.agreementPartyUInfo),
      partyVInfo: try Base64URL.decode(derivation.agreementPartyVInfo), keyBitCount: 256)
    let printed = try hex(
      """
      0000000741323536 47434D0000004E000000054150504C45000000410406414745842895EAB7F4BA651AA95C9AC11D9F0EB8C34C1B71B1C0123
      ACCE29C8DB3A85996E00C54C47CB6B53BFED9B89CB747C7765C0C340875942A624BB1B500000076000000054170706C65000000410499C272AF6
      06A5101E5B1C686A164F0FF840DC4352A235951D75902440CCB26493FF98BB592A830C0B71BC3ED46578ACE6D5CE43D1A7CF657FFAD6CEF40B1E
      F920000002442374631464333322D393132312D344532412D394533322D38343137453033363735444400000100
      """)
    #expect(info == printed)
  }

  @Test("Party infos are laid out as in the examples")
  func layouts() throws {
    let ephemeral = try hex(
      "0406414745842895EAB7F4BA651AA95C9AC11D9F0EB8C34C1B71B1C0123ACCE29C8DB3A85996E00C54C47CB6B53BFED9B89CB747C7765C0C340875942A624BB1B5"
    )
    let partyU = PartyUInfo.octets(ephemeralKeyX963Representation: ephemeral)
    #expect(partyU.count == 78)
    #expect(Base64URL.encode(partyU) == Self.derivations[0].agreementPartyUInfo)

    let device = try hex(
      "0499C272AF606A5101E5B1C686A164F0FF840DC4352A235951D75902440CCB26493FF98BB592A830C0B71BC3ED46578ACE6D5CE43D1A7CF657FFAD6CEF40B1EF92"
    )
    let partyV = PartyVInfo(encryptionKeyX963Representation: device, nonce: "B7F1FC32-9121-4E2A-9E32-8417E03675DD")
    #expect(partyV.octets.count == 118)
    #expect(Base64URL.encode(partyV.octets) == Self.derivations[0].agreementPartyVInfo)
    #expect(try PartyVInfo(parsing: partyV.octets) == partyV)

    let embedded = EmbeddedAssertionPartyVInfo.octets(
      prefix: Array("EXAMPLE".utf8), recipientX963Representation: try VectorKeys.point("idp-login-encryption"),
      serverNonce: "3q2-7wAAexampleServerNonce01")
    #expect(Base64URL.encode(embedded) == Self.derivations[2].agreementPartyVInfo)
  }

  @Test("A point with leading zeros keeps its 65 octets in PartyUInfo", arguments: 0..<3)
  func leadingZeros(_ index: Int) throws {
    let vector = Self.leadingZeros[index]
    let key = try VectorKeys.privateKey(vector.label)
    #expect(key.publicKey.x963Representation == (try hex(vector.point)))
    let partyU = PartyUInfo.octets(ephemeralKeyX963Representation: key.publicKey.x963Representation)
    #expect(Base64URL.encode(partyU) == vector.derivation.agreementPartyUInfo)
    let recipient = try VectorKeys.privateKey("psso-vector/device-encryption")
    let sharedSecret = try recipient.sharedSecret(with: key.publicKey)
    #expect(sharedSecret.withUnsafeBytes { Array($0) } == (try hex(vector.derivation.sharedSecret)))
  }

  @Test("A malformed PartyVInfo is refused")
  func malformed() throws {
    let good = PartyVInfo(encryptionKeyX963Representation: try VectorKeys.point("device-encryption"), nonce: "N").octets
    func code(_ octets: [UInt8]) -> ErrorCode? {
      do throws(JOSEError) {
        _ = try PartyVInfo(parsing: octets)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(good) == nil)
    for end in 0..<good.count { #expect(code(Array(good[..<end])) == .partyInfoMalformed) }
    #expect(code(good + [0]) == .partyInfoMalformed)
    #expect(code([0xFF, 0xFF, 0xFF, 0xFF] + good) == .partyInfoMalformed)
    var upperCase = good
    upperCase.replaceSubrange(4..<9, with: Array("APPLE".utf8))
    #expect(code(upperCase) == .partyInfoPrefixInvalid)
    #expect(code([0, 0, 0, UInt8(good.count)] + good) == .partyInfoMalformed)
  }
}
