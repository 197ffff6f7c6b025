import JOSE
import PlatformSSOKit
import PureCrypto

extension DoctorMutations {
  private static let signed = "Apple, Creating an embedded assertion"
  private static let encrypted = "Apple, Creating an encrypted embedded assertion"

  /// What is tried with the assertion inside a login request, if the Mac logs in with one.
  static func assertions(of subject: DoctorSubject) -> [DoctorMutation] {
    switch subject.method {
    case .userSecureEnclaveKey: signedAssertions + ofUserKeys
    case .smartCard: signedAssertions + ofSmartCards
    case .password where !subject.hasPassword: encryptedAssertions
    default: []
    }
  }

  private typealias ChangeOfClaims = @Sendable (_ claims: inout JSONObject, _ nonceName: String) -> Void

  /// A change of the claims of a signed assertion, which the user's key signs again.
  private static func inside(
    _ name: String, _ rule: String, ifAccepted: DoctorFinding.Verdict = .wrong, _ change: @escaping ChangeOfClaims
  ) -> DoctorMutation {
    DoctorMutation("assertion: \(name)", rule, signed, ifAccepted: ifAccepted, mayAskAgain: true) { draft in
      let nonceName = draft.nonceName
      draft.changeSignedAssertion { _, claims in change(&claims, nonceName) }
    }
  }

  private static let signedAssertions: [DoctorMutation] = [
    inside("another nonce", "the nonce is the request's") { claims, _ in
      claims["nonce"] = "00000000-0000-4000-8000-000000000000"
    },
    inside("another server nonce", "the server nonce is the request's", ifAccepted: .lenient) { claims, name in
      claims[name] = "x-other"
    },
    inside("neither nonce", "an assertion is good for one request") { claims, name in
      (claims["nonce"], claims[name]) = (nil, nil)
    },
    inside("sub another user", "one user inside and outside") { claims, _ in claims["sub"] = "x-another-user" },
    inside("iss another user", "one user inside and outside", ifAccepted: .lenient) { claims, _ in
      claims["iss"] = "x-another-user"
    },
    inside("aud of another provider", "aud is this provider's audience") { claims, _ in
      claims["aud"] = "https://other.example"
    },
    inside("aud absent", "aud is this provider's audience", ifAccepted: .lenient) { claims, _ in claims["aud"] = nil },
    inside("scope another", "the scope is the request's", ifAccepted: .lenient) { claims, _ in
      claims["scope"] = "openid"
    },
    inside("exp past", "an assertion lives five minutes") { claims, _ in
      for name in ["iat", "exp"] {
        if let time = claims[name]?.int64Value { claims[name] = .number(JSONNumber(Int(time) - 600)) }
      }
    },
    inside("iat ten minutes ahead", "iat is not in the future", ifAccepted: .lenient) { claims, _ in
      for name in ["iat", "exp"] {
        if let time = claims[name]?.int64Value { claims[name] = .number(JSONNumber(Int(time) + 600)) }
      }
    },
    DoctorMutation(
      "assertion: typ of another message", "each message has its type", signed, ifAccepted: .lenient, mayAskAgain: true
    ) {
      $0.changeSignedAssertion { header, _ in header["typ"] = "platformsso-login-request+jwt" }
    },
    DoctorMutation("assertion: alg none", "the user signs", signed, mayAskAgain: true) {
      $0.changeSignedAssertion(sign: { _ in [] }) { header, _ in header["alg"] = "none" }
    },
    DoctorMutation("assertion: signed by another key", "the key is the user's", signed, mayAskAgain: true) {
      let key = try? SigningKey.generate($0.method.assertionKey?.algorithm ?? .es256)
      $0.changeSignedAssertion(sign: { (try? key?.signature(for: $0)) ?? [] }) { _, _ in }
    },
    DoctorMutation(
      "assertion: the device's kid and signature", "the user signs, not the device", signed, mayAskAgain: true
    ) {
      let (keyID, sign) = ($0.keys.signingKeyID.text, $0.sign)
      $0.changeSignedAssertion(sign: { sign?($0) ?? [] }) { header, _ in header["kid"] = .string(keyID) }
    },
    DoctorMutation("assertion: of another request", "an assertion is good for one request", signed, mayAskAgain: true) {
      let nonce = "00000000-0000-4000-8000-000000000001"
      $0.claims["nonce"] = .string(nonce)
      $0.changePartyVInfo { octets in
        if octets.count > 36 { octets.replaceSubrange((octets.count - 36)..., with: nonce.utf8) }
      }
    },
  ]

