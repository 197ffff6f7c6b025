/// Why the server doesn't start, or a command doesn't run: a sentence for the operator.
package struct StartRefusal: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
