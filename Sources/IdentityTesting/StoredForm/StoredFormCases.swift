import JOSE
import NativeSSOKit
import AppleSignInKit
import OpenIDKit

/// What is thrown of documents that are damaged, or newer than the code.
package enum StoredFormCases {
  /// Whether this throws that a document can't be read, and nothing else.
  package static func isMalformed<Value: Sendable>(_ body: () async throws -> Value) async throws -> Bool {
    do {
      _ = try await body()
      return false
    } catch let error as OpenIDError where error.code == .recordMalformed {
      return true
    } catch let error as JOSEError where error.code == .recordMalformed {
      return true
    }
  }
}
