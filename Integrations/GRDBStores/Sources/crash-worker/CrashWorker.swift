import Foundation
import GRDBStores
import JOSE
import NativeSSOKit
import AppleSignInKit
import OpenIDKit

/// Works on a database until it is killed, or checks the result.
///
/// usage: crash-worker prepare|work|verify FOLDER NAME LOGINS
///
/// A worker writes each action and its result into its journal, each as one line in one write. The database must have
/// what the journal calls done, and may have what it calls begun.
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
