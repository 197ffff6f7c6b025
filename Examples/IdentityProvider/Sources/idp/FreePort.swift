import NIOCore
import NIOPosix

/// Finds a free port. The issuer must be known before the server starts.
enum FreePort {
  static func find(at host: String) async throws -> Int {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: host, port: 0).get()
    let port = channel.localAddress?.port
    try await channel.close()
    return port ?? 0
  }
}
