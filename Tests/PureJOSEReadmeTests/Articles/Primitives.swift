import PureCrypto

func primitives() throws {
  let digest = SHA2.SHA256.hash(Array("abc".utf8))
  let code = HMACSHA256.authenticate(Array(digest), key: SecretBytes.random(count: 32))
  print(digest, code)

  // A key is made ready once and used often. Every message gets a fresh initialization vector.
  let key = try AESGCM(key: SecretBytes.random(count: 32))
  let box = try key.seal(Array("hello".utf8), authenticating: Array("header".utf8))
  let plaintext = try key.open(
    ciphertext: box.ciphertext, authenticationTag: box.authenticationTag,
    initializationVector: box.initializationVector, authenticating: Array("header".utf8))

  let signer = P256PrivateKey()
  let signature = signer.signature(for: plaintext)
  print(signer.publicKey.isValidSignature(signature, for: plaintext))
}
