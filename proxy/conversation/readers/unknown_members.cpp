#include "proxy/conversation/readers/unknown_members.hpp"

#include "proxy/json/member_index.hpp"
#include "proxy/providers/parameters.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace photofinish::proxy {
namespace {

constexpr std::size_t most_known = 20;

// The known members of one kind of object. A member is known if the gateway reads it, if it is only a copy from an
// earlier answer, or if it does not affect the model.
struct object_row {
  client_object kind;
  std::string_view place;  // the prefix of an unknown member's name when the name is recorded
  std::array<std::string_view, most_known> known;
};

constexpr auto rows = std::to_array<object_row>({
    {client_object::chat_message, "messages[].",
     {"role", "content", "tool_calls", "tool_call_id", "refusal", "function_call", "reasoning", "reasoning_content",
      "reasoning_details", "thinking_blocks", "extra_content", "cache_control", "annotations", "id", "index",
      "provider_specific_fields", "thought_signature", "thoughtSignature"}},
    {client_object::chat_result, "messages[].",
     {"role", "content", "tool_call_id", "name", "cache_control", "id"}},
    {client_object::chat_part, "messages[].content[].",
     {"type", "text", "refusal", "image_url", "file", "input_audio", "cache_control", "annotations",
      "prompt_cache_breakpoint"}},
    {client_object::chat_image, "messages[].content[].image_url.", {"url", "detail"}},
    {client_object::chat_file, "messages[].content[].file.", {"file_data", "file_id", "filename"}},
    {client_object::chat_audio, "messages[].content[].input_audio.", {"data", "format"}},
    {client_object::chat_call, "messages[].tool_calls[].",
     {"id", "type", "function", "custom", "index", "extra_content", "provider_specific_fields", "thought_signature",
      "thoughtSignature"}},
    {client_object::chat_call_function, "messages[].tool_calls[].function.",
     {"name", "arguments", "input", "parsed_arguments", "thought_signature"}},
    {client_object::chat_tool, "tools[].", {"type", "function", "custom", "cache_control"}},
    {client_object::chat_tool_function, "tools[].function.",
     {"name", "description", "parameters", "strict", "format", "cache_control"}},
    {client_object::chat_choice, "tool_choice.", {"type", "function", "custom", "allowed_tools"}},
    {client_object::chat_choice_function, "tool_choice.function.", {"name"}},
    {client_object::chat_format, "response_format.", {"type", "json_schema"}},
    {client_object::chat_schema, "response_format.json_schema.", {"name", "description", "schema", "strict"}},
    {client_object::chat_reasoning, "reasoning.", {"effort", "enabled", "exclude", "max_tokens"}},
    {client_object::chat_thinking, "thinking.", {"type", "budget_tokens"}},
    {client_object::chat_stream_options, "stream_options.",
     {"include_usage", "include_obfuscation", "continuous_usage_stats"}},
    {client_object::response_message, "input[].", {"type", "role", "content", "id", "status"}},
    {client_object::response_call, "input[].",
     {"type", "id", "call_id", "name", "namespace", "arguments", "input", "status", "parsed_arguments"}},
    {client_object::response_result, "input[].", {"type", "id", "call_id", "output", "status"}},
    {client_object::response_part, "input[].content[].",
     {"type", "text", "refusal", "image_url", "file_id", "detail", "file_url", "file_data", "filename", "input_audio",
      "annotations", "logprobs", "prompt_cache_breakpoint"}},
    {client_object::response_tool, "tools[].", {"type", "name", "description", "parameters", "strict", "format"}},
    {client_object::response_choice, "tool_choice.", {"type", "name", "namespace", "mode", "tools"}},
    {client_object::response_text, "text.", {"format", "verbosity"}},
    {client_object::response_format, "text.format.", {"type", "name", "description", "schema", "strict"}},
    {client_object::response_reasoning, "reasoning.", {"effort", "summary", "generate_summary"}},
    {client_object::response_stream_options, "stream_options.", {"include_obfuscation"}},
    {client_object::message_turn, "messages[].", {"role", "content", "id"}},
    {client_object::message_block, "messages[].content[].",
     {"type", "text", "citations", "source", "title", "context", "cache_control", "tool_use_id", "content",
      "is_error"}},
    {client_object::message_call, "messages[].content[].", {"type", "id", "name", "input", "cache_control", "caller"}},
    {client_object::message_source, "messages[].content[].source.",
     {"type", "data", "media_type", "url", "file_id", "content"}},
    {client_object::message_system, "system[].", {"type", "text", "cache_control", "citations"}},
    {client_object::message_tool, "tools[].",
     {"type", "name", "description", "input_schema", "strict", "cache_control", "input_examples", "allowed_callers",
      "defer_loading", "eager_input_streaming"}},
    {client_object::message_choice, "tool_choice.", {"type", "name", "disable_parallel_tool_use"}},
    {client_object::message_thinking, "thinking.", {"type", "budget_tokens"}},
    {client_object::message_output, "output_config.", {"effort", "format", "task_budget"}},
    {client_object::message_metadata, "metadata.", {"user_id"}},
});

constexpr bool are_in_order() {
  for (std::size_t index = 0; index < rows.size(); ++index)
    if (rows[index].kind != static_cast<client_object>(index)) return false;
  return true;
}
static_assert(are_in_order());

bool is_known(const object_row& row, std::string_view raw_key) {
  return std::any_of(row.known.begin(), row.known.end(),
                     [raw_key](std::string_view key) { return !key.empty() && json_key_is(raw_key, key); });
}

}  // namespace

void unknown_members::name(client_object kind, const object_members& object) {
  constexpr std::size_t most_named = 8, longest_named = 32;
  const object_row& row = rows[static_cast<std::size_t>(kind)];
  for (const json_member& each : object.all()) {
    if (is_known(row, each.raw_key)) continue;
    const named_member unknown{kind, each.raw_key};
    const bool is_new = std::find(named_.begin(), named_.end(), unknown) == named_.end();
    if (!is_new || named_.size() == most_named || each.raw_key.size() > longest_named) continue;
    if (!is_meaningful(each.raw_key, each.value)) continue;
    named_.push_back(unknown);
    builder_.hint(builder_.keep(std::string(row.place) + std::string(each.raw_key)));
  }
}

object_members unknown_members::read(client_object kind, std::string_view value) {
  object_members object(value);
  name(kind, object);
  return object;
}

}  // namespace photofinish::proxy
