-- The same form again and again: arguments are path, credentials, body.
function init(arguments)
  text = wrk.format("POST", arguments[1], {
    ["Content-Type"] = "application/x-www-form-urlencoded", ["Authorization"] = arguments[2] }, arguments[3])
end

function request()
  return text
end
