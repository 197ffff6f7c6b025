-- Another script, whose threads ask several providers in turns: SCRIPT is its path, NODES has their addresses, each host:port, with spaces
-- between them.
dofile(os.getenv("SCRIPT"))

local own, threads, addresses = setup, 0, {}
function setup(thread)
  if own then own(thread) end
  if threads == 0 then
    for host, port in os.getenv("NODES"):gmatch("([^%s:]+):(%d+)") do
      addresses[#addresses + 1] = wrk.lookup(host, port)[1]
    end
  end
  thread.addr = addresses[threads % #addresses + 1]
  threads = threads + 1
end
