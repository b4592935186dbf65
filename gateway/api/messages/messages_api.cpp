#include "gateway/api/messages/messages_api.hpp"

#include "gateway/api/messages/message_words.hpp"
#include "gateway/api/messages/message_writers.hpp"
#include "gateway/api/messages/passed_messages.hpp"
#include "gateway/api/conversation/read_conversation.hpp"
#include "proxy/conversation/object_members.hpp"
#include "proxy/conversation/tool_names.hpp"
#include "proxy/json/json_text.hpp"

#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 7> single_messages_members{"model", "messages",   "system", "stream",
                                                                  "tools", "max_tokens", "thread"};

constexpr conversation_api messages{proxy::wire_format::anthropic_messages, proxy::read_messages,
                                    single_messages_members, "messages"};

// Reads the request's member `thread`, which names a conversation that the provider keeps: {"type":"create"}, or
// {"type":"continue", "previous_message_id":…} with the id of the last answer.
asked_state read_thread(std::string_view thread) {
  if (thread.empty() || proxy::json_is_null(thread)) return {};
  asked_state state{.field = "thread", .is_kept = true, .is_single = true};
  const std::string_view previous = proxy::object_members(thread)["previous_message_id"];
  if (proxy::json_is_string(previous)) state.previous = proxy::json_unescape(proxy::json_raw_string(previous));
  return state;
}

}  // namespace

std::variant<parsed_request, api_error> messages_api::read(std::string body, proxy::tolerant_parser& parser) const {
  auto read = read_conversation_request(messages, std::move(body), parser);
  if (auto* const request = std::get_if<parsed_request>(&read))
    request->state = read_thread(request->body->value_of("thread"));
  return read;
}

std::unique_ptr<answer_writer> messages_api::writer(const parsed_request& request, answer_identity identity) const {
  if (identity.spoken == proxy::wire_format::anthropic_messages) {
    if (request.form == answer_form::stream) return std::make_unique<passed_message_stream>(std::move(identity));
    return std::make_unique<passed_whole_message>(std::move(identity));
  }
  proxy::restored_calls tools;
  if (request.others) tools = proxy::restored_calls_of(*request.others->said());
  if (request.form == answer_form::stream)
    return std::make_unique<message_stream_writer>(std::move(identity), std::move(tools));
  return std::make_unique<message_whole_writer>(std::move(identity), std::move(tools));
}

// The API sends a ping event while a stream is silent. Its clients close a stream that has no event for some minutes
// (Claude Code: 300 s), even if the stream has comments.
std::string_view messages_api::sign_of_life() const { return "event: ping\ndata: {\"type\": \"ping\"}\n\n"; }

std::string messages_api::error_json(const api_error& error) const { return message_error_json(error); }

}  // namespace photofinish::gateway
