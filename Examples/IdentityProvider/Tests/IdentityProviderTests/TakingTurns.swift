import HTTPTypes
import HummingbirdTesting
import NIOCore
import Synchronization

/// Sends each request to the next of several servers, as a proxy before them does.
final class TakingTurns: TestClientProtocol {
  private let clients: [any TestClientProtocol]
  private let turn = Mutex(0)
  let port: Int? = nil

  init(_ clients: [any TestClientProtocol]) { self.clients = clients }

  func executeRequest(
    uri: String, method: HTTPRequest.Method, headers: HTTPFields, body: ByteBuffer?
  ) async throws -> TestResponse {
    let number = turn.withLock { turn in
      turn += 1
      return turn
    }
    return try await clients[number % clients.count].executeRequest(
      uri: uri, method: method, headers: headers, body: body)
  }
}
