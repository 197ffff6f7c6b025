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
}
