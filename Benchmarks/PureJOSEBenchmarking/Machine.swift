import Foundation

/// Where and with what the measuring is done.
package struct Machine: Codable, Hashable, Sendable {
  package let processor: String
  package let coreCount: Int
  /// The instruction-set extensions that cryptography can use, where the system tells.
  package let extensions: [String]
  package let operatingSystem: String
  package let compiler: String

  enum CodingKeys: String, CodingKey {
    case processor
    case coreCount = "cores"
    case extensions
    case operatingSystem = "os"
    case compiler
  }

  package static func current() -> Machine {
    let processor = ProcessorFacts.current()
    return Machine(
      processor: processor.model, coreCount: ProcessInfo.processInfo.activeProcessorCount,
      extensions: processor.extensions, operatingSystem: operatingSystemName(), compiler: Compiler.name())
  }

  /// Two or three lines for the head of a report.
  package var text: String {
    let cores = coreCount == 1 ? "1 core" : "\(coreCount) cores"
    let extensions = extensions.isEmpty ? "" : "\n  with \(extensions.joined(separator: " "))"
    return "\(processor), \(cores)\(extensions)\n\(operatingSystem)\n\(compiler)"
  }

  private static func operatingSystemName() -> String {
    let version = ProcessInfo.processInfo.operatingSystemVersionString
    #if os(macOS)
      return "macOS \(version)"
    #else
      let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
      let name = release.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }?.split(separator: "\"").last
      return name.map(String.init) ?? version
    #endif
  }
}
