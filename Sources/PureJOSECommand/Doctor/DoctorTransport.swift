import Foundation
import JOSE
import JOSEFoundation

/// Carries requests to the server under examination. It follows no redirect and keeps nothing between requests.
protocol DoctorTransport: Sendable {
  /// - Throws: ``CommandFailure`` if no answer came.
  func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue
}

/// A transport over the network, to one server.
///
/// A server may stand elsewhere than its addresses say, behind a tunnel or on a loopback port: requests go to the
/// origin given, with the paths of the configuration.
struct RelocatedTransport: DoctorTransport {
  private let origin: URLComponents
  private let transport = URLSessionTransport(timeLimit: .seconds(20), plainHTTP: .loopback)

  /// - Parameter address: scheme, host and port of the server, https or on this machine http; what stands behind them
  ///   is not used.
  init?(address: String) {
    guard let components = URLComponents(string: address), components.host?.isEmpty == false,
      PlainHTTP.loopback.permits(address)
    else { return nil }
    origin = components
  }

  func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue {
    guard var components = URLComponents(string: request.url) else { throw .invalid("an address can't be read") }
    (components.scheme, components.host, components.port) = (origin.scheme, origin.host, origin.port)
    guard let url = components.string else { throw .invalid("an address can't be read") }
    // URLSession sends no GET with a body.
    let body = request.method == "GET" ? [] : request.body
    let message = HTTPRequestValue(method: request.method, url: url, headers: request.headers, body: body)
    do {
      return try await transport.send(message)
    } catch {
      throw .invalid("no answer from \(origin.host ?? "the server")")
    }
  }
}
