import Hummingbird
import JOSE
import JOSEHummingbird
import OpenIDKit

/// A request of JSON-RPC 2.0, or a notification, which has no `id` and gets no answer.
struct RemoteCall: Sendable {
  let id: JSONValue?
  let method: String
  let parameters: JSONObject

  /// Nil for what is no request.
  init?(_ body: [UInt8]) {
    guard let object = try? JSONObject(parsing: body), let method = object["method"]?.stringValue else { return nil }
    (id, self.method) = (object["id"], method)
    parameters = object["params"]?.objectValue ?? [:]
  }

  /// The tool that is called, if one is.
  var tool: String? { method == "tools/call" ? parameters["name"]?.stringValue : nil }

  /// The scope that the call needs.
  var scope: String { tool == "add_note" ? "notes.write" : "notes.read" }

  func answer(_ result: JSONObject) -> Response {
    guard let id else { return Response(status: .accepted) }
    var result = result
    result["resultType"] = "complete"
    return .json(["jsonrpc": "2.0", "id": id, "result": .object(result)])
  }

  func answer(text: String) -> Response {
    answer(["content": [["type": "text", "text": .string(text)]], "isError": false])
  }

  func refusal(_ code: Int, _ reason: String) -> Response {
    guard let id else { return Response(status: .accepted) }
    return .json([
      "jsonrpc": "2.0", "id": id, "error": ["code": .number(JSONNumber(code)), "message": .string(reason)],
    ])
  }
}

extension Response {
  fileprivate static func json(_ object: JSONObject) -> Response {
    Response(
      status: .ok, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: object.serialized())))
  }
}
