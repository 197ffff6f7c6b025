/// Why a user or a client is not taken as it was given: a sentence for who gave it.
package struct RuleRefusal: Error, Sendable, CustomStringConvertible {
  package let description: String
}
