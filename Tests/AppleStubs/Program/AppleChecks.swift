import Foundation

/// Runs what the package has for Apple's systems against the stubs. Prints a line for each expectation that doesn't
/// hold; the exit status is 1 if there is one.
@main
enum AppleChecks {
  static func main() async throws {
    var check = Check()
    // Whoever waits for a login that is not shown waits no longer.
    alarm(120)
    try await KeychainChecks.run(&check)
    try EnclaveChecks.run(&check)
    check.add(await AuthenticationChecks.run())
    print("\(check.count) expectations, \(check.failures) failed")
    exit(check.failures == 0 ? 0 : 1)
  }
}
