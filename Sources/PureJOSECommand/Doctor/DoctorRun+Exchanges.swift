import JOSE
import PlatformSSOKit
import PureCrypto

extension DoctorRun {
  // MARK: Files

  /// The association file and the key set.
  mutating func discovery() async {
    let configuration = device.configuration
    await associationFile(of: configuration.tokenEndpointURL)
    let rule = "a key with kid, for ES256 or RS256, and coordinates of 32 octets"
    let source = "Apple, Processing the JWE login response"
    do {
      let response = try await transport.send(HTTPRequestValue(method: "GET", url: configuration.jwksEndpointURL))
      let set = try JWKSet(parsing: response.body)
      let hasSignatureKey = set.keys.contains {
        $0.keyID != nil && ($0.algorithm.map { ["ES256", "RS256"].contains($0) } ?? true)
      }
      // A key of an unknown kind is for other clients, and no fault.
      let isReadable = set.unsupportedKeys.allSatisfy { $0.reason.code == .algorithmUnsupported }
      // A server that drops leading zeros may be read by choice, and is wrong all the same.
      keys = (try? configuration.idTokenKeys(parsing: response.body)) ?? set
      record(
        "key set", response.status == 200 && hasSignatureKey && isReadable ? .right : .wrong,
        "\(response.status), \(set.keys.count) keys, \(set.unsupportedKeys.count) unreadable", rule: rule,
        source: source)
    } catch {
      keys = subject.idTokenKeys
      record("key set", keys == nil ? .wrong : .skipped, Self.described(error), rule: rule, source: source)
    }
  }

  private mutating func associationFile(of url: String) async {
    let name = "association file"
    let rule = "200, application/json, authsrv.apps with TEAM.bundle-identifier, no redirect"
    let source = "Apple, apple-app-site-association"
    guard let origin = EndpointAddress.origin(url),
      let response = try? await transport.send(
        HTTPRequestValue(method: "GET", url: origin + "/.well-known/apple-app-site-association"))
    else { return record(name, .skipped, "no answer", rule: rule, source: source) }
    // Without a profile the extension isn't known: any that is there is as good.
    let applications =
      (try? JSONObject(parsing: response.body))?["authsrv"]?.objectValue?["apps"]?.arrayValue?.map(\.stringValue) ?? []
    let named = applications.compactMap(\.self).filter(Self.isApplication)
    let mediaType = response.headers.values("Content-Type").first ?? "no Content-Type"
    let isJSON = mediaType.lowercased().hasPrefix("application/json")
    let isRight = response.status == 200 && !named.isEmpty && named.count == applications.count
    let finding = subject.profile?.findings(appSiteAssociation: response).first { $0.isError }
    record(
      name, !isRight || finding != nil ? .wrong : isJSON ? .right : .lenient,
      finding.map(\.reason)
        ?? "\(response.status), \(mediaType), \(named.count) of \(applications.count) with a team",
      rule: rule, source: source)
  }

  /// Whether a text is a team of ten letters and digits, a dot, and a bundle identifier.
  private static func isApplication(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    let isTeam =
      parts[0].count == 10 && parts[0].allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    return isTeam && parts.count >= 3 && parts.allSatisfy { !$0.isEmpty }
  }

  // MARK: The requests as they should be

  static let (notConfigured, noLogin) = ("not configured", "no login before")

  /// Sends a request of a kind as it should be. False if it can't be sent or is not answered: then there is nothing to
  /// change.
  mutating func baseline(_ kind: DeviceRequest.Message) async throws(CommandFailure) -> Bool {
    let name = "\(Self.name(kind)): answered"
    let (rule, source) = (Self.answerRule, Self.answerSource)
    if kind == .refresh, !device.canRefresh(session, method: .password) {
      record(name, .skipped, Self.notConfigured, rule: rule, source: source)
      return false
    }
    guard kind == .login || refreshToken != nil else {
      record(name, .skipped, Self.noLogin, rule: rule, source: source)
      return false
    }
    do {
      let asked = try made(kind, nonces: await nonces())
      let response = try await transport.send(asked.request.httpRequest)
      let answer = open(response, to: asked)
      // What is not even a JWE is no answer, and whatever is refused beside it says nothing.
      guard response.status == 200, response.body.count(where: { $0 == 0x2E }) == 4 else {
        let observed = answer.faults[.response] ?? "no JWE"
        record(name, .wrong, "\(response.status), \(observed)", rule: rule, source: source)
        return false
      }
      recordParts(of: answer, to: asked.request)
      if let tokens = answer.tokens { recordLifetimes(of: tokens, kind, isJudged: answer.faults[.idToken] == nil) }
      if kind == .key, answer.faults.isEmpty { recordCertificateDates(of: response, to: asked.request) }
      form(of: response, to: asked.request)
      return true
    } catch {
      record(name, .wrong, Self.described(error), rule: rule, source: source)
      return false
    }
  }

