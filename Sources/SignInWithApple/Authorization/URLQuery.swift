import JOSEHTTP

/// The query of an address: parameters with `%20` for a space.
package enum URLQuery {
  package static func encode(_ parameters: [(String, String)]) -> String { FormFields(parameters).encodedAsQuery() }
}
