import Foundation
import NIOCore

/// The address that the server listens at.
package struct ServerAddress: Sendable {
  package let host: String
  package var port: Int
  let isSecure: Bool

  package init(host: String, port: Int, isSecure: Bool) throws(StartRefusal) {
    // A socket would silently use the lower 16 bits.
    guard (0...65_535).contains(port) else { throw StartRefusal("--port must be a number from 0 to 65535.") }
    (self.host, self.port, self.isSecure) = (host, port, isSecure)
  }

  /// The address for browsers of this machine. It names `localhost`, because passkeys don't work for numeric addresses.
  package var url: String {
    let name = host == "127.0.0.1" ? "localhost" : host.contains(":") ? "[\(host)]" : host
    return "\(isSecure ? "https" : "http")://\(name):\(port)"
  }

  /// The system refuses to let the server listen, for instance because another program already does.
  package func refusal(_ error: IOError) -> StartRefusal {
    StartRefusal("The server can't listen at \(host), port \(port): \(String(cString: strerror(error.errnoCode))).")
  }
}
