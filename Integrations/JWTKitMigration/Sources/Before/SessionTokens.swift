import Foundation
import JWTKit

struct SessionPayload: JWTPayload {
  let sub: SubjectClaim
  let exp: ExpirationClaim

  func verify(using algorithm: some JWTAlgorithm) throws {
    try exp.verifyNotExpired()
  }
}

/// Session tokens that one server both makes and reads.
struct SessionTokens: Sendable {
  let keys: JWTKeyCollection

  init(secret: [UInt8]) async {
    keys = await JWTKeyCollection().add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
  }

  func token(for user: String) async throws -> String {
    let expiration = ExpirationClaim(value: Date().addingTimeInterval(3600))
    return try await keys.sign(SessionPayload(sub: SubjectClaim(value: user), exp: expiration))
  }

  func user(of token: String) async throws -> String {
    try await keys.verify(token, as: SessionPayload.self).sub.value
  }
}
