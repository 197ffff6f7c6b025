import Foundation
import Hummingbird
import JOSE
import JOSEHummingbird
import PlatformSSOKit

let usage = "usage: psso-serve --settings FILE --state FOLDER [--port 8080] [--quiet]"

var options: [String: String] = [:]
var arguments = CommandLine.arguments.dropFirst()
while let name = arguments.popFirst() {
  if name == "--quiet" {
    options[name] = ""
  } else if ["--settings", "--state", "--port"].contains(name), let value = arguments.popFirst() {
    options[name] = value
  } else {
    options = [:]
    break
  }
}
guard let file = options["--settings"], let folder = options["--state"], let port = Int(options["--port"] ?? "8080")
else {
  FileHandle.standardError.write(Data((usage + "\n").utf8))
  exit(2)
}

let settings = try Settings(contentsOf: file)
var provider = try PlatformSSOProvider(settings: settings, folder: folder)
let transcript: Transcript? = options["--quiet"] == nil ? Transcript() : nil
// The description names the check that failed and the member, and repeats nothing that the Mac sent.
provider.onRefusal = { _, reason in transcript?.write("   refused: \(reason)") }

// What has expired is of no use to anybody.
Task { [provider] in
  while true {
    _ = try? await provider.identityProvider.records.removeExpired(before: WallClock.system.now, limit: 10_000)
    try await Task.sleep(for: .seconds(3600))
  }
}

let router = Router()
for method in [HTTPRequest.Method.get, .post] {
  router.on("**", method: method) { [provider] request, _ -> Response in
    let value = try await HTTPRequestValue(request)
    guard let answer = await provider.respond(to: value) else { return Response(status: .notFound) }
    transcript?.write(value, answer)
    return Response(answer)
  }
}
// A proxy in front must end TLS, with a certificate that leads to a root of the system, because Macs accept no other.
let application = Application(
  router: router, configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
  onServerRunning: { channel in
    let address = "http://127.0.0.1:\(channel.localAddress?.port ?? port)"
    FileHandle.standardOutput.write(Data("listening on \(address) for \(settings.baseURL)\n".utf8))
  })
try await application.runService()
