import JOSE

/// Where the provider's clients are registered.
public protocol ClientDirectory: Sendable {
  /// The client of this name, compared as bytes, or nil.
  ///
  /// - Throws: anything; the request that needed it is answered with 503 and `temporarily_unavailable`.
  func client(id: String) async throws -> RegisteredClient?

  /// `client_id_metadata_document_supported`: whether clients that are not registered are known by their
  /// ``ClientDocument``. By default, none are.
  var takesDocuments: Bool { get }
}

extension ClientDirectory {
  /// None are.
  public var takesDocuments: Bool { false }
}

/// Clients that are known when the server starts.
public struct StaticClientDirectory: ClientDirectory {
  private let clients: [[UInt8]: RegisteredClient]

  /// These clients. Of two with one name, the later one.
  public init(_ clients: [RegisteredClient]) {
    self.clients = Dictionary(clients.map { (Array($0.id.utf8), $0) }) { $1 }
  }

  /// The client of this name.
  public func client(id: String) -> RegisteredClient? { clients[Array(id.utf8)] }
}

extension ClientDirectory {
  /// Which client sends a request, by the way that it is registered for and no other; nil if it is not who it says.
  ///
  /// ```swift
  /// let endpoint = TokenEndpoint(grants: grants, authenticate: clients.authenticate)
  /// ```
  ///
  /// - Throws: `temporarily_unavailable` with 503 if the clients could not be looked up.
  public func authenticate(
    _ request: HTTPRequestValue, _ form: FormFields
  ) async throws(OAuthErrorResponse) -> AuthenticatedClient? {
    do throws(OAuthErrorResponse) {
      return AuthenticatedClient(
        id: try await ClientAuthenticator(clients: self).authenticate(request, form).id)
    } catch {
      guard error.code == .invalidClient else { throw error }
      return nil
    }
  }
}