  private static let ofUserKeys: [DoctorMutation] = [
    DoctorMutation("assertion: kid unknown", "the key is the user's", signed, mayAskAgain: true) {
      $0.changeSignedAssertion { header, _ in
        header["kid"] = .string(Base64.encode([UInt8](repeating: 0x5A, count: 32)))
      }
    }
  ]

  private static let pathRule = "a certificate names a user only if a trusted authority has signed it"

  private static let ofSmartCards: [DoctorMutation] = [
    DoctorMutation(
      "assertion: no certificate", "a card is named by its certificate", signed, ifAccepted: .lenient, mayAskAgain: true
    ) {
      $0.changeSignedAssertion { header, _ in (header["x5c"], header["kid"]) = (nil, nil) }
    },
    DoctorMutation("assertion: a certificate of the same names for another key", pathRule, signed, mayAskAgain: true) {
      $0.forgeCard(issuer: \.issuer)
    },
    DoctorMutation("assertion: a self-issued certificate for another key", pathRule, signed, mayAskAgain: true) {
      $0.forgeCard(issuer: \.subject)
    },
    DoctorMutation(
      "assertion: a certificate for another key, and the card's behind it", pathRule, signed, mayAskAgain: true
    ) {
      $0.forgeCard(issuer: \.subject, isFollowedByCard: true)
    },
  ]

  /// A change of the claims of an encrypted assertion, which is encrypted again.
  private static func sealed(
    _ name: String, _ rule: String, ifAccepted: DoctorFinding.Verdict = .wrong, _ change: @escaping ChangeOfClaims
  ) -> DoctorMutation {
    DoctorMutation("assertion: \(name)", rule, encrypted, ifAccepted: ifAccepted, mayAskAgain: true) { draft in
      let nonceName = draft.nonceName
      draft.changeEncryptedAssertion { claims in change(&claims, nonceName) }
    }
  }

  private static let encryptedAssertions: [DoctorMutation] = [
    sealed("password wrong", "401 makes the Mac ask again") { claims, _ in claims["password"] = "x-wrong-password" },
    sealed("password absent", "a password login has a password") { claims, _ in claims["password"] = nil },
    sealed("password a number", "a password is text") { claims, _ in claims["password"] = 1 },
    sealed("another nonce", "the nonce is the request's", ifAccepted: .lenient) { claims, _ in
      claims["nonce"] = "00000000-0000-4000-8000-000000000000"
    },
    sealed("another server nonce", "the server nonce is the request's", ifAccepted: .lenient) { claims, name in
      claims[name] = "x-other"
    },
    sealed("sub another user", "one user inside and outside", ifAccepted: .lenient) { claims, _ in
      claims["sub"] = "x-another-user"
    },
    sealed("aud of another provider", "aud is this provider's audience", ifAccepted: .lenient) { claims, _ in
      claims["aud"] = "https://other.example"
    },
    sealed("exp past", "an assertion lives five minutes", ifAccepted: .lenient) { claims, _ in
      for name in ["iat", "exp"] {
        if let time = claims[name]?.int64Value { claims[name] = .number(JSONNumber(Int(time) - 600)) }
      }
    },
    DoctorMutation(
      "assertion: apv of another nonce", "apv names the server nonce", encrypted, ifAccepted: .lenient,
      mayAskAgain: true
    ) {
      $0.changeEncryptedAssertion(serverNonce: "x-other") { _ in }
    },
    DoctorMutation("assertion: for another key", "the provider's key opens it", encrypted, mayAskAgain: true) {
      $0.changeEncryptedAssertion(recipient: P256AgreementPrivateKey().publicKey.x963Representation) { _ in }
    },
    DoctorMutation("assertion: tag changed", "a tag must verify", encrypted, mayAskAgain: true) { draft in
      guard var octets = draft.claims["assertion"]?.stringValue.map({ Array($0.utf8) }), octets.count > 10 else {
        return
      }
      let place = octets.count - 5
      octets[place] = octets[place] == 0x41 ? 0x42 : 0x41
      draft.claims["assertion"] = .string(String(decoding: octets, as: UTF8.self))
    },
    DoctorMutation(
      "assertion: the password legible as well", "what is encrypted need not be sent twice", encrypted,
      ifAccepted: .lenient, mayAskAgain: true
    ) {
      $0.claims["grant_type"] = "password"
      $0.claims["password"] = "x-wrong-password"
    },
  ]
}

