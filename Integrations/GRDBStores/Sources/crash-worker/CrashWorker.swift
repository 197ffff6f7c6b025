import Foundation
import GRDBStores
import JOSE
import NativeSSOKit
import AppleSignInKit
import OpenIDKit

/// Works on a database until it is killed, or looks at what was left.
///
/// usage: crash-worker prepare|work|verify FOLDER NAME LOGINS
///
/// A worker writes into its journal what it is about to do and what came of it, each as one line in one write. What the
/// journal says to have been done must be in the database; what it says to have been begun may be.
@main struct CrashWorker {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let logins = Int(arguments[4]) else {
      FileHandle.standardError.write(Data("usage: crash-worker prepare|work|verify FOLDER NAME LOGINS\n".utf8))
      exit(2)
    }
    let worker = try Worker(folder: arguments[2], name: arguments[3], logins: logins)
    switch arguments[1] {
    case "prepare": try await worker.prepare()
    case "work": try await worker.work()
    case "verify":
      let findings = try await worker.verify()
      for finding in findings { print(finding) }
      exit(findings.isEmpty ? 0 : 1)
    default: exit(2)
    }
  }
}
