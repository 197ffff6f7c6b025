import JOSE
import StrictJSON

/// A device's side of a login that is answered elsewhere: asks for codes, and then for tokens until the user has
/// answered.
///
/// Source: RFC 8628 §3.1, §3.4, §3.5.
struct DeviceCodeGrant: Sendable {
  let client: TokenClient
  let tokenEndpoint: String
  /// What the tokens are for, said in each request (RFC 8707).
  let resource: String?
  let clock: TokenClock

  /// The tokens of the user who answers what is shown.
  ///
  /// - Parameters:
  ///   - scope: what is asked for.
  ///   - endpoint: the server's device authorization endpoint.
  ///   - show: shows the user what to do.
  func tokens(
    scope: String?, codesFrom endpoint: String, show: (DeviceAuthorization) async -> Void
  ) async throws(OpenIDError) -> RedeemedCode {
    var form = FormFields()
    if let scope { form.append("scope", scope) }
    let answer: HTTPResponseValue
    do {
      answer = try await client.answer(to: with(resource, form), at: endpoint)
    } catch is RequestNotSent where !client.plainHTTP.permits(endpoint) {
      throw OpenIDError(
        .settingInvalid, "an endpoint is an absolute https address", name: "device_authorization_endpoint")
    } catch {
      throw .unavailable(after: nil)
    }
    let begun = clock.elapsed()
    let codes = try DeviceAuthorization(parsing: answer.answerBody(at: clock.wall.now))
    await show(codes)
    return try await tokens(for: codes, until: begun + codes.lifetime)
  }

  private func with(_ resource: String?, _ form: FormFields) -> FormFields {
    var form = form
    if let resource { form.append("resource", resource) }
    return form
  }

  private func tokens(
    for codes: DeviceAuthorization, until end: Duration
  ) async throws(OpenIDError) -> RedeemedCode {
    let form = with(resource, ["grant_type": GrantType.deviceCode, "device_code": codes.deviceCode])
    var pause = Pause(codes.interval)
    while true {
      do {
        try await clock.sleep(pause.next)
      } catch {
        throw OpenIDError(.cancelled, "the caller's task was cancelled")
      }
      guard clock.elapsed() < end else { throw Self.over }
      guard let response = try? await client.answer(to: form, at: tokenEndpoint) else {
        guard !Task.isCancelled else { throw OpenIDError(.cancelled, "the caller's task was cancelled") }
        pause.double()
        continue
      }
      let retryAfter = response.headers.retryAfter(now: clock.wall.now)
      switch OAuthAnswer.verdict(on: response) {
      case .refused("authorization_pending"): continue
      case .refused("access_denied"):
        throw OpenIDError(.authorizationRefused, "the user has refused the login", name: "access_denied")
      case .refused("expired_token"): throw Self.over
      case .busy("slow_down"): pause.slowDown(retryAfter)
      // A proxy's page is no answer of the server's.
      case .busy, .unanswered, .unusable: pause.double(retryAfter)
      case .answer, .refused:
        let (outcome, object) = client.outcome(of: response)
        switch outcome {
        case .tokens(let tokens): return RedeemedCode(tokens: tokens, object: object ?? [:], receivedAt: clock.wall.now)
        case .failed(let failure) where failure.kind == .noAnswer: pause.double(retryAfter)
        case .failed(let failure): throw OpenIDError(redeeming: failure)
        }
      }
    }
  }

  private static var over: OpenIDError { OpenIDError(.loginOver, "the user has not answered in time") }
}

/// How long a device waits before it asks again.
private struct Pause {
  private var interval: Duration
  private var once: Duration?
  private let longest: Duration

  init(_ interval: Duration) { (self.interval, longest) = (interval, max(interval, .seconds(60))) }

  /// The time until the next question.
  var next: Duration {
    mutating get {
      defer { once = nil }
      return max(interval, once ?? .zero)
    }
  }

  /// The server wants fewer questions, from now on: five seconds longer (RFC 8628 §3.5).
  mutating func slowDown(_ retryAfter: Duration?) {
    interval += .seconds(5)
    once = retryAfter
  }

  /// The server doesn't answer: it is asked half as often, as long as that still is once a minute.
  mutating func double(_ retryAfter: Duration? = nil) {
    interval = min(interval * 2, max(interval, longest))
    once = retryAfter
  }
}
