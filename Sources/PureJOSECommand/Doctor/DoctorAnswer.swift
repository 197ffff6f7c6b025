import JOSE
import PlatformSSOKit
import PureCrypto

/// A request, and what only its sender knows.
struct DoctorRequest {
  let request: DeviceRequest
  /// The private half of the public key in a key exchange request.
  let exchangeKey: P256AgreementPrivateKey
}

/// What an answer has in it, and what a Mac would refuse of it.
struct DoctorAnswer {
  /// A part of an answer that can be wrong while the others are right.
  enum Part: Hashable {
    /// The response as such: whether it is for this Mac and has what it must have.
    case response
    /// The ID token in it.
    case idToken
    /// The secret that a key exchange is answered with.
    case sharedSecret
  }

  /// A part of the answers to one kind of request.
  struct Fault: Hashable {
    let kind: DeviceRequest.Message
    let part: Part
  }

  var faults: [Part: String] = [:]
  /// The tokens as they came.
  var tokens: LoginResponse?
  var idToken: String? { tokens.flatMap { $0.idToken.isEmpty ? nil : $0.idToken } }
  /// Whether the secret of a key exchange was compared with the one that the certificate's key gives.
  var secretIsCompared = false
}

extension DoctorRun {
  /// Opens an answer and keeps what later requests need.
  ///
  /// A Mac stops at the first fault. The doctor notes it and goes on, so that it hides none of the others.
  mutating func open(_ response: HTTPResponseValue, to asked: DoctorRequest) -> DoctorAnswer {
    switch asked.request.message {
    case .login, .refresh: openTokens(response, to: asked.request)
    case .key: openCertificate(response, to: asked.request)
    case .keyExchange: openSecret(response, to: asked)
    }
  }

  private mutating func openTokens(_ response: HTTPResponseValue, to request: DeviceRequest) -> DoctorAnswer {
    var answer = DoctorAnswer()
    let tokens: LoginResponse
    let header: ProtectedHeader
    do throws(JOSEError) {
      (tokens, header) = try device.unjudgedTokens(response, to: request)
    } catch {
      answer.faults[.response] = Self.described(error)
      guard let found = try? device.unjudgedMembers(response, to: request) else { return answer }
      let members = found.members
      tokens = LoginResponse(
        idToken: members["id_token"]?.stringValue ?? "", refreshToken: members["refresh_token"]?.stringValue ?? "",
        refreshTokenExpiresIn: Self.seconds(members["refresh_token_expires_in"]),
        expiresIn: Self.seconds(members["expires_in"]), additional: members)
      header = found.header
    }
    keep(tokens, of: request.message)
    answer.tokens = tokens
    guard answer.idToken != nil else { return answer }
    do throws(JOSEError) {
      _ = try device.checked(tokens, header: header, request: request, idTokenKeys: keys ?? JWKSet([]))
    } catch {
      answer.faults[.idToken] = Self.described(error)
    }
    return answer
  }

  /// Seconds in a number, or in its text.
  private static func seconds(_ value: JSONValue?) -> Duration? {
    (value?.int64Value ?? value?.stringValue.flatMap { Int64($0) }).map { .seconds($0) }
  }

  private mutating func openCertificate(_ response: HTTPResponseValue, to request: DeviceRequest) -> DoctorAnswer {
    var answer = DoctorAnswer()
    let opened = opened(&answer) {
      try device.openKeyResponse(response, to: request)
    } _: {
      try device.unjudgedKeyResponse(response, to: request)
    }
    guard let opened else { return answer }
    keyContext = opened.keyContext ?? keyContext
    unlockKey = opened.publicKeyX963Representation
    return answer
  }

