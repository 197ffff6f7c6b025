import NativeSSOKit
import PureJOSETestSupport

extension Device {
  /// Lets the provider answer requests to its token endpoint only once the gate is open.
  func closeGate() -> Gate {
    let gate = Gate()
    let world = world
    network.answer { request in
      if request.url.hasSuffix("/revoke") { return await world.provider.revocation(request) }
      await gate.pass()
      return await world.server.respond(to: request)
    }
    return gate
  }

  /// Opens the gate once each of so many callers waits, behind a request of its own or another's.
  func openWhenAllAreThere(_ gate: Gate, _ app: NativeSSOClient, _ count: Int, requestsBefore: Int) async {
    while await app.joinCount + network.requests.all.count - requestsBefore < count { await Task.yield() }
    gate.open()
  }
}
