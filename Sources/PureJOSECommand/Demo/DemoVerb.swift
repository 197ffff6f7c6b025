/// Plays whole exchanges, every message shown and checked.
struct DemoVerb {
  let console: Console

  /// What can be played.
  enum Name: String, CaseIterable {
    case platformSSO = "platform-sso"
    case nativeSSO = "native-sso"
    case signInWithApple = "sign-in-with-apple"
    case tokenRefresh = "token-refresh"
    case credentials
  }

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: [], flags: ["verbose"])
    guard arguments.operands.count == 1, let operand = arguments.operands.first else {
      throw .usage("demo needs one name: \(Self.names)")
    }
    let chosen = Name.allCases.filter { operand == "all" || operand == $0.rawValue }
    guard !chosen.isEmpty else {
      throw .unknownWord(operand, after: "demo", among: Name.allCases.map(\.rawValue) + ["all"])
    }
    for name in chosen {
      let isVerbose = arguments.flags.contains("verbose")
      try waiting { () async throws(CommandFailure) in try await play(name, isVerbose: isVerbose) }
    }
  }

  /// - Parameters:
  ///   - name: what is played.
  ///   - isVerbose: whether Platform SSO's messages are shown whole; the others' always are.
  func play(_ name: Name, isVerbose: Bool = false) async throws(CommandFailure) {
    switch name {
    case .platformSSO: try await PlatformSSODemo(console: console, isVerbose: isVerbose).run()
    case .nativeSSO: try await NativeSSODemo(console: console).run()
    case .signInWithApple: try await SignInWithAppleDemo(console: console).run()
    case .tokenRefresh: try await TokenRefreshDemo(console: console).run()
    case .credentials: try await CredentialDemo(console: console).run()
    }
  }

  static var names: String { (Name.allCases.map(\.rawValue) + ["all"]).joined(separator: ", ") }
}
