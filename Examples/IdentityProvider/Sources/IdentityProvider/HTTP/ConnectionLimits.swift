import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Limits the number of connections: a client that holds many idle ones must not keep others out.
package final class ConnectionLimits: Sendable {
  private let total, perNetwork, perSite: Int
  private let log: Logger
  private let state = Mutex((total: 0, networks: [String: Int](), nextLine: NIODeadline.now()))

  /// - Parameters:
  ///   - openFiles: the process's limit of open files; some are reserved for other uses than connections.
  ///   - isBehindProxy: whether all connections come from a proxy, which may then use all of them.
  package init(openFiles: Int, isBehindProxy: Bool, log: Logger) {
    total = max(16, min(8192, openFiles - 256))
    perNetwork = isBehindProxy ? total : min(512, total / 4)
    perSite = isBehindProxy ? total : min(perNetwork * SourceAddress.siteShare, total / 2)
    self.log = log
  }

  /// The configuration of the server's connections. An idle one is closed after a minute.
  package var configuration: HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(additionalChannelHandlers: [ConnectionHandler(self)], idleTimeout: .seconds(60))
  }

  /// Counts a connection. False if it exceeds a limit, which is logged at most once a minute.
  func open(from source: SourceAddress) -> Bool {
    let (isAccepted, isNoted) = state.withLock { state -> (Bool, Bool) in
      let isFull = source.counted.contains { name, share in
        state.networks[name, default: 0] >= (share > 1 ? perSite : perNetwork)
      }
      guard state.total < total, !isFull else {
        guard state.nextLine <= .now() else { return (false, true) }
        state.nextLine = NIODeadline.now() + .minutes(1)
        return (false, false)
      }
      state.total += 1
      for (name, _) in source.counted { state.networks[name, default: 0] += 1 }
      return (true, true)
    }
    if !isNoted { log.warning("connections are refused: a limit was reached", metadata: ["from": "\(source.network)"]) }
    return isAccepted
  }

  func close(from source: SourceAddress) {
    state.withLock { state in
      state.total -= 1
      for (name, _) in source.counted {
        let count = state.networks[name, default: 1] - 1
        state.networks[name] = count > 0 ? count : Optional.none
      }
    }
  }
}
