import HTTPTypes
import Hummingbird
import JOSE
import NIOCore
import OpenIDKit

/// The provider's metadata and keys, which go on while the database is away.
extension Provider {
  func discovery() async throws -> Response {
    let members = try await metadata.value {
      var members = try await openID().metadata()
      members["acr_values_supported"] = .strings(AuthenticationContext.all)
      return members
    }
    return Self.document(members.serialized(), "application/json", lifetime: 300)
  }

  /// Reads what metadata and key set need, so that both are there even if the database goes away at once.
  package func readDocuments() async throws {
    _ = try await discovery()
    _ = try await keySet()
  }

  func keySet() async throws -> Response {
    return Self.document(
      try await keys.publishedKeys().serialized(), "application/json", lifetime: KeyRing.publishedLifetime)
  }

  /// A document that browsers and programs may cache for this many seconds.
  static func document(_ body: [UInt8], _ type: String, lifetime: Int) -> Response {
    Response(
      status: .ok, headers: [.contentType: type, .cacheControl: "max-age=\(lifetime)"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}
