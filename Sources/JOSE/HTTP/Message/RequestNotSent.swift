/// A request certainly did not reach the server: no connection, no name, no TLS. For transports to throw; any other
/// error means that the server may have seen it.
public struct RequestNotSent: Error, Hashable {
  /// The error; it says nothing more.
  public init() {}
}
