import JOSE
import PlatformSSOKit

extension PlatformSSODemoScript {
  /// What an attacker, a mistaken user and an impatient Mac would try.
  mutating func refusals() async throws(CommandFailure) {
    steps.exchange("what is refused")
    let (device, token, former) = (parties.device, refreshToken, replacedToken)
    let sent = try await fresh { nonces throws(JOSEError) in
      try device.refreshRequest(refreshToken: token, nonces: nonces)
    }
    var forged = sent
    // In base64url still: another letter of the signature, not the last, whose lowest bits are padding.
    let position = forged.body.count - 2
    forged.body[position] = forged.body[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    try await refused(
      "with one letter of the signature changed", as: "one letter changed", forged, .signatureInvalid, status: 400)
    try await accepted(sent)
    try await refused("sent twice", as: "sent twice", sent, .serverNonceReplayed, status: 400)
    let replaced = try await fresh { nonces throws(JOSEError) in
      try device.refreshRequest(refreshToken: former, nonces: nonces)
    }
    try await refused(
      "with a refresh token that was replaced", as: "a replaced token", replaced, .refreshTokenRejected,
      status: 401)
    let wrong = try await fresh { nonces throws(JOSEError) in
      try device.loginRequest(of: PlatformSSODemoParties.user, by: .password("guess"), nonces: nonces)
    }
    try await refused("with a wrong password", as: "a wrong password", wrong, .passwordRejected, status: 401)
    guard let keys = try? DeviceKeys.generate() else { throw .invalid("no keys") }
    let stranger = PlatformSSODevice(configuration: device.configuration, keys: keys)
    let strange = try await fresh { nonces throws(JOSEError) in
      try stranger.loginRequest(
        of: PlatformSSODemoParties.user, by: .password(PlatformSSODemoParties.password), nonces: nonces)
    }
    try await refused("of a Mac that is not registered", as: "an unknown Mac", strange, .deviceUnknown, status: 400)
  }

  /// A request with a nonce of its own, not shown: the like has been.
  private func fresh(
    _ make: (RequestNonces) throws(JOSEError) -> DeviceRequest
  ) async throws(CommandFailure) -> HTTPRequestValue {
    let (device, provider) = (parties.device, provider)
    return try attempt {
      let asked = device.serverNonceRequest()
      let nonces = try device.requestNonces(from: provider.serverNonceResponse(to: asked), to: asked)
      return try make(nonces).httpRequest
    }
  }

  private mutating func accepted(_ request: HTTPRequestValue) async throws(CommandFailure) {
    let provider = provider
    let received = try await steps.step(
      "refresh request, sent once", of: "refresh request", byteCount: { _ in request.body.count }
    ) {
      try await provider.refreshRequest(from: request)
    }
    try steps.check(
      "the changed one before it used up nothing", as: "accepted",
      received.request.claims["refresh_token"] == .string(refreshToken))
  }

  private mutating func refused(
    _ what: String, as line: String, _ request: HTTPRequestValue, _ code: ErrorCode, status: Int
  ) async throws(CommandFailure) {
    let provider = provider
    let refusal = try await steps.step("request \(what)", of: line, byteCount: { _ in request.body.count }) {
      () -> JOSEError? in
      do throws(JOSEError) {
        _ = try await provider.checkedRequest(request)
        return nil
      } catch {
        return error
      }
    }
    if let refusal {
      steps.show("provider: \(refusal)")
      let response = provider.errorResponse(for: refusal)
      show(response)
      try steps.check("refused: \(code)", as: "\(status), \(code)", refusal.code == code)
      try steps.check(
        status == 401 ? "401: the Mac asks for the credential again" : "\(status): the Mac tries later",
        response.status == status)
    } else {
      try steps.check("refused: \(code)", false)
    }
  }
}
