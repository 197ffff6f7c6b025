import JOSE
import Synchronization

/// The keys that the issuer of `--issuer` publishes, and why they can't be had.
struct IssuerKeys: Sendable {
  let keys: RemoteKeySet
  private let lastFailure = LastFailure()

  /// - Parameter transport: what carries requests, in place of the program `curl`.
  init(issuer: String, curl: CurlTransport, transport: HTTPTransport?) {
    var policy = RemoteKeySetPolicy.default
    // curl ends each request in its own time, and says why. A second clock beside it would only end one whose answer
    // waits for a processor.
    policy.timeLimit = .seconds(3600)
    let lastFailure = lastFailure
    let asking: HTTPTransport = { request in
      lastFailure.text.withLock { $0 = nil }
      do throws(CurlFailure) {
        return try await curl.answer(request)
      } catch {
        lastFailure.text.withLock { $0 = error.text }
        throw error
      }
    }
    keys = RemoteKeySet(
      issuer: issuer, policy: policy, plainHTTP: curl.plainHTTP, transport: transport ?? asking)
  }

  /// A failure with the words of what carried the request, which the library's error doesn't have.
  func failure(_ error: JOSEError) -> CommandFailure {
    guard error.code == .externalKeyFailed, let text = lastFailure.text.withLock({ $0 }) else {
      return CommandFailure(error)
    }
    return .invalid("\(error.code)(keys): the issuer's keys could not be fetched: \(text)")
  }
}

/// Why the last request brought nothing.
private final class LastFailure: Sendable {
  let text = Mutex<String?>(nil)
}
