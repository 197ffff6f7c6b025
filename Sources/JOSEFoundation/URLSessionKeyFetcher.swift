#if canImport(FoundationNetworking) || canImport(Darwin)
  import Foundation
  import JOSE
  import Synchronization

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Asks for key sets and metadata with `URLSession`.
  ///
  /// ```swift
  /// let keys = RemoteKeySet(issuer: "https://idp.example.com", get: URLSessionKeyFetcher().get)
  /// ```
  ///
  /// It takes https URLs only, follows no redirect, sends and keeps no cookie, uses no cache, and stops reading at its limit.
  public struct URLSessionKeyFetcher: Sendable {
    private let byteLimit: Int
    private let timeLimit: Double
    private let takesPlainHTTP: Bool

    /// A fetcher with its limits.
    ///
    /// - Parameters:
    ///   - byteLimit: how long a body may be, in octets.
    ///   - timeLimit: how long a request may take, in seconds.
    public init(byteLimit: Int = 1 << 20, timeLimit: Double = 10) {
      self.init(byteLimit: byteLimit, timeLimit: timeLimit, takesPlainHTTP: false)
    }

    /// A fetcher that may also take http URLs, for tests with a server of their own.
    package init(byteLimit: Int, timeLimit: Double, takesPlainHTTP: Bool) {
      self.byteLimit = byteLimit
      self.timeLimit = timeLimit
      self.takesPlainHTTP = takesPlainHTTP
    }

    /// Asks for a URL.
    ///
    /// - Throws: `URLError`: `.unsupportedURL` for one that is not https, `.dataLengthExceedsMaximum` for a body past the limit, and those
    ///   of the session.
    @Sendable public func get(_ url: String) async throws -> RemoteKeySetResponse {
      guard let location = URL(string: url), let scheme = location.scheme?.lowercased(),
        scheme == "https" || takesPlainHTTP && scheme == "http"
      else { throw URLError(.unsupportedURL) }
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpShouldSetCookies = false
      configuration.httpCookieAcceptPolicy = .never
      configuration.httpCookieStorage = nil
      configuration.urlCache = nil
      configuration.urlCredentialStorage = nil
      configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
      configuration.timeoutIntervalForRequest = timeLimit
      configuration.timeoutIntervalForResource = timeLimit
      var request = URLRequest(url: location)
      request.setValue("application/json", forHTTPHeaderField: "Accept")
      let exchange = KeyExchange(byteLimit: byteLimit)
      let session = URLSession(configuration: configuration, delegate: exchange, delegateQueue: nil)
      // The session keeps its delegate until it is told that this was all.
      defer { session.invalidateAndCancel() }
      // The session's own limit starts again with every octet that arrives.
      let deadline = Task { [timeLimit] in
        try await Task.sleep(for: .seconds(timeLimit))
        exchange.end(with: .failure(URLError(.timedOut)))
      }
      defer { deadline.cancel() }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          if exchange.begin(continuation) { session.dataTask(with: request).resume() }
        }
      } onCancel: {
        exchange.end(with: .failure(URLError(.cancelled)))
      }
    }
  }

  /// One request: collects the answer up to a limit, and hands it over once.
  ///
  /// Whatever comes first ends it: the session's word, a body that is too long, the deadline, or the cancellation of the caller's task.
  /// The session alone would not do: about a task that is cancelled while it begins it may never say anything.
  private final class KeyExchange: NSObject, URLSessionDataDelegate, Sendable {
    private typealias Answer = Result<RemoteKeySetResponse, any Error>

    private struct State {
      var continuation: CheckedContinuation<RemoteKeySetResponse, any Error>?
      var response: RemoteKeySetResponse?
      var end: Answer?
    }

    private let byteLimit: Int
    private let state = Mutex(State())

    init(byteLimit: Int) {
      self.byteLimit = byteLimit
    }

    /// Takes who waits; false, and the end is told at once, if it has come already.
    func begin(_ continuation: CheckedContinuation<RemoteKeySetResponse, any Error>) -> Bool {
      let end = state.withLock { state in
        if state.end == nil { state.continuation = continuation }
        return state.end
      }
      if let end { continuation.resume(with: end) }
      return end == nil
    }

    /// Ends the request, if nothing else has.
    func end(with answer: Result<RemoteKeySetResponse, any Error>) {
      let continuation = state.withLock { state in
        defer { state.continuation = nil }
        if state.end == nil { state.end = answer }
        return state.continuation
      }
      continuation?.resume(with: answer)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      if let response = response as? HTTPURLResponse {
        let answer = RemoteKeySetResponse(
          status: response.statusCode, cacheControl: response.value(forHTTPHeaderField: "Cache-Control"),
          age: response.value(forHTTPHeaderField: "Age"), body: [])
        state.withLock { $0.response = answer }
      }
      completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let fits = state.withLock { state in
        guard let count = state.response?.body.count, data.count <= byteLimit - count else { return false }
        state.response?.body += data
        return true
      }
      if !fits { end(with: .failure(URLError(.dataLengthExceedsMaximum))) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      let response = state.withLock { $0.response }
      end(with: error.map(Answer.failure) ?? response.map(Answer.success) ?? .failure(URLError(.badServerResponse)))
    }
  }
#endif
