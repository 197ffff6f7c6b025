import HTTPValues
import JOSE
import PlatformSSO

/// A Mac and an identity provider in one process: nonce, refresh request, encrypted response, and what is refused.
struct PlatformSSODemo {
  let console: Console

  func run() async throws(CommandFailure) {
    var transcript = DemoTranscript(console: console, title: "Platform SSO: a Mac refreshes its tokens")
    let parties: PlatformSSODemoParties
    do {
      parties = try PlatformSSODemoParties()
    } catch {
      throw .invalid("the demonstration could not be set up")
    }
    let request = try await requests(parties, &transcript)
    try await response(to: request, parties, &transcript)
    try await refusals(of: request, parties, &transcript)
    transcript.finish()
  }

  /// The server nonce, and the signed request that uses it.
  private func requests(
    _ parties: PlatformSSODemoParties, _ transcript: inout DemoTranscript
  ) async throws(CommandFailure) -> DeviceRequest {
    let device = parties.device
    let nonceRequest = try await transcript.step("server nonce request", byteCount: { $0.httpRequest.body.count }) {
      device.serverNonceRequest()
    }
    transcript.show("Mac → provider  POST \(nonceRequest.httpRequest.url)")
    transcript.show(String(decoding: nonceRequest.httpRequest.body, as: UTF8.self))

    let nonceResponse = try await transcript.step("server nonce response", byteCount: { $0.body.count }) {
      try parties.provider.serverNonceResponse(to: nonceRequest.httpRequest)
    }
    transcript.show("provider → Mac  \(nonceResponse.status) \(String(decoding: nonceResponse.body, as: UTF8.self))")
    try transcript.check("the nonce needs no database: it is authenticated and expires", nonceResponse.status == 200)

    let request = try await transcript.step("refresh request", byteCount: { $0.httpRequest.body.count }) {
      let nonces = try device.requestNonces(from: nonceResponse, to: nonceRequest)
      return try device.refreshRequest(refreshToken: PlatformSSODemoStore.refreshToken, nonces: nonces)
    }
    transcript.show("Mac → provider  POST \(request.httpRequest.url)")
    transcript.show(token: request.assertion)
    try transcript.check(
      "the signature verifies with the device's key",
      (try? JWS.verify(request.assertion, with: device.keys.signingVerificationKey)) != nil)
    return request
  }

  /// The provider's checks and answer, and the Mac's.
  private func response(
    to request: DeviceRequest, _ parties: PlatformSSODemoParties, _ transcript: inout DemoTranscript
  ) async throws(CommandFailure) {
    let provider = parties.provider
    let checked = try await transcript.step("refresh request, checked", byteCount: { _ in 0 }) {
      try await provider.refreshRequest(from: request.httpRequest)
    }
    try transcript.check(
      "signed by the registered device \(checked.request.device.id)",
      checked.request.signingKey.keyID == parties.device.keys.signingKeyID)
    try transcript.check(
      "typ, alg, aud, iss, times, server nonce and apv are right",
      checked.request.agreementPartyVInfo.octets == request.agreementPartyVInfo.octets)
    try transcript.check(
      "the refresh token belongs to \(checked.grant.userName) on this device",
      checked.refreshToken == PlatformSSODemoStore.refreshToken)

    let answer = try await transcript.step("login response", byteCount: { $0.body.count }) {
      let idToken = try provider.idToken(for: checked, subject: "5b1f8c3e", additional: ["name": "Jane Example"])
      let tokens = LoginResponse(idToken: idToken, refreshToken: "rt-000002", refreshTokenExpiresIn: 28_800)
      return try provider.loginResponse(to: checked, tokens)
    }
    transcript.show("provider → Mac  \(answer.status), encrypted for the device alone")
    transcript.show(token: String(decoding: answer.body, as: UTF8.self))

    let login = try await transcript.step("login response, opened", byteCount: { _ in answer.body.count }) {
      try parties.device.openLoginResponse(answer, to: request, idTokenKeys: parties.idTokenKeys)
    }
    transcript.show("id_token", login.idToken.claims)
    try transcript.check("apu names the ephemeral key; opened with the Mac's own apv", login.header["apu"] != nil)
    try transcript.check(
      "nobody else's key opens it",
      (try? JWE.decrypt(
        String(decoding: answer.body, as: UTF8.self), with: .generateForKeyAgreement(), contentEncryption: [.a256gcm]))
        == nil)
    try transcript.check("a new refresh token", login.response.refreshToken == "rt-000002")
    try transcript.check(
      "id_token: ES256, issuer, audience, nonce and times are right", login.idToken.uniqueIdentifier == "5b1f8c3e")
  }

  /// What an attacker would try.
  private func refusals(
    of request: DeviceRequest, _ parties: PlatformSSODemoParties, _ transcript: inout DemoTranscript
  ) async throws(CommandFailure) {
    let provider = parties.provider
    var forged = request.httpRequest
    forged.body[forged.body.count - 2] ^= 1
    let attempts = [("replayed", request.httpRequest), ("with one bit changed", forged)]
    for (name, attempt) in attempts {
      let refusal = try await transcript.step("refresh request \(name)", byteCount: { _ in attempt.body.count }) {
        () -> (PlatformSSOError, HTTPResponseValue)? in
        do throws(PlatformSSOError) {
          _ = try await provider.refreshRequest(from: attempt)
          return nil
        } catch {
          return (error, provider.errorResponse(for: error))
        }
      }
      if let refusal {
        transcript.show("provider: \(refusal.0)")
        transcript.show("provider → Mac  \(refusal.1.status) \(String(decoding: refusal.1.body, as: UTF8.self))")
      }
      try transcript.check("refused", refusal != nil)
    }
  }
}
