import JOSE
import NativeSSOKit
import StrictJSON

/// Why the administration API refused a request.
struct AdminError: Error {
  let status: Int
  let code: StaticString
  let text: StaticString
  var name: String?

  var response: HTTPResponseValue {
    var object: JSONObject = ["error": .string("\(code)"), "error_description": .string("\(text)")]
    if let name { object["setting"] = .string(name) }
    return HTTPResponseValue(adminStatus: status, object)
  }

  static let notFound = AdminError(status: 404, code: "not_found", text: "The path or the device secret doesn't exist")
  static let notJSON = AdminError(status: 400, code: "invalid_request", text: "The body must be a JSON object")
  static let invalidQuery = AdminError(
    status: 400, code: "invalid_request", text: "The query must be well-formed, with numbers in decimal digits")
  static let invalidReason = AdminError(
    status: 400, code: "validation_error", text: "The reason must be a string of at most 500 characters")
  static let alreadyRevoked = AdminError(
    status: 400, code: "validation_error", text: "The device secret is revoked already")
  static let serverError = AdminError(
    status: 500, code: "server_error", text: "The server could not process the request")

  static func invalidValue(_ error: JOSEError) -> AdminError {
    AdminError(
      status: 400, code: "invalid_value", text: "A setting is unknown, or its type or range is wrong", name: error.name)
  }
}

extension HTTPResponseValue {
  /// A JSON response that no cache keeps.
  init(adminStatus status: Int, _ object: JSONObject) {
    self.init(status: status, body: object.serialized())
    try? headers.append("Content-Type", "application/json")
    try? headers.append("Cache-Control", "no-store")
  }
}
