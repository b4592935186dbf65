// Reads arbitrary JSON as a client's request to each API. The gateway either rejects the request and names the position of the error, or
// converts the request to each provider format: chat, Responses, Messages, Converse for each model, and Gemini. The converted requests are
// valid JSON with a list of messages.
#include "proxy/conversation/request_readers.hpp"
#include "proxy/conversation/writers/converse_form.hpp"
#include "proxy/conversation/writers/gemini_form.hpp"
#include "proxy/conversation/writers/messages_form.hpp"
#include "proxy/conversation/writers/openai/chat_form.hpp"
#include "proxy/conversation/writers/openai/responses_form.hpp"
#include "proxy/dialects/bedrock/converse_request.hpp"
#include "proxy/json/tolerant_json.hpp"
#include "proxy/providers/model_facts.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish::fuzz {
namespace {

bool is_object(const std::string& json) {
  std::string padded = json;
  padded.reserve(padded.size() + simdjson::SIMDJSON_PADDING);
  proxy::tolerant_parser parser;
  simdjson::dom::element root;
  return parser.parse(padded).get(root) == simdjson::SUCCESS && root.is_object();
}

// Checks which members are omitted, added or split for particular models at Amazon Bedrock.
void check_models(const std::string& converse) {
  const proxy::client_body body(converse);
  for (const char* model : {"mistral.m", "writer.m", "xai.m", "amazon.nova", "unknown"}) {
    proxy::json_edits edits(body.json());
    std::vector<std::string> dropped;
    proxy::edit_converse_body(body, proxy::converse_facts_of(model), proxy::behaviour{},
                              proxy::reasoning_items::left_out, edits, dropped);
    std::string made;
    for (const std::string_view piece : edits.pieces()) made += piece;
    require(is_object(made), "what is changed for a model is a JSON object");
  }
}

void check(const proxy::client_body& body, proxy::read_conversation (*read)(const proxy::client_body&)) {
  const proxy::read_conversation said = read(body);
  if (const auto* fault = std::get_if<proxy::request_fault>(&said)) {
    require(!fault->message.empty(), "a fault says what is wrong");
    return;
  }
  const proxy::translated_text gemini = proxy::write_gemini(std::get<proxy::conversation>(said));
  if (gemini.unsupported.empty()) {
    require(is_object(gemini.json), "what is written for Gemini is a JSON object");
    require(proxy::json_is_array(proxy::json_find(gemini.json, "contents").value_or("")), "it has contents");
  }
  const proxy::translated_text responses = proxy::write_responses(std::get<proxy::conversation>(said));
  if (responses.unsupported.empty()) {
    require(is_object(responses.json), "what is written as Responses is a JSON object");
    require(proxy::json_is_array(proxy::json_find(responses.json, "input").value_or("")), "it has input");
  }
  for (const auto write : {proxy::write_chat, proxy::write_messages, proxy::write_converse}) {
    const proxy::translated_text made = write(std::get<proxy::conversation>(said));
    if (!made.unsupported.empty()) continue;
    require(is_object(made.json), "what is written is a JSON object");
    require(proxy::json_is_array(proxy::json_find(made.json, "messages").value_or("")), "it has messages");
    if (write == proxy::write_converse) check_models(made.json);
  }
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  const std::string text(fuzz::as_text(data, size));
  if (!fuzz::is_object(text)) return 0;
  const proxy::client_body body(text);
  fuzz::check(body, proxy::read_chat);
  fuzz::check(body, proxy::read_responses);
  fuzz::check(body, proxy::read_messages);
  return 0;
}
