// A client's request in any API as plain values: turns of ordered blocks, tools, parameters. [pure] Nearly every value
// is a view of the client's body, which must outlive the conversation. A view holds raw JSON, so strings keep their
// quotes and escapes. An empty view means that the member is absent or null.
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
  reasoning,  // reasoning in `text`; if its provider signed it, also `signature`
  opaque,     // reasoning that only its provider can read, in `signature`
  call,       // a tool call of the assistant
  result,     // the result of a tool call, in `text` or in parts
  image,
  document,
  audio,
  // A step of a tool that the client's provider ran; kept only as JSON in `raw`, because no other API accepts it.
  hosted,
  unknown,  // a block of an unknown type, whose JSON is in `raw`
};

enum class call_kind : std::uint8_t {
  function,  // a tool whose arguments are JSON
  custom,    // a tool whose argument is free text
  search,    // the client's own tool search (`tool_search` of Responses), whose arguments are JSON
};

// The content of an image, a document or an audio block.
struct block_media {
  std::string_view url = {};   // the address of the media, or a data: URL
  std::string_view type = {};  // the media type, such as image/png
  std::string_view data = {};  // the content of the media in base64
  std::string_view file_id = {};
  std::string_view title = {};   // the file name of a document
  std::string_view detail = {};  // how closely the model should look at the image
};

struct block {
  block_kind kind = block_kind::text;
  call_kind called = call_kind::function;  // the kind of the called tool, for calls and results
  bool is_error = false;                   // true for the result of a call that failed
  bool is_restored = false;  // true if the client dropped the block; only the provider that wrote the block gets it
  wire_format readable_by = wire_format::none;  // the API that can read `signature`
  std::uint32_t item = 0;  // index, from 0, of the client's message or item with this block
  std::uint32_t first_part = 0;  // for a result: the index of its first block in conversation::parts
  std::uint32_t parts = 0;
  std::string_view text = {};       // the block's text as a JSON string
  // The arguments of a call, as the JSON value itself or as a JSON string that contains it.
  std::string_view arguments = {};
  std::string_view id = {};         // the item's own id, in APIs that have one in addition to the call's id
  std::string_view call_id = {};
  std::string_view name = {};
  std::string_view name_space = {};  // the namespace of the called tool
  std::string_view signature = {};
  block_media media = {};
  std::string_view raw = {};         // the block's JSON as the client wrote it
  std::string_view cache_mark = {};  // Anthropic's cache_control, an object; chat clients may also set it
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
  std::string_view cache_mark = {};  // Anthropic's cache_control of the tool; chat clients may also set it
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
  std::string_view stop = {};  // a stop sequence or a list of them, as JSON
};

struct conversation {
  wire_format from = wire_format::none;
  std::vector<turn> turns;
  std::vector<block> blocks;  // blocks of all turns; the blocks of one turn are adjacent
  std::vector<block> parts;   // parts of all results; the parts of one result are adjacent
  std::vector<tool> tools;
  tool_choice choice;
  output_format output;
  std::optional<bool> parallel_calls;
  sampling_parameters sampling;
  std::string_view user = {};
  // OpenAI's name of the service tier; "priority" if the client asks for Anthropic's fast speed.
  std::string_view service_tier = {};
  std::string_view cache_mark = {};  // cache_control of the whole request, which a client of chat may send
  std::string_view effort = {};  // the reasoning effort in OpenAI's words
  std::optional<std::int64_t> reasoning_budget;  // limit of the reasoning in tokens
  // True if the client uses chat's older member `functions`. The answer then contains a function_call.
  bool has_functions = false;

  // Top-level members of the request that have no member in this class. They are copied unchanged.
  std::vector<json_member> others;
  // Names of request members that other APIs do not have and that do not change the answer's quality, such as
  // "cache_control". Each name is listed once.
  std::vector<std::string_view> hints;
  // Features of the request that only a provider of the client's own API has, such as "previous_response_id" or
  // "tools.web_search".
  std::vector<std::string> native_needs;

  std::deque<std::string> made;  // texts made by this gateway; a deque keeps their addresses valid

  std::span<const block> blocks_of(const turn& each) const {
    return std::span(blocks).subspan(each.first_block, each.blocks);
  }
  std::span<const block> parts_of(const block& each) const {
    return std::span(parts).subspan(each.first_part, each.parts);
  }
};

// An error that makes a request invalid for every provider, and the path of the wrong member.
struct request_fault {
  std::string param;  // the path of the wrong member, such as "input[3].content[0].type"
  std::string message;
};

}  // namespace photofinish::proxy
