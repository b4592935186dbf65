#include "gateway/api/responses/responses_api.hpp"

#include "gateway/api/conversation/read_conversation.hpp"
#include "gateway/api/json_body.hpp"
#include "gateway/api/responses/passed_responses.hpp"
#include "gateway/api/responses/response_writers.hpp"
#include "proxy/conversation/tool_names.hpp"
#include "proxy/json/json_text.hpp"

#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 10> single_responses_members{
    "model", "input",      "instructions", "stream",              "tools",
    "store", "background", "conversation", "previous_response_id", "max_output_tokens"};

constexpr conversation_api responses{proxy::wire_format::openai_responses, proxy::read_responses,
                                     single_responses_members, "input"};

bool is_given(std::string_view value) { return !value.empty() && !proxy::json_is_null(value); }

}  // namespace

std::optional<api_error> read_response_state(const proxy::client_body& body, asked_state& into) {
  const auto note = [&into](std::string_view field) {
    if (into.field.empty()) into.field = field;
  };
  if (const std::string_view previous = body.value_of("previous_response_id"); is_given(previous)) {
    note("previous_response_id");
    into.previous = proxy::json_unescape(proxy::json_raw_string(previous));
    if (!proxy::json_is_string(previous) || into.previous.empty())
      return bad_request("'previous_response_id' must be a non-empty string", "previous_response_id");
  }
  into.is_single = is_given(body.value_of("conversation"));
  if (into.is_single) note("conversation");
  for (const std::string_view field : {std::string_view("store"), std::string_view("background")}) {
    if (auto error = check_flag(body, field)) return error;
    if (body.value_of(field) != "true") continue;
    note(field);
    into.is_kept = true;
  }
  return std::nullopt;
}

std::variant<parsed_request, api_error> responses_api::read(std::string body, proxy::tolerant_parser& parser) const {
  auto asked = read_conversation_request(responses, std::move(body), parser);
  if (auto* read = std::get_if<parsed_request>(&asked))
    if (auto error = read_response_state(*read->body, read->state)) return *std::move(error);
  return asked;
}

std::unique_ptr<answer_writer> responses_api::writer(const parsed_request& request, answer_identity identity) const {
  if (identity.spoken == proxy::wire_format::openai_responses) {
    if (request.form == answer_form::stream) return std::make_unique<passed_response_stream>(std::move(identity));
    return std::make_unique<passed_whole_response>(std::move(identity));
  }
  const item_events form = request.form == answer_form::stream ? item_events::written : item_events::none;
  proxy::restored_calls tools;
  if (request.others) tools = proxy::restored_calls_of(*request.others->said());
  return std::make_unique<response_writer>(form, identity, request.body.get(), std::move(tools));
}

}  // namespace photofinish::gateway
