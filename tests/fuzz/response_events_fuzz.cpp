// Reads arbitrary bytes as a stream in the format of the Responses API. The stream passes the checks in passed_events.hpp. When the gateway
// reads its own output again, it writes the same stream.
#include "proxy/dialects/responses/response_stream.hpp"
#include "tests/fuzz/passed_events.hpp"

#include <cstddef>
#include <string>

namespace photofinish::fuzz {
namespace {

played_stream read_again(const played_stream& played) {
  std::string again;
  for (std::size_t at = 0; at < played.json.size(); ++at)
    again += "event: " + played.names[at] + "\ndata: " + played.json[at] + "\n\n";
  return play<proxy::response_stream>({again});
}

void check_again(const played_stream& played) {
  require(same(read_again(played), played), "a client reads what was counted");
}

// Checks the events that the gateway makes from a non-streamed answer. Skips a response that still runs in the background, because it has
// no final event.
void check_whole(const played_stream& played) {
  require(played.json.size() >= 2, "a response alone has a first and a last event");
  const std::string& last = played.names.back();
  if (last != "response.completed" && last != "response.incomplete") return;
  const played_stream again = read_again(played);
  require(again.json == played.json && again.said == played.said, "a client of the stream reads what the response says");
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  return fuzz::check_passed<proxy::response_stream>(fuzz::as_text(data, size), fuzz::check_again, fuzz::check_whole);
}
