import Foundation

/// Runs what the package has for Apple's systems against the stubs. Prints a line for each expectation that doesn't hold; the exit status
/// is 1 if there is one.
@main
enum AppleChecks {
  static func main() async throws {
    var check = Check()
    try await KeychainChecks.run(&check)
    try await KeychainTokenChecks.run(&check)
    try EnclaveChecks.run(&check)
    print("\(check.count) expectations, \(check.failures) failed")
    exit(check.failures == 0 ? 0 : 1)
  }
}
