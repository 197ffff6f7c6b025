-- Forms in turns, again and again: arguments are the path, then credentials and body of each.
function init(arguments)
  texts = {}
  for place = 2, #arguments, 2 do
    texts[#texts + 1] = wrk.format("POST", arguments[1], {
      ["Content-Type"] = "application/x-www-form-urlencoded", ["Authorization"] = arguments[place] }, arguments[place + 1])
  end
  sent = 0
end

function request()
  sent = sent + 1
  return texts[sent % #texts + 1]
end
