import Foundation

/// The samples of the articles, and the tests that run them.
enum Samples {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  private static func files(_ folder: URL) -> [URL] {
    ((try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? [])
      .filter { $0.pathExtension == "swift" }
  }

  private static func text(_ file: URL) -> String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }

  /// What the test files of this target say.
  static let tests: String = files(folder).filter { $0.lastPathComponent.hasSuffix("Tests.swift") }.map(text).joined()

  /// The types and functions at the top of each sample. One of them is used where the sample is run.
  static let names: [String: [String]] = Dictionary(
    uniqueKeysWithValues: files(folder.appending(path: "Articles")).map { file in
      let names = text(file).split(separator: "\n").compactMap { line -> String? in
        let words = line.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        guard let kind = words.first, ["struct", "func", "actor", "enum"].contains(kind), words.count > 1 else {
          return nil
        }
        return line.hasPrefix(kind) ? words[1] : nil
      }
      return (file.deletingPathExtension().lastPathComponent, names)
    })

  /// Samples whose steps the tests of these targets run, each in its own words.
  static let elsewhere = [
    "AppleAppLogin": "AppleSignInKitTests", "AppleEvents": "AppleSignInKitTests", "AppleLogin": "AppleSignInKitTests",
    "CertifiedTokens": "JOSETests", "CodeEndpoint": "OpenIDKitTests", "NativeSSOApp": "NativeSSOKitTests",
    "NativeSSOServer": "NativeSSOKitTests",
    "SiteLogin": "OpenIDKitTests",
  ]

  /// The samples of which no test calls anything.
  static func notRun(_ samples: [String: [String]], in tests: String) -> [String] {
    samples.filter { _, names in !names.contains { tests.contains("\($0)(") } }.keys.sorted()
  }
}
