import HTTPTypes
import Hummingbird
import NIOCore
import PlatformSSOKit

extension HTTPRequestValue {
  /// A request of the framework's. A body of more than 64 KiB is answered with 413.
  init(_ request: Request) async throws {
    let buffer = try await request.body.collect(upTo: 64 * 1024)
    let headers = try HTTPHeaderFields(request.headers.map { ($0.name.rawName, $0.value) })
    self.init(
      method: request.method.rawValue, url: request.uri.string, headers: headers, body: Array(buffer.readableBytesView))
  }
}

extension Response {
  /// An answer as the framework sends it.
  init(_ answer: HTTPResponseValue) {
    var fields = HTTPFields()
    for (name, text) in answer.headers.fields {
      if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: text)) }
    }
    self.init(
      status: .init(code: answer.status), headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: answer.body)))
  }
}
