import Foundation

/// Where and with what the measuring is done.
public struct Machine: Codable, Hashable, Sendable {
  /// The name that the processor gives itself.
  public let processor: String
  /// How many cores the process may use.
  public let coreCount: Int
  /// The instruction-set extensions that cryptography can use, where the system tells.
  public let extensions: [String]
  /// Its name and version.
  public let operatingSystem: String
  /// The version of Swift that this was built with.
  public let compiler: String

  enum CodingKeys: String, CodingKey {
    case processor
    case coreCount = "cores"
    case extensions
    case operatingSystem = "os"
    case compiler
  }

  /// This machine.
  public static func current() -> Machine {
    let processor = ProcessorFacts.current()
    return Machine(
      processor: processor.model, coreCount: ProcessInfo.processInfo.activeProcessorCount,
      extensions: processor.extensions, operatingSystem: operatingSystemName(), compiler: Compiler.name())
  }

  /// Two or three lines for the head of a report.
  public var text: String {
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
