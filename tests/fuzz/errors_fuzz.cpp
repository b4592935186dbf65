// Reads arbitrary bytes as the answer of a provider that does not send a stream. The answer becomes a failure. The texts of the failure are
// short, valid UTF-8, and have only one line. The error for the client is valid JSON.
#include "gateway/api/api_error.hpp"
#include "proxy/failures/error_shapes.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <simdjson.h>

#include <algorithm>
#include <span>

namespace photofinish::fuzz {
namespace {

void check_text(const std::string& text, std::size_t most) {
  require(text.size() <= most, "a stranger's text is bounded");
  require(simdjson::validate_utf8(text), "a stranger's text is UTF-8");
  require(std::none_of(text.begin(), text.end(), [](char byte) { return (byte & 0xE0) == 0 || byte == 0x7F; }),
          "a stranger's text holds no control character");
}

void check_failure(const proxy::failure& why) {
  check_text(why.detail, 2100);
  for (const std::string* word : {&why.code, &why.type, &why.param}) check_text(*word, 160);
  require(why.status == 0 || (why.status >= 100 && why.status <= 599), "a status is an HTTP status");
  require(!why.retry_after || why.retry_after->count() >= 0, "no wait is negative");

  const gateway::attempt_failure failed{"provider/model", why, false};
  const gateway::api_error error = gateway::explain_defeat(std::span(&failed, 1), racing::defeat{});
  require(error.status >= 400 && error.status <= 599, "a failure is an error to the client");
  simdjson::dom::parser parser;
  simdjson::dom::object reported;
  require(parser.parse(gateway::to_json(error))["error"].get(reported) == simdjson::SUCCESS, "an error is JSON");
  std::string_view message;
  require(reported["message"].get(message) == simdjson::SUCCESS && !message.empty(), "an error says something");
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  const fuzz::exact_bytes bytes(fuzz::as_text(data, size), 64);
  const std::string_view body = bytes.view();
  const std::chrono::sys_seconds now{std::chrono::seconds(1'763'700'000)};
  const std::string_view first_line = body.substr(0, std::min(body.find('\n'), body.size()));
  for (const int status : {200, 302, 400, 401, 402, 413, 429, 500, 503})
    fuzz::check_failure(proxy::read_error({.status = status, .content_type = "application/json", .retry_after = first_line,
                                           .retry_after_ms = first_line, .body = body}, now));
  fuzz::check_failure(proxy::error_from_event(body));
  return 0;
}
