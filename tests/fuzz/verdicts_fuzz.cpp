// Reads arbitrary bytes as answers of guardrail services. An answer either contains a verdict or is invalid. If the verdict masks texts of
// the request, the new request body is valid JSON, and differs from the original body only in its texts.
#include "gateway/guardrails/judged_text.hpp"
#include "gateway/guardrails/verdict.hpp"
#include "proxy/json/tolerant_json.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>

namespace {

using namespace photofinish;
using fuzz::require;
using metrics::guardrail_verdict;
using nlohmann::json;

constexpr const char* body = R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"},)"
                             R"({"role":"assistant","content":[{"type":"tool_use","id":"c","name":"function","input":{"k":1}}]}]})";

// Returns the request body with empty texts and an empty tool call input.
json without_texts(json whole) {
  whole["messages"][0]["content"] = whole["messages"][1]["content"] = "";
  json& input = whole["messages"][2]["content"][0]["input"];
  require(input.is_object(), "an object stays one");
  input = json::object();
  return whole;
}

void check_mask(const gateway::verdict& said) {
  gateway::parsed_request asked{.format = proxy::wire_format::anthropic_messages};
  asked.body = std::make_shared<const proxy::client_body>(body);
  gateway::judged_text text(asked);
  require(text.messages() == 3, "each text is a message");
  const auto taken = text.take(said.contents, gateway::masks_of::original);
  require(taken != gateway::mask_result::taken || text.is_masked(), "what was taken is there");
  if (!text.is_masked()) return;
  const json masked = json::parse(text.masked_body(), nullptr, false);
  require(!masked.is_discarded(), "a masked body is JSON");
  require(without_texts(masked) == without_texts(json::parse(body)), "a mask changes texts alone");
  const json shown = json::parse(text.request_json(), nullptr, false);
  require(!shown.is_discarded(), "what is shown is JSON");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::as_text(data, size));
  proxy::tolerant_parser parser;
  const gateway::verdict said = gateway::read_verdict(text, parser);
  require((said.said == guardrail_verdict::error) == !said.trouble.empty(), "what is no verdict says why");
  require(said.reason.size() <= 300 && said.reason.find_first_of("\r\n") == std::string::npos, "a reason is one short line");
  if (said.said == guardrail_verdict::pass)
    require(text.find("action") != std::string::npos || text.find("\\u") != std::string::npos, "a pass names its action");
  if (said.said == guardrail_verdict::mask) check_mask(said);
  return 0;
}
