import Foundation

let status = JOSECommand(console: .standard).run(Array(CommandLine.arguments.dropFirst()))
exit(status.rawValue)
