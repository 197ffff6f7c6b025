import JOSE

/// Verifies the access tokens of an issuer whose keys are fetched when they are needed.
struct RemoteAuthenticator {
  let verifier: RemoteJWTVerifier

  /// - Parameter send: the HTTP client that the server has anyway.
  init(send: @escaping HTTPTransport) {
    verifier = RemoteJWTVerifier(
      keys: RemoteKeySet(url: "https://idp.example.com/jwks", transport: send), algorithms: [.es256, .rs256],
      policy: .accessToken(issuer: "https://idp.example.com", audience: "https://api.example.com"))
  }

  /// The status of the answer to a request with this token.
  func status(for token: String) async -> Int {
    do {
      _ = try await verifier.verify(token)
      return 200
    } catch {
      switch error.fault {
      case .unavailable: return 503  // the keys could not be fetched: not the sender's fault
      default: return 401
      }
    }
  }
}
