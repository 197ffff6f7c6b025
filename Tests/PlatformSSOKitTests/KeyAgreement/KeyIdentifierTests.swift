import JOSE
import PlatformSSOKit
import PureJOSETestSupport
import Testing

@Suite("Key identifiers")
struct KeyIdentifierTests {
  static let identifiers = [
    ("device-signing", "RNSAAz30Eh9REKwpQ21OfBmxo5jsJS7FhPNKnEJsdqA="),
    ("device-encryption", "xn+koRKA6QjRHUV646Ekc7/aWZW+DFiZmyvmJYbPgg8="),
    ("user-secure-enclave", "y/IX2dQ6mFgC5oA60+E/eJ6418Z/+gNkD/yY9tjBeQw="),
    ("idp-login-encryption", "/hM/gmiNZZerTE9prW0QxhOweJaj2XD77eXF42uuNpU="),
    ("idp-token-signing", "tDm6go7La3fuvwyRgaavi2xzmaVW2udlbsQsDIw13Us="),
    ("idp-unlock", "CwnWdX9keL1o6sniksYZYVBTOt61yyt3QdTzvjDKoAc="),
    ("peer-exchange", "Iy60WaGfcqQQ4NPwHQmCHAdzqQt6MCI1vizKbBLlhGQ="),
    ("epk-login-response", "/TYD1ZmShqPwzL5wq5CwfphZq5FhuEUnWVTV4rLn9xA="),
    ("epk-embedded-assertion", "YVWWHy5ODT4GsRvE5cDLLaYNeyaMMxHZGDJBk9p616M="),
    ("epk-key-response", "6PoxN+Wambb+y5C/7HoMPEpVQxx5mTB7P3tJXLEr/M4="),
    ("epk-exchange-response", "mI5cHuXzsBpqp4Ar0JSwbPIdR4u2yfM4vRPIsG6xsFc="),
  ]

  @Test("An identifier is standard base64 of the hash of the point, with padding", arguments: identifiers)
  func text(_ name: String, _ text: String) throws {
    #expect(try KeyIdentifier(ofX963Representation: VectorKeys.point(name)).text == text)
  }

  @Test("Identifiers of Apple's example B")
  func appleExample() throws {
    let keys = [
      (
        "gK60EgxT-EipyAgSlrHG0LgFVrgnd8UXAvLOgykJtms", "PAIz7YrH4Rxz1rlfn6JcnwSmFDVGY1ISlGnmK1NX5vs",
        "Ws9mKynZxyUSNXYtMGAjjLO+Jg16HCa/5pJO0udNWJ4="
      ),
      (
        "TvkPOH4yscrSC1rFYvnBVPYMqzR1vKck9ht4D7K_gAQ", "4MlSuUf_7J6Ljv0FBT1jK0_sKGB4WYwdKCOtnTEAwz4",
        "pScnuzx3x85Eyp6CtK9UQADxOsAGTP72y02Tg3m1sk8="
      ),
      (
        "VIXdgu3x0eLgEVtROZ5YQ4GUS8WZQT-3HPqX2FPoY4I", "erf9nEkEC8SiuwP-7f7udD7CnX5KEauVIfBPoqnmlYo",
        "lssbzDeX5i7SjBnCsHVKrzAMnEvEmVwZeyJQqoGdS4E="
      ),
    ]
    for (x, y, text) in keys {
      let point = [0x04] + (try Base64URL.decode(x)) + (try Base64URL.decode(y))
      #expect(try KeyIdentifier(ofX963Representation: point).text == text)
    }
  }

  @Test("Either alphabet and either padding is read, but not both alphabets in one text")
  func forms() throws {
    let keyID = try KeyIdentifier(ofX963Representation: VectorKeys.point("user-secure-enclave"))
    for text in [
      "y/IX2dQ6mFgC5oA60+E/eJ6418Z/+gNkD/yY9tjBeQw=", "y/IX2dQ6mFgC5oA60+E/eJ6418Z/+gNkD/yY9tjBeQw",
      "y_IX2dQ6mFgC5oA60-E_eJ6418Z_-gNkD_yY9tjBeQw=", "y_IX2dQ6mFgC5oA60-E_eJ6418Z_-gNkD_yY9tjBeQw",
    ] {
      #expect(try KeyIdentifier(parsing: text) == keyID)
    }
    for text in [
      "", "y/IX2dQ6mFgC5oA60-E/eJ6418Z/+gNkD/yY9tjBeQw=", "y/IX2dQ6mFgC5oA60+E/eJ6418Z/+gNkD/yY9tjBeQx=",
      "y/IX2dQ6mFgC5oA60+E/eJ6418Z/+gNkD/yY9tjBeQ==", " y/IX2dQ6mFgC5oA60+E/eJ6418Z/+gNkD/yY9tjBeQw",
      "y/IX2dQ6mFgC5oA60+E/eJ6418Z/+gNkD/yY9tjBeQw==", "y/IX2dQ6mFgC5oA60+E/eJ6418Z/+gNkD/yY9tjBeQ\u{212A}",
    ] {
      #expect(throws: JOSEError.self) { try KeyIdentifier(parsing: text) }
    }
  }

  @Test("A key registers in every known form")
  func registration() throws {
    let point = try VectorKeys.point("device-signing")
    let key = try RegisteredKey(x963Representation: point)
    let publicKey = try VectorKeys.privateKey("psso-vector/device-signing").publicKey
    let bare = "-----BEGIN PUBLIC KEY-----\n" + Base64.encode(point) + "\n-----END PUBLIC KEY-----\n"
    for text in [
      Base64.encode(point), Base64URL.encode(point), Base64.encode(publicKey.derRepresentation),
      publicKey.pemRepresentation, bare,
    ] {
      #expect(try RegisteredKey(registering: text, claimedKeyID: key.keyID.text) == key)
    }
    #expect(try RegisteredKey(registering: publicKey.derRepresentation) == key)
    #expect(throws: JOSEError(.keyIdentifierInvalid, "", name: "kid")) {
      try RegisteredKey(registering: point, claimedKeyID: "xn+koRKA6QjRHUV646Ekc7/aWZW+DFiZmyvmJYbPgg8=")
    }
    var offCurve = point
    offCurve[64] ^= 1
    for octets in [offCurve, Array(point.dropLast()), [0x02] + point[1..<33], []] {
      #expect(throws: JOSEError(.keyInvalid, "")) { try RegisteredKey(registering: octets) }
    }
  }
}
