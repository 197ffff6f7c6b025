import HTTPTypes
import Hummingbird
import JOSE

extension HTTPField.Name {
  static let dpop = HTTPField.Name("DPoP")!
}

extension Response {
  static func json(_ body: [UInt8], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Response {
    var headers = headers
    headers[.contentType] = "application/json"
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }

  /// Tells the client how to authenticate, in both schemes (RFC 6750 §3, RFC 9449 §7.1).
  static func refused(_ status: HTTPResponse.Status, error: String?) -> Response {
    let reason = error.map { #"error="\#($0)""# }
    let bearer = ["Bearer", reason].compactMap { $0 }.joined(separator: " ")
    let dpop = "DPoP " + [reason, #"algs="ES256 Ed25519""#].compactMap { $0 }.joined(separator: ", ")
    return Response(
      status: status,
      headers: HTTPFields([
        HTTPField(name: .wwwAuthenticate, value: bearer), HTTPField(name: .wwwAuthenticate, value: dpop),
      ]))
  }
}
