import PureCrypto

func primitives() throws {
  let digest = SHA2.SHA256.hash(Array("abc".utf8))
  let code = try HMACSHA256.authenticate(Array(digest), key: SecretBytes.random(count: 32))
  print(digest, code)

  // A key is made ready once and used often. Every message gets a fresh initialization vector.
  let key = try AESGCM(key: SecretBytes.random(count: 32))
  let box = try key.seal(Array("hello".utf8), authenticating: Array("header".utf8))
  let plaintext = try key.open(
    ciphertext: box.ciphertext, authenticationTag: box.authenticationTag,
    initializationVector: box.initializationVector, authenticating: Array("header".utf8))

  let signer = P256SigningKey()
  let signature = signer.signature(for: plaintext)
  print(signer.publicKey.isValidSignature(signature, for: plaintext))

  // What two keys agree on is no key yet: keys are derived from it, each for its purpose.
  let (own, other) = (P256AgreementPrivateKey(), P256AgreementPrivateKey())
  let shared = try own.sharedSecret(with: other.publicKey)
  let parties = own.publicKey.x963Representation + other.publicKey.x963Representation
  _ = try AESGCM(key: shared.hkdfDerivedKey(SHA2.SHA256.self, salt: [], info: parties, byteCount: 32))
}
