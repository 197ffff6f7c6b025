import JOSE
import PureCrypto
import StrictJSON

/// Decryption of compact JWE.
struct JWEDecryptGroup: BareGroup {
  func run(_ test: MemberReader) throws -> Verdict {
    let plaintext = try test.octets(ifPresent: "payload")
    let contentEncryptionKey = try test.octets(ifPresent: "cek")
    let partyVInfo = try test.base64URL(ifPresent: "apv")
    let contentEncryption = try test.strings("encs")
    let isValid = try test.result("result") == .valid
    let shared = try HPKEShared(reading: test)
    let test = try TokenTest(reading: test)
    let decryption = try JWEDecryption(
      test, contentEncryption: contentEncryption, partyVInfo: partyVInfo, shared: shared, readsCompressed: isValid)
    let decrypted = try decryption.run(test.token, isJSON: test.isJSON)
    guard plaintext.map({ $0 == decrypted.plaintext }) ?? true else { return .wrong("the plaintext differs") }
    guard !test.isJSON else { return .accepted }
    if let contentEncryptionKey, test.headerText("zip") == nil,
      open(test.token, with: contentEncryptionKey) != decrypted.plaintext
    {
      return .wrong("the content encryption key is another one")
    }
    return try decryption.judgeOtherWays(test.token, plaintext: decrypted.plaintext)
  }

  /// Opens a token with its content encryption key alone.
  private func open(_ token: String, with key: [UInt8]) -> [UInt8]? {
    let segments = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard segments.count == 5, let initializationVector = try? Base64URL.decode(utf8: segments[2]),
      let ciphertext = try? Base64URL.decode(utf8: segments[3]), let tag = try? Base64URL.decode(utf8: segments[4])
    else { return nil }
    guard let vector = try? AESGCM.InitializationVector(initializationVector) else {
      return try? AESCBCHMAC(key: SecretBytes(copying: key)).open(
        ciphertext: ciphertext, authenticationTag: tag, initializationVector: initializationVector,
        authenticating: Array(segments[0]))
    }
    return try? AESGCM(key: key).open(
      ciphertext: ciphertext, authenticationTag: tag, initializationVector: vector,
      authenticating: segments[0])
  }
}

/// What a consumer of HPKE knows beside its key.
struct HPKEShared {
  fileprivate let info: [UInt8]?
  fileprivate let preSharedKey: (key: SecretBytes, identifier: [UInt8])?

  /// - Throws: ``VectorFault`` if a member is missing, or there is one `info` for either of the two kinds.
  init(reading test: MemberReader) throws(VectorFault) {
    let (info, extraInfo) = (try test.octets(ifPresent: "info"), try test.octets(ifPresent: "recipientExtraInfo"))
    guard info == nil || extraInfo == nil else { throw .malformed("there are both info and recipientExtraInfo") }
    self.info = info ?? extraInfo
    let (key, identifier) = (try test.octets(ifPresent: "psk"), try test.octets(ifPresent: "pskId"))
    switch (key, identifier) {
    case (nil, nil): preSharedKey = nil
    case (let key?, let identifier?): preSharedKey = (SecretBytes(copying: key), identifier)
    default: throw .malformed("psk and pskId go together")
    }
  }

  fileprivate func bound(_ key: DecryptionKey) throws(JOSEError) -> DecryptionKey {
    guard info != nil || preSharedKey != nil else { return key }
    return try key.sharing(info: info ?? [], preSharedKey: preSharedKey)
  }
}

/// How a test wants its JWE to be decrypted.
struct JWEDecryption {
  private let trusted: TokenTest.Trusted
  private let understood: [String]
  private var limits = Limits.default
  private let agreedParties: AgreedParties
  private let shared: HPKEShared?
  private let keyManagement: [KeyManagementAlgorithm]
  private let contentEncryption: [ContentEncryptionAlgorithm]

  init(
    _ test: TokenTest, contentEncryption names: [String], partyVInfo: [UInt8]? = nil, shared: HPKEShared? = nil,
    readsCompressed: Bool = false
  ) throws(VectorFault) {
    self.shared = shared
    // Files presuppose that 100 kB of compressed text are accepted where compression is at all.
    if readsCompressed { limits.decompressedByteCount = 100_000 }
    trusted = test.trusted
    understood = test.understood ?? []
    agreedParties = AgreedParties(partyVInfo: partyVInfo)
    keyManagement = try TokenTest.implemented(test.algorithms, named: test.headerTexts("alg")) {
      KeyManagementAlgorithm(name: $0)
    }
    contentEncryption = try TokenTest.implemented(names, named: test.headerTexts("enc")) {
      ContentEncryptionAlgorithm(name: $0)
    }
  }

