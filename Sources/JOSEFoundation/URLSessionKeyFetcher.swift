#if canImport(FoundationNetworking) || canImport(Darwin)
  import Foundation
  import JOSE
  import JOSEHTTP

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
      var request = URLRequest(url: location)
      request.setValue("application/json", forHTTPHeaderField: "Accept")
      let response = try await URLExchange(byteLimit: byteLimit).run(request, timeLimit: timeLimit)
      return RemoteKeySetResponse(
        status: response.status, cacheControl: response.headers.values("Cache-Control").first,
        age: response.headers.values("Age").first, body: response.body)
    }
  }
#endif
