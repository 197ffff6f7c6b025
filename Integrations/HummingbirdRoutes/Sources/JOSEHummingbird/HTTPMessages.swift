import HTTPTypes
public import Hummingbird
public import JOSE
import NIOCore

extension HTTPRequestValue {
  /// A request with its whole body.
  ///
  /// - Parameters:
  ///   - request: from a route.
  ///   - baseURL: the server's address for clients, without the path, such as `https://op.example.com`: proofs of
  ///     possession name the whole address. Empty for the path alone.
  ///   - limit: the longest body, in octets.
  /// - Throws: `HTTPError`: 413 for a body that is longer, 400 for invalid header fields; and errors of the connection.
  public init(_ request: Request, baseURL: String = "", maximumByteCount limit: Int = 65_536) async throws {
    var headers = HTTPHeaderFields()
    for field in request.headers {
      do {
        try headers.append(field.name.canonicalName, field.value)
      } catch {
        throw HTTPError(.badRequest)
      }
    }
    var request = request
    // Hummingbird answers a body that is too long.
    let body = try await request.collectBody(upTo: limit)
    self.init(
      method: request.method.rawValue, url: baseURL + (request.head.path ?? "/"), headers: headers,
      body: Array(buffer: body))
  }
}

extension Response {
  /// Makes a response from a plain value.
  public init(_ value: HTTPResponseValue) {
    var headers = HTTPFields()
    for (name, value) in value.headers.fields {
      guard let name = HTTPField.Name(name) else { continue }
      headers.append(HTTPField(name: name, value: value))
    }
    self.init(
      status: HTTPResponse.Status(code: value.status), headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.body)))
  }
}
