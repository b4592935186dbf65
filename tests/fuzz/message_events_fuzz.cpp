// Reads arbitrary bytes as a stream in the format of the Messages API. The stream passes the checks in passed_events.hpp. Merging its
// events gives a complete message in valid JSON.
#include "gateway/api/messages/passed_messages.hpp"
#include "proxy/dialects/anthropic/message_stream.hpp"
#include "proxy/json/json_scan.hpp"
#include "tests/fuzz/passed_events.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::fuzz {
namespace {

void check_message(const played_stream& played) {
  gateway::passed_whole_message writer;
  std::string batch;
  gateway::outgoing to(batch);
  to.begin_batch();
  for (std::size_t at = 0; at < played.json.size(); ++at) {
    const std::string_view piece = played.json[at];
    (void)writer.add({.spoken = proxy::wire_format::anthropic_messages, .json = {&piece, 1}, .name = played.names[at]}, to);
  }
  writer.end(to);
  const std::string message = to.take().text();
  proxy::json_scan scan;
  require(scan.see(message) && scan.is_complete(), "a whole message is a JSON object");
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  return fuzz::check_passed<proxy::message_stream>(fuzz::as_text(data, size), fuzz::check_message, fuzz::check_message);
}
