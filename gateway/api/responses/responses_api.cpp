#include "gateway/api/responses/responses_api.hpp"

#include "gateway/api/conversation/read_conversation.hpp"
#include "gateway/api/responses/response_writers.hpp"
#include "proxy/conversation/tool_names.hpp"

#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 8> single_members{"model", "input", "instructions",         "stream",
                                                         "tools", "store", "previous_response_id", "max_output_tokens"};

constexpr conversation_api responses{proxy::wire_format::openai_responses, proxy::read_responses, single_members,
                                     "input"};

}  // namespace

std::variant<ask, api_error> responses_api::read(std::string body, proxy::tolerant_parser& parser) const {
  return read_conversation_ask(responses, std::move(body), parser);
}

std::unique_ptr<answer_writer> responses_api::writer(const ask& request, answer_identity identity) const {
  const item_events form = request.form == answer_form::stream ? item_events::written : item_events::none;
  proxy::restored_calls tools;
  if (request.others) tools = proxy::restored_calls_of(request.others->said());
  return std::make_unique<response_writer>(form, identity, request.body.get(), std::move(tools));
}

std::string responses_api::error_json(const api_error& error) const { return to_json(error); }

}  // namespace photofinish::gateway
