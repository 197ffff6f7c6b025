import JOSE

struct Order: Encodable {
  let item: String
  let iat: NumericDate
}

/// Signs what the app asks for, and opens what only this app may read.
struct Messenger {
  /// On a device, `SigningKey(try SecureEnclaveSigner(key))` from JOSEFoundation keeps the private half in the Secure
  /// Enclave.
  let signingKey = JWK.generate(.es256, keyID: "app-signing")
  let decryptionKey = JWK.generateForKeyAgreement(keyID: "app-encryption")

  /// The public halves, for the server.
  var publicKeys: [UInt8] { JWKSet([signingKey, decryptionKey]).serialized() }

  func request(_ item: String) throws -> String {
    let order = Order(item: item, iat: WallClock.system.now)
    return try JWT.sign(order, with: SigningKey(signingKey), type: "order+jwt")
  }

  func open(_ answer: String) throws -> [UInt8] {
    try JWE.decrypt(answer, with: DecryptionKey(decryptionKey), contentEncryption: [.a256gcm]).plaintext
  }
}
