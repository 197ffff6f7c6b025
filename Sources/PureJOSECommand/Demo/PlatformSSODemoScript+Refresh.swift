import JOSE
import PlatformSSOKit
import PureCrypto

extension PlatformSSODemoScript {
  /// New tokens for old ones.
  mutating func refresh() async throws(CommandFailure) {
    let (device, provider, token) = (parties.device, provider, refreshToken)
    steps.exchange("refresh")
    let nonces = try await nonces(device)
    let request = try await steps.step(
      "refresh request", of: "refresh request", byteCount: { $0.httpRequest.body.count }
    ) {
      try device.refreshRequest(refreshToken: token, nonces: nonces)
    }
    try built(request, device)
    let now = device.clock.now
    let session = PlatformSSOSession(received: now, expiration: now.advanced(by: 28_800), lastFullLogin: now)
    try steps.check(
      "a refresh is due within 18 hours of a login, and a full login after",
      device.canRefresh(session, method: .password)
        && !session.canRefresh(method: .password, hasRefreshEndpoint: true, now: now.advanced(by: 64_801))
    )
    let refresh = try await steps.step(
      "refresh request, checked", of: "refresh request", isReceived: true,
      byteCount: { _ in request.httpRequest.body.count }
    ) {
      try await provider.refreshRequest(from: request.httpRequest)
    }
    try checked(refresh.request, request)
    try steps.check(
      "the request names no user; the token was given to \(refresh.userName) on this device", as: "refresh token",
      refresh.request.claims["refresh_token"] == .string(token))
    try await exchangeTokens(to: request, device) { newToken throws(JOSEError) in
      let idToken = try provider.idToken(
        for: refresh, subject: "5b1f8c3e", additional: ["name": "Jane Example"])
      return try provider.loginResponse(to: refresh, .demo(idToken, newToken))
    }
  }

  /// A key for the Mac's secrets, and its use.
  mutating func keys() async throws(CommandFailure) {
    let (device, provider, token) = (parties.device, provider, refreshToken)
    guard let contexts = try? KeyContexts(secret: .random(count: 32)) else { throw .invalid("no key contexts") }
    steps.exchange("key request")
    let nonces = try await nonces(device)
    let request = try await steps.step("key request", of: "key request", byteCount: { $0.httpRequest.body.count }) {
      try device.keyRequest(of: PlatformSSODemoParties.user, refreshToken: token, nonces: nonces)
    }
    try built(request, device)
    let keyRequest = try await steps.step(
      "key request, checked", of: "key request", isReceived: true, byteCount: { _ in request.httpRequest.body.count }
    ) {
      try await provider.keyEndpointRequest(from: request.httpRequest)
    }
    try steps.check("it is a key request", keyRequest.otherPublicKeyX963Representation == nil)
    try checked(keyRequest.request, request)
    try steps.check(
      "the refresh token is the user's on this device", as: "refresh token", keyRequest.refreshToken == token)
    let unlockKey = UnlockKey.generate()
    let response = try await steps.step("key response", of: "key response", byteCount: { $0.body.count }) {
      let context = try contexts.seal(
        unlockKey, userName: keyRequest.userName, deviceID: keyRequest.request.device.id)
      let certificate = unlockKey.selfSignedCertificate(commonName: "Unlock key", notBefore: provider.clock.now)
      return try provider.keyResponse(to: keyRequest, certificate: certificate, keyContext: context)
    }
    try answered(response)
    let key = try await steps.step(
      "key response, opened", of: "key response", isReceived: true, byteCount: { _ in response.body.count }
    ) {
      try device.openKeyResponse(response, to: request)
    }
    try steps.check(
      "a certificate of a key on P-256", as: "certificate of a key on P-256",
      key.publicKeyX963Representation == unlockKey.x963Representation)
    try await exchangeKey(key, contexts)
  }

  private mutating func exchangeKey(_ key: KeyResponse, _ contexts: KeyContexts) async throws(CommandFailure) {
    let (device, provider, token) = (parties.device, provider, refreshToken)
    let other = P256AgreementPrivateKey()
    steps.exchange("key exchange")
    let nonces = try await nonces(device)
    let request = try await steps.step(
      "key exchange request", of: "key exchange request", byteCount: { $0.httpRequest.body.count }
    ) {
      try device.keyRequest(
        of: PlatformSSODemoParties.user, refreshToken: token, otherPublicKey: other.publicKey.x963Representation,
        keyContext: key.keyContext, nonces: nonces)
    }
    try built(request, device)
    let exchange = try await steps.step(
      "key exchange request, checked", of: "key exchange request", isReceived: true,
      byteCount: { _ in request.httpRequest.body.count }
    ) {
      try await provider.keyEndpointRequest(from: request.httpRequest)
    }
    try checked(exchange.request, request)
    try steps.check(
      "the other public key is on the curve", as: "other key",
      exchange.otherPublicKeyX963Representation == other.publicKey.x963Representation)
    let response = try await steps.step(
      "key exchange response", of: "key exchange response", byteCount: { $0.body.count }
    ) {
      let unlockKey = try contexts.open(
        exchange.keyContext ?? "", userName: exchange.userName, deviceID: exchange.request.device.id)
      return try provider.keyExchangeResponse(to: exchange, unlockKey: unlockKey)
    }
    try answered(response)
    let shared = try await steps.step(
      "key exchange response, opened", of: "key exchange response", isReceived: true,
      byteCount: { _ in response.body.count }
    ) {
      try device.openKeyExchangeResponse(response, to: request)
    }
    let expected = try? other.sharedSecret(
      with: P256AgreementPublicKey(x963Representation: key.publicKeyX963Representation))
    try steps.check(
      "the shared secret is the one that the other private key gives", as: "shared secret",
      expected?.isSame(as: shared.key) == true)
  }
}
