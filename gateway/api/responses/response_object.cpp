#include "gateway/api/responses/response_object.hpp"

#include "proxy/conversation/object_members.hpp"
#include "proxy/json/json_text.hpp"

#include <array>

namespace photofinish::gateway {
namespace {

using proxy::json_quote;
using proxy::object_members;

struct echoed_member {
  std::string_view key;
  std::string_view otherwise;  // the value that is written if the request does not have the member
};

// Members of the request that the API repeats in its response.
constexpr std::array<echoed_member, 17> echoed{{{"instructions", "null"},
                                                {"max_output_tokens", "null"},
                                                {"max_tool_calls", "null"},
                                                {"metadata", "{}"},
                                                {"parallel_tool_calls", "true"},
                                                {"tool_choice", R"("auto")"},
                                                {"temperature", "1"},
                                                {"top_p", "1"},
                                                {"presence_penalty", "0"},
                                                {"frequency_penalty", "0"},
                                                {"top_logprobs", "0"},
                                                {"truncation", R"("disabled")"},
                                                {"user", "null"},
                                                {"safety_identifier", "null"},
                                                {"prompt_cache_key", "null"},
                                                {"service_tier", R"("default")"},
                                                {"previous_response_id", "null"}}};

std::string_view or_null(std::string_view value) { return value.empty() ? "null" : value; }

// Writes a tool of the request. For a function it adds all members that clients read.
std::string tool_json(std::string_view raw) {
  const object_members tool(raw);
  if (tool.word("type") != "function") return std::string(raw);
  std::string json = R"({"type":"function","name":)";
  json.append(or_null(tool["name"])).append(R"(,"description":)").append(or_null(tool["description"]));
  json.append(R"(,"parameters":)").append(or_null(tool["parameters"]));
  return json.append(R"(,"strict":)").append(or_null(tool["strict"])).append("}");
}

std::string tools_json(std::string_view list) {
  std::string json = "[";
  proxy::json_walk walk(list);
  while (const auto each = walk.next_element()) json.append(json.size() > 1 ? "," : "").append(tool_json(*each));
  return json.append("]");
}

std::string text_json(std::string_view asked) {
  const object_members text(asked);
  const object_members format(text["format"]);
  std::string json = R"({"format":)";
  if (format.word("type") == "json_schema") {
    json.append(R"({"type":"json_schema","name":)").append(or_null(format["name"]));
    json.append(R"(,"description":)").append(or_null(format["description"]));
    json.append(R"(,"schema":)").append(or_null(format["schema"]));
    json.append(R"(,"strict":)").append(format["strict"].empty() ? "false" : format["strict"]).append("}");
  } else {
    json += text["format"].empty() ? std::string_view(R"({"type":"text"})") : text["format"];
  }
  if (!text["verbosity"].empty()) json.append(R"(,"verbosity":)").append(text["verbosity"]);
  return json.append("}");
}

std::string reasoning_json(std::string_view asked) {
  const object_members reasoning(asked);
  return std::string(R"({"effort":)").append(or_null(reasoning["effort"])).append(R"(,"summary":)")
      .append(or_null(reasoning["summary"])).append("}");
}

// Copies the members of the request that the API repeats in its response. Writes their default values if the request
// belongs to another API, or is unknown.
std::string echo_of(const proxy::client_body* asked) {
  const auto value_of = [asked](std::string_view key) {
    const std::string_view value = asked == nullptr ? std::string_view{} : asked->value_of(key);
    return value == "null" ? std::string_view{} : value;
  };
  std::string json;
  for (const auto& [key, otherwise] : echoed) {
    const std::string_view value = value_of(key);
    json.append(",\"").append(key).append("\":").append(value.empty() ? otherwise : value);
  }
  json.append(R"(,"tools":)").append(tools_json(value_of("tools")));
  json.append(R"(,"text":)").append(text_json(value_of("text")));
  return json.append(R"(,"reasoning":)").append(reasoning_json(value_of("reasoning")));
}

void append_usage(std::string& out, const proxy::token_usage* usage) {
  if (usage == nullptr) {
    out += "null";
    return;
  }
  out.append(R"({"input_tokens":)").append(std::to_string(usage->input_tokens));
  out.append(R"(,"input_tokens_details":{"cached_tokens":)").append(std::to_string(usage->cached_input_tokens));
  out.append(R"(,"cache_write_tokens":)").append(std::to_string(usage->written_input_tokens));
  out.append(R"(},"output_tokens":)").append(std::to_string(usage->output_tokens));
  out.append(R"(,"output_tokens_details":{"reasoning_tokens":)").append(std::to_string(usage->reasoning_tokens));
  out.append(R"(},"total_tokens":)").append(std::to_string(usage->input_tokens + usage->output_tokens)).append("}");
}

}  // namespace

response_object::response_object(const answer_identity& identity, const proxy::client_body* asked)
    : head_(R"({"id":)" + json_quote("resp_" + identity.id) + R"(,"object":"response","created_at":)" +
            std::to_string(identity.created) + R"(,"model":)" + json_quote(identity.model)),
      echo_(echo_of(asked)) {}

void response_object::append(std::string& out, const response_state& state) const {
  out.append(head_).append(R"(,"status":")").append(state.status).append(R"(","completed_at":)");
  out.append(state.completed_at ? std::to_string(*state.completed_at) : "null");
  out.append(R"(,"error":)").append(or_null(state.error)).append(R"(,"incomplete_details":)");
  if (state.incomplete_reason.empty()) out += "null";
  else out.append(R"({"reason":")").append(state.incomplete_reason).append("\"}");
  out.append(R"(,"output":[)").append(state.output).append("]").append(echo_);
  out.append(R"(,"store":false,"background":false,"usage":)");
  append_usage(out, state.usage);
  out.append(state.more).append("}");
}

}  // namespace photofinish::gateway
