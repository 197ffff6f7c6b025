/// A row, or a token of the provider's own, that says what none should.
package struct MalformedRecord: Error, CustomStringConvertible {
  package let description: String
}