  func run(_ token: String, isJSON: Bool = false) throws(JOSEError) -> DecryptedJWE {
    switch trusted {
    case .key(let object):
      let key = try decryptionKey(object)
      return isJSON
        ? try JWE.decryptJSON(
          token, with: key, contentEncryption: contentEncryption, agreedParties: agreedParties,
          understanding: understood, limits: limits)
        : try JWE.decrypt(
          token, with: key, contentEncryption: contentEncryption, agreedParties: agreedParties,
          understanding: understood, limits: limits)
    case .set(let object):
      let keys = try JWKSet(parsing: object.serialized(), acceptsSecretKeys: true)
      return isJSON
        ? try JWE.decryptJSON(
          token, with: keys, keyManagement: keyManagement, contentEncryption: contentEncryption,
          agreedParties: agreedParties, understanding: understood, limits: limits)
        : try JWE.decrypt(
          token, with: keys, keyManagement: keyManagement, contentEncryption: contentEncryption,
          agreedParties: agreedParties, understanding: understood, limits: limits)
    }
  }

  /// A verifier of tokens that are encrypted this way around signed ones.
  func nestedVerifier(around verifier: JWTVerifier) throws(JOSEError) -> NestedJWTVerifier {
    switch trusted {
    case .key(let key):
      NestedJWTVerifier(
        decryptionKey: try decryptionKey(key), contentEncryption: contentEncryption, verifier: verifier)
    case .set(let set):
      NestedJWTVerifier(
        decryptionKeys: try JWKSet(parsing: set.serialized(), acceptsSecretKeys: true), keyManagement: keyManagement,
        contentEncryption: contentEncryption, verifier: verifier)
    }
  }

  /// Opens a token again with the same key as one that lives elsewhere, and in two steps.
  func judgeOtherWays(_ token: String, plaintext: [UInt8]) throws(JOSEError) -> Verdict {
    guard case .key(let object) = trusted, case .privateKey(let key) = try JWK(object).material,
      key.publicKey.curve?.isForAgreement == true
    else { return .accepted }
    let elsewhere = KeyElsewhere(key: key)
    let bound = try decryptionKey(object).algorithm
    guard bound.row.isAgreement else { return .accepted }
    let external = try JWE.decrypt(
      token, with: try DecryptionKey(elsewhere, algorithm: bound), contentEncryption: contentEncryption,
      agreedParties: agreedParties,
      understanding: understood, limits: limits)
    guard external.plaintext == plaintext else { return .wrong("an external key opens it differently") }
    let prepared = try JWE.prepareDecryption(
      token, contentEncryption: contentEncryption, agreedParties: agreedParties, understanding: understood,
      limits: limits)
    guard let secret = try? elsewhere.sharedSecret(withPublicKeyX963Representation: prepared.ephemeralPublicKey) else {
      return .wrong("the ephemeral key of the prepared decryption is not usable")
    }
    return .accepted(
      if: try prepared.finish(sharedSecret: secret).plaintext == plaintext, otherwise: "two steps open it differently")
  }

  /// The key, bound to the first of the algorithms that takes it.
  private func decryptionKey(_ object: JSONObject) throws(JOSEError) -> DecryptionKey {
    let key = try boundKey(object)
    return try shared?.bound(key) ?? key
  }

  private func boundKey(_ object: JSONObject) throws(JOSEError) -> DecryptionKey {
    let key = try JWK(object)
    for algorithm in keyManagement.dropLast() {
      if let bound = try? DecryptionKey(key, algorithm: algorithm) { return bound }
    }
    return try DecryptionKey(key, algorithm: keyManagement.last)
  }
}

/// A private key behind the door for keys that live elsewhere.
private struct KeyElsewhere: ExternalKeyAgreement {
  let key: PrivateKey

  var publicKeyX963Representation: [UInt8] { key.publicKey.agreementOctets }

  func sharedSecret(withPublicKeyX963Representation publicKey: [UInt8]) throws(VectorFault) -> [UInt8] {
    guard let publicKey = PublicKey(agreementOctets: publicKey), let secret = key.sharedSecret(with: publicKey) else {
      throw .malformed("no secret can be agreed")
    }
    return secret.octets
  }
}
