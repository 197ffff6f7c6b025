import Foundation

/// The Swift compiler.
enum Compiler {
  /// As exact as it can be told: a program doesn't know the version of its own compiler, only lower bounds of it, so
  /// the `swift` on the path is asked, which is the one that `swift run` has just built this with.
  static func name() -> String {
    askedVersion() ?? compiledVersion
  }

  private static func askedVersion() -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swift", "--version"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    return text.split(separator: "\n").first { $0.contains("Swift version") }.map(String.init)
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
