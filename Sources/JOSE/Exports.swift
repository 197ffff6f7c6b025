// Headers and claims are JSON, so whoever imports JOSE can name and write JSON values.
@_exported import StrictJSON
