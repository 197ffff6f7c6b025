import Foundation

/// The commit that is measured.
public enum Revision {
  /// Its abbreviated hash, with a plus sign if files were changed since; nil outside a repository.
  public static func current() -> String? {
    guard let hash = answer(["rev-parse", "--short", "HEAD"]), !hash.isEmpty else { return nil }
    let changes = answer(["status", "--porcelain", "--untracked-files=no"]) ?? ""
    return changes.isEmpty ? hash : hash + "+"
  }

  private static func answer(_ arguments: [String]) -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git"] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? text.trimmingCharacters(in: .whitespacesAndNewlines) : nil
  }
}
