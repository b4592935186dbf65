#include "gateway/api/stream_members.hpp"

#include "gateway/api/json_body.hpp"
#include "proxy/json/json_text.hpp"

namespace photofinish::gateway {

std::optional<api_error> check_stream_members(const proxy::client_body& body) {
  if (auto error = check_stream(body)) return error;
  const std::string_view options = body.value_of("stream_options");
  if (options.empty() || proxy::json_is_object(options) || options == "null") return std::nullopt;
  return bad_request("'stream_options' must be an object", "stream_options");
}

// Determines when the stream should report the usage: in each chunk (as vLLM and similar engines can), only at the end,
// or never.
proxy::usage_chunk usage_asked_for(const proxy::client_body& body) {
  const std::string_view options = body.value_of("stream_options");
  const auto is_asked = [options](std::string_view key) {
    return proxy::json_find(options, key).value_or("false") == "true";
  };
  if (!is_asked("include_usage")) return proxy::usage_chunk::unwanted;
  return is_asked("continuous_usage_stats") ? proxy::usage_chunk::wanted_always : proxy::usage_chunk::wanted;
}

}  // namespace photofinish::gateway
