import Foundation
import NIOCore

/// Where the server listens.
package struct ServerAddress: Sendable {
  package let host: String
  package var port: Int
  let isSecure: Bool

  package init(host: String, port: Int, isSecure: Bool) throws(StartRefusal) {
    // Sockets would take the lower 16 bits.
    guard (0...65_535).contains(port) else { throw StartRefusal("A port is a number from 0 to 65535.") }
    (self.host, self.port, self.isSecure) = (host, port, isSecure)
  }

  /// For browsers of this machine. The loopback address has its name there: no passkey is for a number.
  package var url: String {
    let name = host == "127.0.0.1" ? "localhost" : host.contains(":") ? "[\(host)]" : host
    return "\(isSecure ? "https" : "http")://\(name):\(port)"
  }

  /// The system doesn't let the server listen, such as where another program does.
  package func refusal(_ error: IOError) -> StartRefusal {
    StartRefusal("The server can't listen at \(host), port \(port): \(String(cString: strerror(error.errnoCode))).")
  }
}
