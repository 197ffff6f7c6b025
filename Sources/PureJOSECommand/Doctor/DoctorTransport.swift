import Foundation
import JOSE

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Carries requests to the server under examination. It follows no redirect and keeps nothing between requests.
protocol DoctorTransport: Sendable {
  /// - Throws: ``CommandFailure`` if no answer came.
  func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue
}

/// A transport over the network.
///
/// A server may stand elsewhere than its addresses say, behind a tunnel or on a loopback port: requests go to the
/// origin given, with the paths of the configuration.
final class URLSessionTransport: NSObject, DoctorTransport, URLSessionTaskDelegate {
  private let origin: URLComponents
  private let timeLimit: TimeInterval

  /// - Parameter address: scheme, host and port of the server; what stands behind them is not used.
  init?(address: String, timeLimit: TimeInterval = 20) {
    guard let components = URLComponents(string: address), let scheme = components.scheme?.lowercased(),
      scheme == "https" || scheme == "http", components.host?.isEmpty == false
    else { return nil }
    origin = components
    self.timeLimit = timeLimit
  }

  func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue {
    guard var components = URLComponents(string: request.url) else { throw .invalid("an address can't be read") }
    (components.scheme, components.host, components.port) = (origin.scheme, origin.host, origin.port)
    guard let url = components.url else { throw .invalid("an address can't be read") }
    var message = URLRequest(url: url, timeoutInterval: timeLimit)
    message.httpMethod = request.method
    for (name, value) in request.headers.fields { message.addValue(value, forHTTPHeaderField: name) }
    // URLSession sends no GET with a body.
    if !request.body.isEmpty, request.method != "GET" { message.httpBody = Data(request.body) }
    let request = message
    let answer: HTTPResponseValue? = await withCheckedContinuation { continuation in
      let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
      let task = session.dataTask(with: request) { data, response, _ in
        continuation.resume(returning: (response as? HTTPURLResponse).map { Self.value($0, body: data) })
      }
      task.resume()
      session.finishTasksAndInvalidate()
    }
    guard let answer else { throw .invalid("no answer from \(origin.host ?? "the server")") }
    return answer
  }

  private static func value(_ response: HTTPURLResponse, body: Data?) -> HTTPResponseValue {
    var headers = HTTPHeaderFields()
    for (name, value) in response.allHeaderFields {
      if let name = name as? String, let value = value as? String { try? headers.append(name, value) }
    }
    return HTTPResponseValue(status: response.statusCode, headers: headers, body: Array(body ?? Data()))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
