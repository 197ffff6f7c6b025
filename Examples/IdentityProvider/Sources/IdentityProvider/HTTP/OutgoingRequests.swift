import AsyncHTTPClient
import Foundation
import JOSE
import JOSEAsyncHTTPClient
import NIOCore
import NIOSSL

/// What the provider sends to clients by itself: to https addresses only, without following redirects, for five
/// seconds, and not into private networks unless the settings allow it.
struct OutgoingRequests: Sendable {
  /// A PEM file, or nil for the system's authorities.
  let trustedRoots: String?
  /// Whether clients may be in private networks.
  let allowsPrivateAddresses: Bool
  /// Looks a name up.
  var resolve: @Sendable (String) throws -> String? = {
    try SocketAddress.makeAddressResolvingHost($0, port: 443).ipAddress
  }

  /// Sends a request.
  ///
  /// - Throws: `RequestNotSent`, also for a private address; what the transport throws.
  func send(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    var configuration = HTTPClient.Configuration()
    if let trustedRoots {
      configuration.tlsConfiguration = .makeClientConfiguration()
      configuration.tlsConfiguration?.trustRoots = .file(trustedRoots)
    }
    // It goes where it was looked at: a name that is looked up again may lead elsewhere.
    if !allowsPrivateAddresses { configuration.dnsOverride = try await publicAddress(of: request.url) }
    return try await AsyncHTTPClientTransport(
      configuration: configuration, byteLimit: 64 << 10, timeLimit: .seconds(5)
    ).send(request)
  }

  /// The host of an address, and where it is.
  ///
  /// - Throws: `RequestNotSent` if that is a private network; what looking the name up throws.
  func publicAddress(of url: String) async throws -> [String: String] {
    guard let host = URL(string: url)?.host, !PrivateAddress.contains(host) else { throw RequestNotSent() }
    // A thread of its own waits, and none that passwords need.
    let address: String? = try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try resolve(host) }) }
    }
    guard let address, !PrivateAddress.contains(address) else { throw RequestNotSent() }
    return [host: address]
  }
}