  /// Whether the unlock key's certificate is valid now. It is not known whether Macs look at that.
  private mutating func recordCertificateDates(of response: HTTPResponseValue, to request: DeviceRequest) {
    var strict = device
    strict.configuration.checksCertificateValidity = true
    let isValid = (try? strict.openKeyResponse(response, to: request)) != nil
    record(
      "key: dates of the certificate", isValid ? .right : .lenient, isValid ? "valid now" : "not valid now",
      rule: "the certificate is valid now", source: Self.keySource)
  }

  /// A session that is young, so that only the configuration decides whether there is a refresh.
  private var session: PlatformSSOSession {
    let now = subject.device.clock.now
    return PlatformSSOSession(received: now, expiration: now.advanced(by: 60), lastFullLogin: now)
  }

  /// What can be seen of an answer without opening it.
  private mutating func form(of response: HTTPResponseValue, to request: DeviceRequest) {
    let name = Self.name(request.message)
    let source = "Apple, Creating a JWE login response"
    let isKey = request.message == .key || request.message == .keyExchange
    let type = isKey ? "platformsso-key-response+jwt" : "platformsso-login-response+jwt"
    let contentType = response.headers.values("Content-Type").first ?? ""
    record(
      "\(name): media type", contentType.lowercased().hasPrefix("application/" + type) ? .right : .lenient,
      contentType.isEmpty ? "none" : contentType, rule: "application/\(type)", source: source)
    let cache = response.headers.values("Cache-Control").joined(separator: ",").lowercased()
    record(
      "\(name): not kept on the way", cache.contains("no-store") ? .right : .lenient, cache.isEmpty ? "none" : cache,
      rule: "Cache-Control no-store", source: source)
    let token = String(decoding: response.body, as: UTF8.self)
    let segments = token.split(separator: ".", omittingEmptySubsequences: false)
    guard segments.count == 5, let header = try? JSONObject(parsing: Base64URL.decode(String(segments[0]))) else {
      return
    }
    let named = header["typ"]?.stringValue
    record(
      "\(name): typ", named == nil || named == type || named == "JWT" ? .right : .lenient, named ?? "none", rule: type,
      source: source)
    let vector = (try? Base64URL.decode(String(segments[2])))?.count ?? 0
    record(
      "\(name): initialization vector", vector == 12 ? .right : .lenient, "\(vector) octets", rule: "12 octets",
      source: "RFC 7518 §5.3")
    let epk = header["epk"]?.objectValue ?? [:]
    let lengths = ["x", "y"].map { (try? Base64URL.decode(epk[$0]?.stringValue ?? ""))?.count ?? 0 }
    record(
      "\(name): epk", lengths == [32, 32] ? .right : .wrong, "\(lengths[0]) and \(lengths[1]) octets",
      rule: "32 octets each", source: "RFC 7518 §6.2.1.2")
    let apv = header["apv"]?.stringValue
    let sent = Base64URL.encode(request.agreementPartyVInfo.octets)
    record(
      "\(name): apv", apv == nil || apv == sent ? .right : .wrong,
      apv == nil ? "none" : apv == sent ? "the request's" : "another",
      rule: "the request's, or none", source: source)
  }

  // MARK: Use and reuse

  /// The same request again, and the same server nonce in another request.
  mutating func replay(_ kind: DeviceRequest.Message) async throws(CommandFailure) {
    let name = Self.name(kind)
    let source = "Apple, Creating and validating a login request"
    do {
      let nonces = try await nonces()
      let first = try made(kind, nonces: nonces)
      let answer = try await transport.send(first.request.httpRequest)
      if let fault = newFault(in: open(answer, to: first), of: kind) {
        record(
          "\(name): answered again", .wrong, "\(answer.status), \(fault)", rule: Self.answerRule,
          source: Self.answerSource)
      }
      let again = try await transport.send(first.request.httpRequest)
      let (verdict, observed) = Self.judged(again, ifAccepted: .wrong, mayAskAgain: false)
      record(
        "\(name): sent twice", verdict, observed, rule: "a server nonce is good once", source: source, isMutation: true)
      let other = try made(
        kind, nonces: RequestNonces(serverNonce: nonces.serverNonce, clientRequestID: nonces.clientRequestID))
      let reused = Self.judged(
        try await transport.send(other.request.httpRequest), ifAccepted: .wrong, mayAskAgain: false)
      record(
        "\(name): server nonce of another request", reused.0, reused.1, rule: "a server nonce is good once",
        source: source, isMutation: true)
    } catch {
      record("\(name): sent twice", .wrong, Self.described(error), rule: "a server nonce is good once", source: source)
    }
  }

