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
      let exchange = KeyExchange(byteLimit: byteLimit)
      let session = URLSession(configuration: configuration, delegate: exchange, delegateQueue: nil)
      // The session keeps its delegate until it is told that this was all.
      defer { session.finishTasksAndInvalidate() }
      var request = URLRequest(url: location)
      request.setValue("application/json", forHTTPHeaderField: "Accept")
      let task = session.dataTask(with: request)
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          exchange.begin(continuation)
          task.resume()
        }
      } onCancel: {
        task.cancel()
      }
    }
  }

  /// One request: collects the answer up to a limit, and hands it over once.
  private final class KeyExchange: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
      var continuation: CheckedContinuation<RemoteKeySetResponse, any Error>?
      var response: RemoteKeySetResponse?
      var isTooLong = false
    }

    private let byteLimit: Int
    private let state = Mutex(State())

    init(byteLimit: Int) {
      self.byteLimit = byteLimit
    }

    func begin(_ continuation: CheckedContinuation<RemoteKeySetResponse, any Error>) {
      state.withLock { $0.continuation = continuation }
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
      let isTooLong = state.withLock { state in
        guard !state.isTooLong, let count = state.response?.body.count, count + data.count <= byteLimit else {
          state.isTooLong = true
          return true
        }
        state.response?.body += data
        return false
      }
      if isTooLong { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      let (continuation, result) = state.withLock { state in
        defer { state.continuation = nil }
        let result: Result<RemoteKeySetResponse, any Error> =
          if state.isTooLong {
            .failure(URLError(.dataLengthExceedsMaximum))
          } else if let error {
            .failure(error)
          } else if let response = state.response {
            .success(response)
          } else {
            .failure(URLError(.badServerResponse))
          }
        return (state.continuation, result)
      }
      continuation?.resume(with: result)
    }
  }
#endif
