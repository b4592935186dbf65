#include "gateway/bench/load/request_text.hpp"

#include "proxy/dialects/provider_head.hpp"
#include "proxy/find_dialect.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>

namespace photofinish::gateway::bench {
namespace {

std::string join(std::span<const std::string_view> pieces) {
  std::string all;
  for (const std::string_view piece : pieces) all += piece;
  return all;
}

std::string as_openai_wants_it(const request_traits& traits, const workload_prompt& prompt) {
  std::string body = R"({"model":)" + proxy::json_quote(traits.model) + R"(,"messages":)" + prompt.messages +
                     R"(,"max_tokens":)" + std::to_string(prompt.max_tokens.value_or(traits.max_tokens));
  for (const auto& [name, json] : traits.extra_members) body += "," + proxy::json_quote(name) + ":" + json;
  for (const auto& [name, json] : prompt.members) {
    const auto is_same = [&name](const auto& added) { return added.first == name; };
    if (std::none_of(traits.extra_members.begin(), traits.extra_members.end(), is_same))
      body += "," + proxy::json_quote(name) + ":" + json;
  }
  return body + R"(,"stream":true})";
}

// Changes a request body so that it requests a whole answer instead of a stream. The change is necessary because the
// dialect only writes bodies that request streams.
std::string asked_for_whole(const std::string& body) {
  const proxy::member_index members(body);
  proxy::json_edits edits(body);
  if (const auto* stream = members.find("stream")) edits.replace(stream->value, "false");
  if (const auto* options = members.find("stream_options")) edits.remove_member(*options);
  return edits.text();
}

}  // namespace

request_text write_chat(const request_traits& traits, std::string_view prompt) {
  workload_prompt made;
  made.messages = R"([{"role":"user","content":)" + proxy::json_quote(prompt) + "}]";
  return write_chat(traits, made);
}

request_text write_chat(const request_traits& traits, const workload_prompt& prompt) {
  auto body = std::make_shared<const proxy::client_body>(as_openai_wants_it(traits, prompt));
  const proxy::attempt_request wanted{
      std::move(body), proxy::wire_format::openai_chat, traits.to.provider, traits.model, traits.to.key, {}};
  auto prepared = proxy::find_dialect(traits.to.provider.dialect)->prepare(wanted);
  request_text text{std::move(prepared.head), join(prepared.body.pieces())};
  if (traits.mode == answer_mode::stream) return text;
  text.body = asked_for_whole(text.body);
  for (auto& [name, value] : text.head.fields)
    if (name == "accept") value = "application/json";
  return text;
}

request_text write_models_query(const endpoint& to) {
  constexpr std::array<proxy::header_field, 1> own_fields{{{"accept", "application/json"}}};
  request_text text{proxy::provider_head(to.provider, to.key, "/models", own_fields), {}};
  text.head.method = "GET";
  return text;
}

}  // namespace photofinish::gateway::bench
