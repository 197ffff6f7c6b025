import JOSEHTTP
import JOSE
import PlatformSSO

extension PSSOVerb {
  func preauthenticationRequest(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, ["config"])
    let file = try DeviceFile(arguments, console: console)
    let user = try file.requiredUser()
    let request = try attemptSSO { () throws(PlatformSSOError) in
      try file.device.preauthenticationRequest(of: user)
    }
    console.write(HTTPRecord.write(request.httpRequest))
  }

  /// The request that a browser opens. Where a preauthentication response says where, that is on standard input.
  func authorizationRequest(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, ["config"])
    let file = try DeviceFile(arguments, console: console)
    let user = try file.requiredUser()
    var endpoint: WebAuthorizationEndpoint?
    if file.device.configuration.federationType == .dynamicOpenID {
      let response = try HTTPRecord.response(try console.readInput())
      guard case .webAuthorization(let found) = try preauthentication(response, file.device) else {
        throw .invalid("the user does not log in by a browser")
      }
      endpoint = found
    }
    let named = endpoint
    let request = try attemptSSO { () throws(PlatformSSOError) in
      try file.device.webAuthorizationRequest(of: user, at: named)
    }
    console.write(HTTPRecord.write(request.httpRequest))
  }

  func preauthentication(
    _ response: HTTPResponseValue, _ device: PlatformSSODevice
  ) throws(CommandFailure) -> Preauthentication {
    try attemptSSO { () throws(PlatformSSOError) in try device.preauthentication(from: response) }
  }
}