  /// Two key requests at once with one token, as Macs send them, and a key that stays the same or stays good.
  mutating func concurrency() async {
    guard refreshToken != nil, let before = unlockKey else { return }
    do {
      let (contextBefore, first) = (keyContext, try made(.key, nonces: await nonces()))
      let second = try made(.key, nonces: await nonces())
      let transport = transport
      async let one = transport.send(first.request.httpRequest)
      async let two = transport.send(second.request.httpRequest)
      let answers = try await (one, two)
      let faults = [
        newFault(in: open(answers.0, to: first), of: .key), newFault(in: open(answers.1, to: second), of: .key),
      ].compactMap { $0 }
      record(
        "key: two at once", faults.isEmpty ? .right : .wrong, faults.first ?? "both answered",
        rule: "Macs send several at once", source: Self.keySource)
      guard unlockKey != nil else { return }
      let isSame = before == unlockKey
      // What the old key wrapped is found again by its context, if the server gives one.
      (unlockKey, keyContext) = isSame ? (unlockKey, keyContext) : (before, contextBefore)
      let stays = isSame ? true : await exchangeIsRight()
      record(
        "key: the same key again", stays ? .right : .lenient,
        isSame ? "the same" : stays ? "a new one, the old one stays good" : "a new one",
        rule: "a new key orphans what the old one wrapped, unless its context still opens", source: Self.keySource)
    } catch {
      record(
        "key: two at once", .wrong, Self.described(error), rule: "Macs send several at once", source: Self.keySource)
    }
  }

  /// Exchanges with public keys whose text or secret a server can get wrong.
  mutating func awkwardExchanges() async {
    guard let unlockKey, let certified = try? P256AgreementPublicKey(x963Representation: unlockKey) else { return }
    typealias Choice = (P256AgreementPrivateKey) -> Bool
    let choices: [(String, String, Choice)] = [
      (
        "other_publickey with + and /", "standard base64, whose letters base64url does not have",
        {
          let text = Base64.encode($0.publicKey.x963Representation).utf8
          return text.contains(0x2B) && text.contains(0x2F)
        }
      ),
      (
        "a secret that begins with zero", "32 octets, and no leading zero is dropped",
        { unsafe (try? $0.sharedSecret(with: certified).withUnsafeBytes { unsafe $0.first == 0 }) ?? false }
      ),
    ]
    for (name, rule, isWanted) in choices {
      // One key in 256 has such a secret.
      let keys = (0..<20_000).lazy.map { _ in P256AgreementPrivateKey() }
      guard let key = keys.first(where: isWanted) else { continue }
      do {
        let asked = try made(.keyExchange, nonces: await nonces(), exchangeKey: key)
        let response = try await transport.send(asked.request.httpRequest)
        let answer = open(response, to: asked)
        let fault = newFault(in: answer, of: .keyExchange)
        let isRight = answer.faults.isEmpty
        record(
          "exchange: \(name)", isRight ? .right : fault == nil ? .skipped : .wrong,
          isRight ? "the certificate's" : fault ?? "as above", rule: rule, source: Self.keySource)
      } catch {
        record("exchange: \(name)", .wrong, Self.described(error), rule: rule, source: Self.keySource)
      }
    }
  }

  /// Whether the unlock key and the key context that are kept give the right secret.
  private mutating func exchangeIsRight() async -> Bool {
    do {
      let asked = try made(.keyExchange, nonces: await nonces())
      return open(try await transport.send(asked.request.httpRequest), to: asked).faults.isEmpty
    } catch {
      return false
    }
  }
}

/// The beginning of an address.
enum EndpointAddress {
  static func origin(_ url: String) -> String? {
    guard let scheme = url.firstRange(of: "://") else { return nil }
    let rest = url[scheme.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return authority.isEmpty ? nil : String(url[..<scheme.upperBound]) + authority
  }
}
