#if canImport(FoundationNetworking) || canImport(Darwin)
  import Foundation
  import JOSE

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Sends requests with `URLSession`: the `HTTPTransport` that every module asks for.
  ///
  /// ```swift
  /// let keys = RemoteKeySet(issuer: "https://idp.example.com", transport: URLSessionTransport().send)
  /// ```
  ///
  /// It takes https URLs only, and http ones as far as they are allowed. It follows no redirect, answers no challenge
  /// (Basic, Digest, NTLM, Negotiate: the caller gets the 401 or 407), sends and keeps no cookie, uses no cache, and
  /// stops reading at its limit. Each request has a connection of its own: for tokens, which are seldom asked for, not
  /// for every call of an API.
  ///
  /// On Linux, a server can end the process: a chunked response with a trailer is a fatal error inside
  /// `FoundationNetworking`, which no code here can prevent (`Documentation/FoundationNetworking.md`). Servers on Linux
  /// send their requests with `AsyncHTTPClientTransport` of `Integrations/AsyncHTTPClient` instead.
  public struct URLSessionTransport: Sendable {
    private let byteLimit: Int
    private let timeLimit: Duration
    private let plainHTTP: PlainHTTP

    /// A transport with its limits.
    ///
    /// - Parameters:
    ///   - byteLimit: how long the body of an answer may be, in octets.
    ///   - timeLimit: how long a request may take, from a millisecond to a day.
    ///   - plainHTTP: whether requests may go to this machine, without TLS.
    public init(byteLimit: Int = 1 << 20, timeLimit: Duration = .seconds(30), plainHTTP: PlainHTTP = .refused) {
      self.byteLimit = byteLimit
      self.timeLimit = max(.milliseconds(1), min(timeLimit, .seconds(86_400)))
      self.plainHTTP = plainHTTP
    }

    /// Sends a request.
    ///
    /// - Throws: `RequestNotSent` if the request certainly did not reach the server: no URL that may be asked, no name,
    ///   no connection, no TLS. Any other error, a deadline or the end of the caller's task among them, means that the
    ///   server may have seen it.
    @Sendable public func send(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
      guard plainHTTP.permits(request.url), let location = URL(string: request.url), !Task.isCancelled else {
        throw RequestNotSent()
      }
      var message = URLRequest(url: location)
      message.httpMethod = request.method
      // URLSession decodes what is compressed, and asks for that itself.
      for field in request.headers.fields
      where !field.name.hasSameBytesIgnoringASCIICase(as: HTTPHeaderFields.uncoded.name) {
        message.addValue(field.value, forHTTPHeaderField: field.name)
      }
      if !request.body.isEmpty { message.httpBody = Data(request.body) }
      do {
        return try await URLExchange(byteLimit: byteLimit).run(message, timeLimit: timeLimit)
      } catch let error as URLError where Self.neverSent.contains(error.code) {
        throw RequestNotSent()
      }
    }

    /// What goes wrong before the first octet of the request leaves. That a connection was lost is not among it, nor
    /// that there was no answer in time.
    private static let neverSent: Set<URLError.Code> = [
      .badURL, .unsupportedURL, .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet,
      .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired, .internationalRoamingOff, .callIsActive, .dataNotAllowed,
      .appTransportSecurityRequiresSecureConnection,
    ]
  }
#endif
