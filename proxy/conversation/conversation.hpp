// A client's request in any API, as plain values: turns with their blocks, tools and parameters. [pure] Nearly every
// value is a view of the client's body, which must outlive the conversation. A view holds raw JSON, so strings keep
// their quotes and escapes. An empty view means that the member is absent or null.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/json_text.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

enum class speaker : std::uint8_t { system, developer, user, assistant, tool };

enum class block_kind : std::uint8_t {
  text,
  refusal,
  reasoning,  // reasoning in `text`, with a `signature` if the provider signed the reasoning
  opaque,     // reasoning that only its provider can read, in `signature`
  call,       // a tool call of the assistant
  result,     // the result of a tool call, in `text` or in parts
  image,
  document,
  audio,
  // A step of a tool that the client's provider ran. Only the step's JSON is stored, in `raw`, because no other API
  // accepts the step.
  hosted,
  unknown,  // a block of an unknown type, whose JSON is in `raw`
};

enum class call_kind : std::uint8_t {
  function,  // a tool whose arguments are JSON
  custom,    // a tool whose argument is free text
  search,    // the client's own tool search (`tool_search` in the Responses API), whose arguments are JSON
};

// The content of an image, a document or an audio block.
struct block_media {
  std::string_view url = {};   // the address of the media, or a data: URL
  std::string_view type = {};  // the media type, such as image/png
  std::string_view data = {};  // the content of the media in base64
  std::string_view file_id = {};
  std::string_view title = {};   // the file name of a document
  std::string_view detail = {};  // how closely the model should examine the image
};

struct block {
  block_kind kind = block_kind::text;
  call_kind called = call_kind::function;  // only for calls and results: the kind of the called tool
  bool is_error = false;                   // true for the result of a failed call
  // True if the gateway restored this block, because the client had dropped it. Only the provider that wrote the block
  // gets it.
  bool is_restored = false;
  wire_format readable_by = wire_format::none;  // the API that can read `signature`
  std::uint32_t item = 0;  // the index, from 0, of the client's message or input item that contains the block
  std::uint32_t first_part = 0;  // only for a tool result: the index of its first part in conversation::parts
  std::uint32_t parts = 0;
  std::string_view text = {};       // the block's text as a JSON string
  // The arguments of a call: a JSON value, or a JSON string that contains the JSON value.
  std::string_view arguments = {};
  std::string_view id = {};         // the id of the item, which some APIs have in addition to the call's id
  std::string_view call_id = {};
  std::string_view name = {};
  std::string_view name_space = {};  // the namespace of the called tool
  std::string_view signature = {};
  block_media media = {};
  std::string_view raw = {};         // the block's JSON as the client wrote it
  std::string_view cache_mark = {};  // Anthropic's cache_control, an object; clients of the chat API may also set it
};

inline bool is_text(const block& each) {
  return each.kind == block_kind::text || each.kind == block_kind::refusal;
}

// True for a document of plain text. APIs that do not accept documents get this document as text.
inline bool is_text_document(const block& each) {
  return each.kind == block_kind::document && each.parts == 0 && each.media.data.empty() && !each.text.empty();
}

struct turn {
  speaker who = speaker::user;
  std::uint32_t first_block = 0;
  std::uint32_t blocks = 0;
};

inline bool is_instruction(const turn& each) {
  return each.who == speaker::system || each.who == speaker::developer;
}

struct tool {
  call_kind kind = call_kind::function;
  std::string_view name = {};
  std::string_view name_space = {};
  std::string_view description = {};
  std::string_view parameters = {};  // the JSON schema of the arguments
  std::string_view strict = {};
  std::string_view grammar = {};  // the grammar of a custom tool's text: an object with `syntax` and `definition`
  std::string_view cache_mark = {};  // Anthropic's cache_control of the tool; clients of the chat API may also set it
};

enum class choice_kind : std::uint8_t { unset, automatic, none, required, named };

struct tool_choice {
  choice_kind kind = choice_kind::unset;
  std::string_view name = {};
  std::string_view name_space = {};
};

enum class output_kind : std::uint8_t { text, json_object, json_schema };

struct output_format {
  output_kind kind = output_kind::text;
  std::string_view name = {};
  std::string_view description = {};
  std::string_view schema = {};
  std::string_view strict = {};
};

// Parameters that decide how the model samples its answer, and when it stops.
struct sampling_parameters {
  std::string_view temperature = {};
  std::string_view top_p = {};
  std::string_view top_k = {};
  std::string_view max_tokens = {};
  std::string_view stop = {};  // a stop sequence or a list of stop sequences, as JSON
};

struct conversation {
  wire_format from = wire_format::none;
  std::vector<turn> turns;
  std::vector<block> blocks;  // the blocks of all turns; the blocks of each turn are adjacent
  std::vector<block> parts;   // the parts of all tool results; the parts of each result are adjacent
  std::vector<tool> tools;
  tool_choice choice;
  output_format output;
  std::optional<bool> parallel_calls;
  sampling_parameters sampling;
  std::string_view user = {};
  // The service tier, by its name in OpenAI's API. The value is "priority" if the client requests Anthropic's fast
  // speed.
  std::string_view service_tier = {};
  std::string_view cache_mark = {};  // cache_control of the whole request; clients of the chat API may also set it
  std::string_view effort = {};  // the reasoning effort, as OpenAI's API names it
  std::optional<std::int64_t> reasoning_budget;  // the limit for reasoning, in tokens
  // True if the client uses the chat API's older member `functions`. The answer then contains a function_call.
  bool has_functions = false;

  // Top-level request members that this class does not parse. They are copied unchanged.
  std::vector<json_member> others;
  // Names of request members, such as "cache_control", that other APIs do not have and that do not affect the quality
  // of the answer. Each name is listed once.
  std::vector<std::string_view> hints;
  // Features of the request that only providers of the client's own API support, such as "previous_response_id" or
  // "tools.web_search".
  std::vector<std::string> native_needs;

  // Texts that this gateway created. They are stored in a deque, because a deque never moves its elements.
  std::deque<std::string> made;

  std::span<const block> blocks_of(const turn& each) const {
    return std::span(blocks).subspan(each.first_block, each.blocks);
  }
  std::span<const block> parts_of(const block& each) const {
    return std::span(parts).subspan(each.first_part, each.parts);
  }
};

// An error that makes a request invalid for every provider.
struct request_fault {
  std::string param;  // the path of the invalid member, such as "input[3].content[0].type"
  std::string message;
};

}  // namespace photofinish::proxy
