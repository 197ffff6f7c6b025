// Headers and claims are JSON, so a file that imports JOSE can name and write JSON values.
@_exported import StrictJSON
