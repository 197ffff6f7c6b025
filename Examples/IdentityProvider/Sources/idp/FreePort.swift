import NIOCore
import NIOPosix

/// Finds a port that nobody listens at. The issuer has to be known before the server begins.
enum FreePort {
  static func find(at host: String) async throws -> Int {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: host, port: 0).get()
    let port = channel.localAddress?.port
    try await channel.close()
    return port ?? 0
  }
}
