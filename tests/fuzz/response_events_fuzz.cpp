// A provider's own stream of Responses: the promises of passed_events.hpp, and reading what passed again gives the same.
#include "proxy/dialects/responses/response_stream.hpp"
#include "tests/fuzz/passed_events.hpp"

#include <cstddef>
#include <string>

namespace photofinish::fuzz {
namespace {

void check_again(const played_stream& played) {
  std::string again;
  for (std::size_t at = 0; at < played.json.size(); ++at)
    again += "event: " + played.names[at] + "\ndata: " + played.json[at] + "\n\n";
  require(same(play<proxy::response_stream>({again}), played), "a client reads what was counted");
}

void check_pair(const played_stream& played) { require(played.json.size() == 2, "a response alone is two events"); }

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  return fuzz::check_passed<proxy::response_stream>(fuzz::as_text(data, size), fuzz::check_again, fuzz::check_pair);
}
