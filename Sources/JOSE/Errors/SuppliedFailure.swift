/// An error of a library that calls what its user supplies: a store, a directory, a closure. What those throw may say
/// anything, so it goes no further: an error of this type is thrown in its place.
package protocol SuppliedFailure: Error {
  /// What is thrown in place of an error that a store or a closure threw.
  static var supplied: Self { get }
}

extension SuppliedFailure {
  /// Calls a store of the user's.
  ///
  /// - Throws: ``supplied`` for whatever it throws.
  package static func askingStore<Value: Sendable>(_ body: () async throws -> Value) async throws(Self) -> Value {
    do {
      return try await body()
    } catch {
      throw supplied
    }
  }

  /// Calls a closure of the user's, who may refuse with an error of this type.
  ///
  /// - Throws: that error; ``supplied`` for any other.
  package static func asking<Value: Sendable>(_ body: () async throws -> Value) async throws(Self) -> Value {
    do {
      return try await body()
    } catch let error as Self {
      throw error
    } catch {
      throw supplied
    }
  }
}

extension JOSEError: SuppliedFailure {
  package static var supplied: JOSEError { JOSEError(.storeUnavailable, "a store or service failed") }
}
