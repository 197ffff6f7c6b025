/// Through ``StrictJSONDecoder`` and ``StrictJSONEncoder`` the value arrives exactly as it is written. Other coders
/// keep of it what they can: numbers become `Int64`, `UInt64` or `Double`, and the order of members is theirs.
extension JSONValue: Codable {
  /// Decodes any value.
  ///
  /// - Throws: nothing with ``StrictJSONDecoder``. With other decoders `DecodingError` for what JSON doesn't have and
  ///   for an object with two equal names, ``JSONError/Code/numberOutOfRange`` for infinities and NaN.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? TapeDecoder {
      self = decoder.tape.value(at: decoder.index)
      return
    }
    if let container = try? decoder.container(keyedBy: JSONCodingKey.self) {
      var names: Set<String> = []
      var members: [JSONObject.Member] = []
      for key in container.allKeys {
        guard names.insert(key.stringValue).inserted else {
          throw DecodingError.dataCorruptedError(
            forKey: key, in: container, debugDescription: "Two names of the object are equal.")
        }
        members.append((name: key.stringValue, value: try container.decode(JSONValue.self, forKey: key)))
      }
      self = .object(JSONObject(uniqueMembers: members))
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [JSONValue] = []
      while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
      self = .array(elements)
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(String.self) {
        self = .string(value)
      } else {
        self = .number(try JSONNumber(from: decoder))
      }
    }
  }

  /// Encodes the value.
  ///
  /// - Throws: what the encoder throws; nothing with ``StrictJSONEncoder``.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? ArenaEncoder {
      encoder.encode(self)
      return
    }
    switch self {
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value): try value.encode(to: encoder)
    case .number(let value): try value.encode(to: encoder)
    case .string(let value): try value.encode(to: encoder)
    case .array(let value): try value.encode(to: encoder)
    case .object(let value): try value.encode(to: encoder)
    }
  }
}

extension JSONObject: Codable {
  /// Decodes an object.
  ///
  /// - Throws: `DecodingError.typeMismatch` for any other value; otherwise as ``JSONValue/init(from:)``.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? TapeDecoder {
      guard decoder.tape.node(at: decoder.index).kind == .object else { throw decoder.mismatch(JSONObject.self) }
      self = decoder.tape.object(at: decoder.index)
      return
    }
    guard case .object(let object) = try JSONValue(from: decoder) else {
      throw DecodingError.typeMismatch(
        JSONObject.self, .init(codingPath: decoder.codingPath, debugDescription: "Expected to decode an object."))
    }
    self = object
  }

  /// Encodes the object.
  ///
  /// - Throws: what the encoder throws; nothing with ``StrictJSONEncoder``.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? ArenaEncoder {
      encoder.encode(.object(self))
      return
    }
    var container = encoder.container(keyedBy: JSONCodingKey.self)
    for (name, value) in members { try container.encode(value, forKey: JSONCodingKey(stringValue: name)) }
  }
}

extension JSONNumber: Codable {
  /// Decodes a number.
  ///
  /// - Throws: `DecodingError` for any other value, ``JSONError/Code/numberOutOfRange`` for infinities and NaN, which
  ///   other decoders know.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? TapeDecoder {
      guard decoder.tape.node(at: decoder.index).kind == .number else { throw decoder.mismatch(JSONNumber.self) }
      self.init(validLiteral: decoder.tape.text(at: decoder.index))
      return
    }
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Int64.self) {
      self.init(value)
    } else if let value = try? container.decode(UInt64.self) {
      self.init(value)
    } else {
      try self.init(container.decode(Double.self))
    }
  }

  /// Encodes the number.
  ///
  /// - Throws: what the encoder throws; nothing with ``StrictJSONEncoder``.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? ArenaEncoder {
      encoder.encode(.number(self))
    } else if let value = int64 {
      try value.encode(to: encoder)
    } else if let value = exactly(UInt64.self) {
      try value.encode(to: encoder)
    } else {
      try double.encode(to: encoder)
    }
  }
}