  private mutating func openSecret(_ response: HTTPResponseValue, to asked: DoctorRequest) -> DoctorAnswer {
    var answer = DoctorAnswer()
    let opened = opened(&answer) {
      try device.openKeyExchangeResponse(response, to: asked.request)
    } _: {
      try device.unjudgedKeyExchangeResponse(response, to: asked.request)
    }
    guard let opened else { return answer }
    keyContext = opened.keyContext ?? keyContext
    guard let unlockKey else { return answer }
    answer.secretIsCompared = true
    do {
      let expected = try asked.exchangeKey.sharedSecret(with: P256AgreementPublicKey(x963Representation: unlockKey))
      if !expected.isSame(as: opened.key) { answer.faults[.sharedSecret] = "not the certificate's" }
    } catch {
      answer.faults[.sharedSecret] = Self.described(error)
    }
    return answer
  }

  /// What the configured Mac opens, or, with a fault, what can be opened all the same.
  private func opened<Opened>(
    _ answer: inout DoctorAnswer, _ open: () throws -> Opened, _ openAnyhow: () throws -> Opened
  ) -> Opened? {
    do {
      return try open()
    } catch {
      answer.faults[.response] = Self.described(error)
      return try? openAnyhow()
    }
  }

  /// A fault of an answer that no row tells of; from now on one does.
  mutating func newFault(in answer: DoctorAnswer, of kind: DeviceRequest.Message) -> String? {
    let new = answer.faults.filter { !knownFaults.contains(.init(kind: kind, part: $0.key)) }
    for part in new.keys { knownFaults.insert(.init(kind: kind, part: part)) }
    return [.response, .idToken, .sharedSecret].compactMap { new[$0] }.first
  }

  // MARK: Rows

  /// A row for each part of the answer to a request as it should be.
  mutating func recordParts(of answer: DoctorAnswer, to request: DeviceRequest) {
    let (kind, name) = (request.message, Self.name(request.message))
    let fault = answer.faults[.response]
    record(
      "\(name): answered", fault == nil ? .right : .wrong, fault.map { "200, \($0)" } ?? "200, opened",
      rule: Self.answerRule, source: Self.answerSource)
    if kind == .login || kind == .refresh { recordIDToken(of: answer, to: request) }
    if kind == .keyExchange { recordSecret(of: answer) }
    for part in answer.faults.keys { knownFaults.insert(.init(kind: kind, part: part)) }
  }

  private mutating func recordIDToken(of answer: DoctorAnswer, to request: DeviceRequest) {
    let name = "\(Self.name(request.message)): ID token"
    let rule = "issuer, audience, nonce, times and signature, and what OpenID Connect demands besides"
    let source = "Apple, Processing the JWE login response; OpenID Connect Core 1.0 §2"
    guard let idToken = answer.idToken else {
      return record(name, .skipped, "none", rule: rule, source: source)
    }
    let strict = device.strictFault(
      of: idToken, clientNonce: request.nonces.clientNonce, keys: keys ?? JWKSet([]))
    let fault = answer.faults[.idToken] ?? strict.map { "strict clients refuse \(Self.described($0))" }
    guard let fault else { return record(name, .right, "accepted", rule: rule, source: source) }
    if request.message == .refresh, fault == loginIDTokenFault {
      return record(name, .skipped, "as at the login", rule: rule, source: source)
    }
    loginIDTokenFault = fault
    record(name, answer.faults[.idToken] == nil ? .lenient : .wrong, fault, rule: rule, source: source)
  }

  private mutating func recordSecret(of answer: DoctorAnswer) {
    let fault = answer.faults[.sharedSecret]
    record(
      "exchange: secret", fault != nil ? .wrong : answer.secretIsCompared ? .right : .skipped,
      fault ?? (answer.secretIsCompared ? "the certificate's" : "no certificate or no answer"),
      rule: "ECDH of the Mac's key and the certificate's", source: Self.keySource)
  }

  static let answerRule = "200, and an answer for this Mac and this request"
  static let answerSource = "Apple, Platform SSO"
  static let keySource = "Apple, Supporting key requests and key exchange requests"
}
