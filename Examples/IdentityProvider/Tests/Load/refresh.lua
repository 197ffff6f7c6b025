-- Each thread has as many logins as connections. A connection presents a login's token, and its answer brings the next. Arguments are the
-- files' name but for the thread's number, and the path.
local threads = 0
function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(arguments)
  tokens = {}
  path = arguments[2]
  local file = io.open(arguments[1] .. "." .. number)
  headers = { ["Content-Type"] = "application/x-www-form-urlencoded", ["Authorization"] = file:read() }
  for token in file:lines() do tokens[#tokens + 1] = token end
  file:close()
end

-- wrk asks the first thread for a request that it doesn't send, before all others.
function request()
  if number == 0 and not begun then
    begun = true
    return wrk.format("POST", path)
  end
  local token = table.remove(tokens, 1)
  return wrk.format("POST", path, headers, "grant_type=refresh_token&refresh_token=" .. (token or "none"))
end

function response(status, fields, body)
  local token = body:match('"refresh_token" *: *"([^"]+)"')
  if status == 200 and token then tokens[#tokens + 1] = token end
end
