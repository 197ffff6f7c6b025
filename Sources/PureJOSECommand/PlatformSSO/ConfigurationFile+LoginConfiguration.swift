import JOSE
import PlatformSSOKit

extension ConfigurationFile {
  /// `loginConfiguration`: the properties of ``LoginConfiguration`` by their names.
  func loginConfiguration(_ members: inout ConfigurationMembers) throws(CommandFailure) -> LoginConfiguration {
    var object = try members.members("loginConfiguration")
    var configuration = LoginConfiguration(
      clientID: try object.string("clientID"), issuer: try object.string("issuer"),
      audience: try object.string("audience"), tokenEndpointURL: try object.string("tokenEndpointURL"),
      jwksEndpointURL: try object.string("jwksEndpointURL"))
    if let preset = try object.preset() { configuration.apply(preset) }
    try readTexts(&configuration, &object)
    try readChoices(&configuration, &object)
    try readCustom(&configuration, &object)
    if let key = try publicKey("loginRequestEncryptionPublicKey", in: &object) {
      configuration.loginRequestEncryptionPublicKey = key.x963Representation
    }
    if let prefix = try object.string(ifPresent: "loginRequestEncryptionAPVPrefix") {
      configuration.loginRequestEncryptionAPVPrefix = Array(prefix.utf8)
    }
    if let clockSkew = try object.number(ifPresent: "clockSkew") {
      configuration.clockSkew = Duration(saturating: clockSkew)
    }
    if let members = try object.object(ifPresent: "isInvalidCredential") {
      configuration.isInvalidCredential = Self.predicate(members)
    }
    if let members = try object.object(ifPresent: "isFederated") {
      configuration.isFederated = Self.predicate(members)
    }
    let mappings = try kerberosTicketMappings(&object)
    if !mappings.isEmpty { configuration.kerberosTicketMappings = mappings }
    configuration.additionalHTTPHeaders = try object.httpHeaders("additionalHTTPHeaders")
    try object.finish()
    return configuration
  }

  /// Whether each member named here has its value in a response. Names may be joined by dots.
  private static func predicate(_ members: JSONObject) -> @Sendable (JSONObject) -> Bool {
    { response in members.members.allSatisfy { response.value(atKeyPath: $0.name) == $0.value } }
  }

  private func readTexts(
    _ configuration: inout LoginConfiguration, _ object: inout ConfigurationMembers
  ) throws(CommandFailure) {
    let optional: KeyValuePairs<String, WritableKeyPath<LoginConfiguration, String?>> = [
      "nonceEndpointURL": \.nonceEndpointURL, "refreshEndpointURL": \.refreshEndpointURL,
      "keyEndpointURL": \.keyEndpointURL, "customRequestJWTParameterName": \.customRequestJWTParameterName,
      "groupRequestClaimName": \.groupRequestClaimName,
      "federationUserPreauthenticationURL": \.federationUserPreauthenticationURL,
      "authorizationURL": \.authorizationURL, "additionalAuthorizationScopes": \.additionalAuthorizationScopes,
      "keyRequestAudience": \.keyRequestAudience,
    ]
    for (name, property) in optional {
      if let value = try object.string(ifPresent: name) { configuration[keyPath: property] = value }
    }
    let texts: KeyValuePairs<String, WritableKeyPath<LoginConfiguration, String>> = [
      "nonceResponseKeypath": \.nonceResponseKeypath, "serverNonceClaimName": \.serverNonceClaimName,
      "additionalScopes": \.additionalScopes, "previousRefreshTokenClaimName": \.previousRefreshTokenClaimName,
      "groupResponseClaimName": \.groupResponseClaimName, "uniqueIdentifierClaimName": \.uniqueIdentifierClaimName,
      "authorizationURLKeypath": \.authorizationURLKeypath, "refreshRequestVersion": \.refreshRequestVersion,
      "authorizationRedirectURI": \.authorizationRedirectURI,
    ]
    for (name, property) in texts {
      if let value = try object.string(ifPresent: name) { configuration[keyPath: property] = value }
    }
  }

