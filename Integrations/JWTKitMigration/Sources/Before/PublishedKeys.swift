import JWTKit

/// Claims without checks: the method that the protocol requires may be empty.
private struct AnyPayload: JWTPayload {
  let sub: SubjectClaim?

  func verify(using algorithm: some JWTAlgorithm) throws {}
}

/// Tokens of an issuer that publishes its keys.
struct PublishedKeys: Sendable {
  private let keys: JWTKeyCollection

  init(json: String) async throws {
    keys = try await JWTKeyCollection().add(jwksJSON: json)
  }

  func subject(of token: String) async throws -> String? {
    try await keys.verify(token, as: AnyPayload.self).sub?.value
  }
}
