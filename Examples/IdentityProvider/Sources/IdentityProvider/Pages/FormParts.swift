import JOSE

extension FormFields {
  /// The first value of a name; empty if the name is absent.
  subscript(name: String) -> String { values(name).first ?? "" }
}

/// Form controls.
extension HTML {
  /// A check box.
  static func checkbox(_ label: String, name: String, isChecked: Bool) -> HTML {
    let checked: HTML = isChecked ? " checked" : ""
    return """
      <p class="tick"><input type="checkbox" id="\(name)" name="\(name)" value="on"\(checked)>\
      <label for="\(name)">\(label)</label></p>
      """
  }

  /// A field for several lines, which may stay empty.
  static func lines(_ label: String, name: String, value: String) -> HTML {
    """
    <p class="field"><label for="\(name)">\(label)</label>\
    <textarea id="\(name)" name="\(name)" rows="3" spellcheck="false" autocapitalize="none">\(value)</textarea></p>
    """
  }

  /// A selection list.
  static func choice(
    _ label: String, name: String, _ options: [(value: String, label: String)], chosen: String
  ) -> HTML {
    let items: [HTML] = options.map { option in
      let mark: HTML = option.value == chosen ? " selected" : ""
      return "<option value=\"\(option.value)\"\(mark)>\(option.label)</option>"
    }
    return """
      <p class="field"><label for="\(name)">\(label)</label><select id="\(name)" name="\(name)">\(items)</select></p>
      """
  }
}
