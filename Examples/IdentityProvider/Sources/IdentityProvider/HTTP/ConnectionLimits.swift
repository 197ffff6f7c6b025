import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// How many connections there may be: a client that holds many in silence must not keep others out.
package final class ConnectionLimits: Sendable {
  private let total, perNetwork: Int
  private let log: Logger
  private let state = Mutex((total: 0, networks: [String: Int](), nextLine: NIODeadline.now()))

  /// - Parameters:
  ///   - openFiles: how many files the process may have open; some are left for what is no connection.
  ///   - isBehindProxy: whether all connections come from a proxy, which may have them all.
  package init(openFiles: Int, isBehindProxy: Bool, log: Logger) {
    total = max(16, min(8192, openFiles - 256))
    perNetwork = isBehindProxy ? total : min(512, total / 4)
    self.log = log
  }

  /// What a server's connections are made with. A silent one ends after a minute.
  package var configuration: HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(additionalChannelHandlers: [ConnectionHandler(self)], idleTimeout: .seconds(60))
  }

  /// Counts a connection. False if it is one too many, which makes a line in the log, but one a minute at most.
  func open(from network: String) -> Bool {
    let (isAccepted, isNoted) = state.withLock { state -> (Bool, Bool) in
      let count = state.networks[network, default: 0]
      guard state.total < total, count < perNetwork else {
        guard state.nextLine <= .now() else { return (false, true) }
        state.nextLine = NIODeadline.now() + .minutes(1)
        return (false, false)
      }
      state.total += 1
      state.networks[network] = count + 1
      return (true, true)
    }
    if !isNoted { log.warning("connections are refused: there are too many", metadata: ["from": "\(network)"]) }
    return isAccepted
  }

  func close(from network: String) {
    state.withLock { state in
      state.total -= 1
      let count = state.networks[network, default: 1] - 1
      state.networks[network] = count > 0 ? count : Optional.none
    }
  }
}
