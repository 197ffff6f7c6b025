-- The same page again and again: arguments are path and credentials.
function init(arguments)
  local headers = {}
  if arguments[2] then headers["Authorization"] = arguments[2] end
  text = wrk.format("GET", arguments[1], headers)
end

function request()
  return text
end
