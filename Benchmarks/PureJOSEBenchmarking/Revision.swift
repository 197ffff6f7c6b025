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
    Program.output(of: ["git"] + arguments)?.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
