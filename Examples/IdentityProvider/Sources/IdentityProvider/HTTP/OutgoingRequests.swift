import AsyncHTTPClient
import Foundation
import JOSE
import JOSEAsyncHTTPClient
import NIOCore
import NIOSSL

/// Sends the provider's own requests to clients: to https addresses only, without following redirects, within five
/// seconds, and not into private networks unless the settings allow it.
struct OutgoingRequests: Sendable {
  /// A PEM file, or nil for the system's authorities.
  let trustedRoots: String?
  /// Whether clients may be in private networks.
  let allowsPrivateAddresses: Bool
  /// Resolves a host name.
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
    // The request goes to the address that was checked: a second lookup of the name might give another one.
    if !allowsPrivateAddresses { configuration.dnsOverride = try await publicAddress(of: request.url) }
    return try await AsyncHTTPClientTransport(
      configuration: configuration, byteLimit: 64 << 10, timeLimit: .seconds(5)
    ).send(request)
  }

  /// The host of a URL, and its address.
  ///
  /// - Throws: `RequestNotSent` if the address is in a private network; what the lookup throws.
  func publicAddress(of url: String) async throws -> [String: String] {
    guard let host = URL(string: url)?.host, !PrivateAddress.contains(host) else { throw RequestNotSent() }
    // The lookup blocks a thread of its own, not one of those that hash passwords.
    let address: String? = try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try resolve(host) }) }
    }
    guard let address, !PrivateAddress.contains(address) else { throw RequestNotSent() }
    return [host: address]
  }
}