extension SignedDraft {
  /// Changes header and claims of the user's signed assertion, and signs it anew: with the user's key unless told
  /// otherwise.
  mutating func changeSignedAssertion(
    sign: (([UInt8]) -> [UInt8])? = nil, _ change: (inout JSONObject, inout JSONObject) -> Void
  ) {
    guard let key = method.assertionKey,
      let token = try? UnverifiedJWS(parsing: claims["assertion"]?.stringValue ?? ""),
      var inner = token.unverifiedClaims
    else { return }
    var header = token.unverifiedHeader.parameters
    change(&header, &inner)
    let input = "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(inner.serialized()))"
    let signature = sign?(Array(input.utf8)) ?? (try? key.signature(for: Array(input.utf8))) ?? []
    claims["assertion"] = .string("\(input).\(Base64URL.encode(signature))")
  }

  /// Signs the assertion with another key of the card's kind, for which a certificate with the card's subject and dates
  /// is made and signed by no authority.
  ///
  /// - Parameters:
  ///   - issuer: whose name stands as the issuer's.
  ///   - isFollowedByCard: whether the card's own certificate stands behind it.
  mutating func forgeCard(issuer: KeyPath<X509Certificate, [UInt8]>, isFollowedByCard: Bool = false) {
    guard case .smartCard(let cardKey, let certificate) = method, let key = try? SigningKey.generate(cardKey.algorithm),
      let forger = try? SigningKey.generate(.es256),
      let card = try? X509Certificate(derRepresentation: certificate), let validity = try? card.validity
    else { return }
    let made = Certificate.signed(
      issuer: card[keyPath: issuer], subject: card.subject, subjectPublicKeyInfo: key.subjectPublicKeyInfo,
      validity: NumericDate(validity.lowerBound)...NumericDate(validity.upperBound)
    ) {
      Certificate.usage(&$0, Certificate.digitalSignature)
    } sign: {
      forger.derSignature(for: $0)
    }
    let texts = ([made] + (isFollowedByCard ? [certificate] : [])).map { JSONValue.string(Base64.encode($0)) }
    let isArray = configuration.writesCertificateArray || isFollowedByCard
    changeSignedAssertion(sign: { (try? key.signature(for: $0)) ?? [] }) { header, _ in
      header["kid"] = nil
      header["x5c"] = isArray ? .array(texts) : texts.first
    }
  }

  /// Makes the encrypted assertion anew, of claims that are changed, for another key or with another nonce in its party
  /// info.
  mutating func changeEncryptedAssertion(
    recipient: [UInt8]? = nil, serverNonce: String? = nil, _ change: (inout JSONObject) -> Void
  ) {
    guard case .password(let password) = method, let point = recipient ?? configuration.loginRequestEncryptionPublicKey
    else { return }
    var inner = JSONObject()
    for name in ["iat", "exp", "nonce", serverNonceClaimName, "scope", "sub"] { inner[name] = claims[name] }
    (inner["iss"], inner["aud"]) = (claims["sub"], .string(configuration.audience))
    inner["password"] = .string(password)
    change(&inner)
    let partyVInfo = EmbeddedAssertionPartyVInfo.octets(
      prefix: configuration.loginRequestEncryptionAPVPrefix, omitsUnsetPrefix: configuration.omitsUnsetAPVPrefix,
      recipientX963Representation: point,
      serverNonce: serverNonce ?? claims[serverNonceClaimName]?.stringValue ?? "")
    let assertion = try? JWE.encrypt(
      inner.serialized(), to: EncryptionKey(ecdhESX963Representation: point), contentEncryption: .a256gcm,
      header: HeaderParameters(type: MessageType.encryptedLoginAssertion.name),
      agreementPartyUInfo: .madeFromEphemeralKey { PartyUInfo.octets(ephemeralKeyX963Representation: $0) },
      agreementPartyVInfo: .octets(partyVInfo))
    claims["assertion"] = assertion.map { .string($0) }
  }
}

extension LoginMethod {
  /// What signs the user's assertion, if a key here does.
  fileprivate var assertionKey: SigningKey? {
    switch self {
    case .userSecureEnclaveKey(let key), .smartCard(let key, _): key
    case .password, .embeddedAssertion, .webAuthorization: nil
    }
  }
}
