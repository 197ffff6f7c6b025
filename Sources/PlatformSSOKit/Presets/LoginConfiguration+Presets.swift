import JOSE
import StrictJSON

extension LoginConfiguration {
  /// Sets the options of a product. Names and addresses stay as they are, and so do custom claims that hold a device's
  /// key identifiers.
  public mutating func apply(_ preset: PlatformSSOPreset) {
    switch preset {
    case .macOS: (indentsJSON, ordersClaimsAsCaptured) = (true, true)
    case .macOS13: isBuiltForMacOS13 = true
    case .entra: applyEntra()
    case .keycloak: applyKeycloak()
    case .authentik: applyAuthentik()
    case .fleet: applyFleet()
    case .twocanoes: applyTwocanoes()
    }
    includesAudienceInKeyRequests = false
    includesAuthenticationMethods = true
  }

  /// Fields that Entra's extension adds to every form.
  private mutating func applyEntra() {
    (customNonceRequestValues, customLoginRequestValues) = ([:], [:])
    (customKeyRequestValues, customKeyExchangeRequestValues) = ([:], [:])
    addEntra([
      "client_info": "1", "prt_protocol_version": "4.0", "tgt": "true", "x-client-SKU": "MSAL.OSX",
    ])
    customLoginRequestClaims.type = MessageType.jwt.name
    let keyClaims = CustomClaims(body: ["aud": "getkeydata"], type: MessageType.jwt.name)
    customKeyRequestClaims = keyClaims
    customKeyExchangeRequestClaims = keyClaims
    customRequestJWTParameterName = "request"
    additionalScopes = "aza urn:aad:tb:update:prt/.default profile offline_access openid"
    uniqueIdentifierClaimName = "oid"
    includePreviousRefreshTokenInLoginRequest = true
    isInvalidCredential = { response in
      response["error"] == "invalid_grant" && response["suberror"] != "device_authentication_failed"
    }
    kerberosTicketMappings = ["tgt_cloud", "tgt_ad"].map { path in
      KerberosTicketMapping(
        ticketKeyPath: path, serviceNameKeyName: "sn", clientNameKeyName: "cn", encryptionKeyTypeKeyName: "keyType",
        sessionKeyKeyName: "clientKey")
    }
  }

  /// Adds fields to every form of Entra's extension.
  private mutating func addEntra(_ values: FormFields) {
    let forms = [
      \LoginConfiguration.customNonceRequestValues, \.customLoginRequestValues, \.customKeyRequestValues,
      \.customKeyExchangeRequestValues,
    ]
    for form in forms {
      for value in values.fields { self[keyPath: form].append(value.name, value.value) }
    }
  }

  private mutating func applyKeycloak() {
    // Its extension names the token endpoint as the one for refreshes.
    refreshesAtTokenEndpoint = true
    nonceResponseKeypath = "nonce"
    additionalScopes = "urn:apple:platformsso groups"
    kerberosTicketMappings = [KerberosTicketMapping(ticketKeyPath: "login_tgt")]
    isFederated = { $0["account_type"] == "Federated" }
  }

  private mutating func applyAuthentik() {
    refreshesAtTokenEndpoint = false
    includePreviousRefreshTokenInLoginRequest = true
    // One published revision leaves the nonce out, and every one encrypts with vectors of 96 octets.
    requiresIDTokenNonce = false
    acceptsLongInitializationVectors = true
    // Early ones answer everything as a login.
    acceptsLoginResponseTypeInKeyResponses = true
    authorizationURLKeypath = "authorization_url"
    isFederated = { $0["authorization_url"]?.stringValue != nil }
    signsEveryAuthorizationRequest = true
    authorizationRedirectURI = "com.apple.PlatformSSO://callback"
  }

  private mutating func applyFleet() {
    refreshesAtTokenEndpoint = false
    // Its first releases answered everything as a login.
    acceptsLoginResponseTypeInKeyResponses = true
  }

  private mutating func applyTwocanoes() {
    // It drops leading zeros, and answers everything as a login.
    acceptsShortCoordinates = true
    acceptsLoginResponseTypeInKeyResponses = true
  }
}

extension LoginConfiguration {
  /// What Entra's extension configures.
  ///
  /// - Parameters:
  ///   - tenant: the tenant's identifier or domain.
  ///   - clientID: the client's. Default: the one of Microsoft's broker on Macs.
  ///   - clientVersions: what the extension says of the Mac and of itself in every form: `x-client-OS`, `x-client-Ver`
  ///     and `x-client-brkrver`, which change with each release. Default: nothing.
  public static func entra(
    tenant: String, clientID: String = "29d9ed98-a469-4536-ade2-f981bc1d605e", clientVersions: FormFields = [:]
  ) -> LoginConfiguration {
    let base = "https://login.microsoftonline.com/\(tenant)"
    var configuration = LoginConfiguration(
      clientID: clientID, issuer: base + "/v2.0", audience: "login.microsoftonline.com",
      tokenEndpointURL: base + "/oauth2/v2.0/token", jwksEndpointURL: base + "/discovery/v2.0/keys")
    configuration.keyEndpointURL = base + "/getkeydata"
    configuration.apply(.entra)
    configuration.addEntra(clientVersions)
    return configuration
  }