  private func readChoices(
    _ configuration: inout LoginConfiguration, _ object: inout ConfigurationMembers
  ) throws(CommandFailure) {
    let flags: KeyValuePairs<String, WritableKeyPath<LoginConfiguration, Bool>> = [
      "includePreviousRefreshTokenInLoginRequest": \.includePreviousRefreshTokenInLoginRequest,
      "includesAudienceInKeyRequests": \.includesAudienceInKeyRequests,
      "includePlatformSSOAuthorizationScopes": \.includePlatformSSOAuthorizationScopes,
      "addsAuthorizationState": \.addsAuthorizationState,
      "checksCertificateValidity": \.checksCertificateValidity,
      "acceptsLoginResponseTypeInKeyResponses": \.acceptsLoginResponseTypeInKeyResponses,
      "includesAuthenticationMethods": \.includesAuthenticationMethods,
      "requiresKeyResponseTimes": \.requiresKeyResponseTimes, "requiresIDTokenNonce": \.requiresIDTokenNonce,
      "acceptsLongInitializationVectors": \.acceptsLongInitializationVectors,
      "signsEveryAuthorizationRequest": \.signsEveryAuthorizationRequest,
      "refusesIncompleteKerberosTickets": \.refusesIncompleteKerberosTickets,
      "isBuiltForMacOS13": \.isBuiltForMacOS13, "indentsJSON": \.indentsJSON,
      "ordersClaimsAsCaptured": \.ordersClaimsAsCaptured, "writesCertificateArray": \.writesCertificateArray,
      "refreshesAtTokenEndpoint": \.refreshesAtTokenEndpoint,
      "namesTokenEndpointInRefreshRequests": \.namesTokenEndpointInRefreshRequests,
      "prefersDeviceClaims": \.prefersDeviceClaims, "acceptsShortCoordinates": \.acceptsShortCoordinates,
      "omitsUnsetAPVPrefix": \.omitsUnsetAPVPrefix,
    ]
    for (name, property) in flags {
      if let value = try object.bool(ifPresent: name) { configuration[keyPath: property] = value }
    }
    if let types = try object.strings(ifPresent: "acceptedKeyResponseTypes") {
      configuration.acceptedKeyResponseTypes = types
    }
  }

  private func kerberosTicketMappings(
    _ object: inout ConfigurationMembers
  ) throws(CommandFailure) -> [KerberosTicketMapping] {
    var mappings: [KerberosTicketMapping] = []
    for element in try object.elements("kerberosTicketMappings") {
      var element = element
      var mapping = KerberosTicketMapping(ticketKeyPath: try element.string("ticketKeyPath"))
      let names: KeyValuePairs<String, WritableKeyPath<KerberosTicketMapping, String>> = [
        "messageBufferKeyName": \.messageBufferKeyName, "realmKeyName": \.realmKeyName,
        "serviceNameKeyName": \.serviceNameKeyName, "clientNameKeyName": \.clientNameKeyName,
        "encryptionKeyTypeKeyName": \.encryptionKeyTypeKeyName, "sessionKeyKeyName": \.sessionKeyKeyName,
      ]
      for (name, property) in names {
        if let value = try element.string(ifPresent: name) { mapping[keyPath: property] = value }
      }
      try element.finish()
      mappings.append(mapping)
    }
    return mappings
  }

  private func readCustom(
    _ configuration: inout LoginConfiguration, _ object: inout ConfigurationMembers
  ) throws(CommandFailure) {
    let values: KeyValuePairs<String, WritableKeyPath<LoginConfiguration, FormFields>> = [
      "customNonceRequestValues": \.customNonceRequestValues, "customLoginRequestValues": \.customLoginRequestValues,
      "customRefreshRequestValues": \.customRefreshRequestValues, "customKeyRequestValues": \.customKeyRequestValues,
      "customKeyExchangeRequestValues": \.customKeyExchangeRequestValues,
      "customFederationUserPreauthenticationRequestValues": \.customFederationUserPreauthenticationRequestValues,
    ]
    // What the file has replaces what a preset set.
    for (name, property) in values where object.has(name) {
      configuration[keyPath: property] = try object.customValues(name)
    }
    let claims: KeyValuePairs<String, WritableKeyPath<LoginConfiguration, CustomClaims>> = [
      "customAssertionRequestClaims": \.customAssertionRequestClaims,
      "customLoginRequestClaims": \.customLoginRequestClaims,
      "customRefreshRequestClaims": \.customRefreshRequestClaims, "customKeyRequestClaims": \.customKeyRequestClaims,
      "customKeyExchangeRequestClaims": \.customKeyExchangeRequestClaims,
    ]
    for (name, property) in claims where object.has(name) {
      configuration[keyPath: property] = try object.customClaims(name)
    }
  }
}

extension ConfigurationMembers {
  /// Custom claims: `{"header": {…}, "body": {…}, "type": "JWT"}`; each member is optional.
  mutating func customClaims(_ name: String) throws(CommandFailure) -> CustomClaims {
    guard var object = try members(ifPresent: name) else { return CustomClaims() }
    let claims = CustomClaims(
      header: try object.object(ifPresent: "header") ?? [:], body: try object.object(ifPresent: "body") ?? [:],
      type: try object.string(ifPresent: "type"))
    try object.finish()
    return claims
  }

  /// Custom values: an object of strings.
  mutating func customValues(_ name: String) throws(CommandFailure) -> FormFields {
    var values = FormFields()
    for (member, value) in try object(ifPresent: name)?.members ?? [] {
      guard let text = value.stringValue else { throw .usage("\(path)\(name) in the configuration must hold strings") }
      values.append(member, text)
    }
    return values
  }
}
