import JOSE
import StrictJSON

struct InspectVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    try Arguments(arguments, options: []).requireNoOperands()
    let text = try console.readToken()
    let token = try attempt { () throws(JOSEError) in try UnverifiedToken(parsing: text) }
    var report = "NOT VERIFIED: anybody may have written this\n"
    report += "header " + pretty(.object(token.unverifiedHeader.parameters)) + "\n"
    switch token.unverifiedPayload {
    case .some(let payload):
      if let claims = try? JSONObject(parsing: payload) {
        report += "claims " + pretty(.object(claims)) + "\n"
      } else {
        report += "payload \(payload.count) octets, no JSON object\n"
      }
    case nil:
      report += "content encrypted\n"
    }
    console.write(report)
  }

  private func pretty(_ value: JSONValue) -> String {
    String(decoding: value.serialized(options: .pretty), as: UTF8.self)
  }
}
