/// Plays whole exchanges, every message shown and checked.
struct DemoVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: [])
    guard arguments.operands.count == 1, let name = arguments.operands.first else {
      throw .usage("demo needs one name: \(Self.names)")
    }
    switch name {
    case "platform-sso", "all": try PlatformSSODemo(console: console).run()
    default: throw .usage("demo knows \(Self.names)")
    }
  }

  private static let names = "platform-sso, all"
}
