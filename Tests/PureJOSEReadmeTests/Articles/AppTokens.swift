import JOSE
import OpenIDKit

/// The tokens of an app: refreshed before they expire, once for all callers, and never lost.
struct AppTokens {
  let manager: TokenManager

  /// - Parameters:
  ///   - store: where the tokens live, the keychain say.
  ///   - transport: sends a request with the app's own HTTP client.
  init(store: some SecretStore, transport: @escaping HTTPTransport) throws {
    manager = try TokenManager(
      store: store,
      refresher: OAuthTokenRefresher(
        tokenEndpoint: "https://idp.example.com/token", clientID: "app", transport: transport))
  }

  /// Calls an API. A token that is refused with 401 is refreshed, and the call repeated once.
  func orders(_ get: @escaping @Sendable (String) async throws -> HTTPResponseValue) async throws -> HTTPResponseValue {
    let outcome = try await manager.withValidToken { token in
      let response = try await get("Bearer " + token.value)
      return response.status == 401 ? .unauthorized(response) : .finished(response)
    }
    switch outcome {
    case .finished(let response), .unauthorized(let response): return response
    }
  }
}
