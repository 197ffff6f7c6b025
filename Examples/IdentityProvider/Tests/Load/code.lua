-- Logins of somebody who is logged in and has agreed: a request for a code, and one that redeems a code, by turns. Arguments are the path
-- of the first, the cookies, credentials and the body of the second but for the code.
function init(arguments)
  ask = wrk.format("GET", arguments[1], { ["Cookie"] = arguments[2] })
  headers = { ["Content-Type"] = "application/x-www-form-urlencoded", ["Authorization"] = arguments[3] }
  form = arguments[4]
  codes = {}
end

function request()
  local code = table.remove(codes, 1)
  if not code then return ask end
  return wrk.format("POST", "/token", headers, form .. "&code=" .. code)
end

function response(status, fields, body)
  local location = fields["Location"] or fields["location"]
  local code = location and location:match("[?&]code=([^&]+)")
  if code then codes[#codes + 1] = code end
end
