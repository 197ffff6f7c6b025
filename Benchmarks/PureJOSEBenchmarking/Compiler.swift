/// The Swift compiler.
enum Compiler {
  /// As exact as it can be told: a program doesn't know the version of its own compiler, only lower bounds of it, so
  /// the `swift` on the path is asked, which is the one that `swift run` has just built this with.
  static func name() -> String {
    askedVersion() ?? compiledVersion
  }

  private static func askedVersion() -> String? {
    let lines = Program.output(of: ["swift", "--version"])?.split(separator: "\n")
    return lines?.first { $0.contains("Swift version") }.map(String.init)
  }

  private static var compiledVersion: String {
    #if compiler(>=6.4)
      "Swift 6.4 or newer"
    #elseif compiler(>=6.3)
      "Swift 6.3"
    #else
      "Swift 6.2"
    #endif
  }
}
