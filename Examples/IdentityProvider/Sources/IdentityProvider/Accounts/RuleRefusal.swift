/// Why a user or a client was refused: a sentence for the administrator or the user who entered it.
package struct RuleRefusal: Error, Sendable, CustomStringConvertible {
  package let description: String
}
