import JOSE

/// The client that sends a request to an endpoint of a provider.
public struct AuthenticatedClient: Sendable {
  /// `client_id`: the identifier that the client is registered under.
  public var id: String
  /// The thumbprint of the key that the client has proved possession of with this request.
  public var confirmation: String?
  /// The client as it was when it proved itself, if it is one of ``OpenIDProvider``.
  var registered: RegisteredClient?

  /// A client that has been authenticated, or identified if it is public.
  public init(id: String, confirmation: String? = nil) {
    self.id = id
    self.confirmation = confirmation
  }

  init(_ client: RegisteredClient, _ proof: VerifiedDPoPProof?) {
    self.init(id: client.id, confirmation: proof?.thumbprint)
    registered = client
  }
}
