#if canImport(FoundationNetworking) || canImport(Darwin)
  import Foundation
  import JOSE
  import Synchronization

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// One request with `URLSession`: collects the answer up to a limit, and hands it over once. Follows no redirect,
  /// answers no challenge, sends and keeps no cookie, uses no cache.
  ///
  /// Whatever comes first ends it: the session's word, a body that is too long, the deadline, or the cancellation of
  /// the caller's task. The session alone would not do: about a task that is cancelled while it begins it may never say
  /// anything.
  final class URLExchange: NSObject, URLSessionDataDelegate, Sendable {
    private typealias Answer = Result<HTTPResponseValue, any Error>

    private struct State {
      var continuation: CheckedContinuation<HTTPResponseValue, any Error>?
      var response: HTTPResponseValue?
      var end: Answer?
    }

    private let byteLimit: Int
    private let state = Mutex(State())

    init(byteLimit: Int) {
      self.byteLimit = byteLimit
    }

    /// Sends the request.
    ///
    /// - Throws: `URLError`: `.timedOut`, `.cancelled`, `.dataLengthExceedsMaximum`, and those of the session.
    func run(_ request: URLRequest, timeLimit: Duration) async throws -> HTTPResponseValue {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpShouldSetCookies = false
      configuration.httpCookieAcceptPolicy = .never
      configuration.httpCookieStorage = nil
      configuration.urlCache = nil
      configuration.urlCredentialStorage = nil
      configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
      configuration.timeoutIntervalForRequest = timeLimit.inSeconds
      configuration.timeoutIntervalForResource = timeLimit.inSeconds
      let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
      // The session keeps its delegate until it is told that this was all.
      defer { session.invalidateAndCancel() }
      // The session's own limit starts again with every octet that arrives.
      let deadline = Task {
        try await Task.sleep(for: timeLimit)
        self.end(with: .failure(URLError(.timedOut)))
      }
      defer { deadline.cancel() }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          if begin(continuation) { session.dataTask(with: request).resume() }
        }
      } onCancel: {
        end(with: .failure(URLError(.cancelled)))
      }
    }

    /// Takes who waits; false, and the end is told at once, if it has come already.
    private func begin(_ continuation: CheckedContinuation<HTTPResponseValue, any Error>) -> Bool {
      let end = state.withLock { state in
        if state.end == nil { state.continuation = continuation }
        return state.end
      }
      if let end { continuation.resume(with: end) }
      return end == nil
    }

    /// Ends the request, if nothing else has.
    private func end(with answer: Result<HTTPResponseValue, any Error>) {
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

    /// Declines to prove anything to the server or a proxy: the response with the challenge is handed over. Whether the
    /// server is trusted is left to the system.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      switch challenge.protectionSpace.authenticationMethod {
      case NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodNTLM,
        NSURLAuthenticationMethodNegotiate:
        #if canImport(FoundationNetworking)
          // This Foundation asks after the whole response has arrived, and whatever declines then cancels the task,
          // which may never report it.
          if let response = state.withLock({ $0.response }) { end(with: .success(response)) }
        #endif
        completionHandler(.rejectProtectionSpace, nil)
      default: completionHandler(.performDefaultHandling, nil)
      }
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      if let response = response as? HTTPURLResponse {
        var headers = HTTPHeaderFields()
        for (name, value) in response.allHeaderFields {
          // A field that HTTP has no place for is left out.
          if let name = name as? String, let value = value as? String { try? headers.append(name, value) }
        }
        state.withLock { $0.response = HTTPResponseValue(status: response.statusCode, headers: headers) }
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