  /// What Weblogin configures for Keycloak.
  ///
  /// - Parameters:
  ///   - realmURL: `https://HOST/realms/REALM`, without a slash at the end.
  ///   - keys: the device's, whose identifiers login and refresh requests must name.
  ///   - clientID: the realm's client.
  public static func keycloak(
    realmURL: String, keys: DeviceKeys, clientID: String = "psso"
  ) -> LoginConfiguration {
    var configuration = LoginConfiguration(
      clientID: clientID, issuer: realmURL, audience: "psso", tokenEndpointURL: realmURL + "/psso/token",
      jwksEndpointURL: realmURL + "/protocol/openid-connect/certs")
    configuration.nonceEndpointURL = realmURL + "/psso/nonce"
    configuration.refreshEndpointURL = realmURL + "/psso/token"
    configuration.keyEndpointURL = realmURL + "/psso/token"
    configuration.federationUserPreauthenticationURL = realmURL + "/psso/authurl"
    configuration.apply(.keycloak)
    configuration.includeKeyIdentifiers(of: keys)
    return configuration
  }

  /// Puts the identifiers of the device's keys into login and refresh requests, as `signKeyId` and `encKeyId`, which
  /// Keycloak demands.
  public mutating func includeKeyIdentifiers(of keys: DeviceKeys) {
    for (name, keyID) in [("signKeyId", keys.signingKeyID), ("encKeyId", keys.encryptionKeyID)] {
      customLoginRequestClaims.body[name] = .string(keyID.text)
      customRefreshRequestClaims.body[name] = .string(keyID.text)
    }
  }

  /// What authentik hands out in its answer to a registration.
  ///
  /// - Parameters:
  ///   - baseURL: `https://HOST`, without a slash at the end.
  ///   - connectorID: the connector's UUID, which is the client.
  ///   - deviceID: the device's UUID, which is the audience.
  ///   - deviceToken: the agent's, sent with nonce requests.
  public static func authentik(
    baseURL: String, connectorID: String, deviceID: String, deviceToken: String
  ) -> LoginConfiguration {
    let base = baseURL + "/endpoints/agent/psso"
    var configuration = LoginConfiguration(
      clientID: connectorID, issuer: base + "/token/", audience: deviceID, tokenEndpointURL: base + "/token/",
      jwksEndpointURL: base + "/jwks/")
    configuration.nonceEndpointURL = base + "/nonce/"
    configuration.keyEndpointURL = base + "/token/"
    configuration.customNonceRequestValues = ["x-ak-device-token": deviceToken]
    configuration.apply(.authentik)
    return configuration
  }

  /// What Fleet's extension configures.
  ///
  /// - Parameters:
  ///   - host: the server's name, without scheme and port.
  ///   - bundleIdentifier: the extension's, which is the client.
  ///   - loginKey: the key with `use` `enc` of the server's key set, as 65 octets `04 ‖ X ‖ Y`.
  public static func fleet(host: String, bundleIdentifier: String, loginKey: [UInt8]) -> LoginConfiguration {
    let base = "https://\(host)/api/mdm/apple/psso"
    var configuration = LoginConfiguration(
      clientID: bundleIdentifier, issuer: host, audience: host, tokenEndpointURL: base + "/token",
      jwksEndpointURL: base + "/jwks")
    configuration.nonceEndpointURL = base + "/nonce"
    configuration.keyEndpointURL = base + "/token"
    configuration.loginRequestEncryptionPublicKey = loginKey
    configuration.apply(.fleet)
    return configuration
  }

  /// What the extension of Twocanoes' demonstration configures.
  ///
  /// - Parameters:
  ///   - baseURL: `https://HOST`, without a slash at the end.
  ///   - host: the host's name, which is the audience.
  public static func twocanoes(baseURL: String, host: String) -> LoginConfiguration {
    var configuration = LoginConfiguration(
      clientID: "psso", issuer: baseURL, audience: host, tokenEndpointURL: baseURL + "/token",
      jwksEndpointURL: baseURL + "/.well-known/jwks.json")
    configuration.nonceEndpointURL = baseURL + "/nonce"
    configuration.keyEndpointURL = baseURL + "/token"
    configuration.apply(.twocanoes)
    return configuration
  }
}
