// A client's request in any API as plain values: turns of ordered blocks, tools, parameters. [pure]
// Nearly every value is a view into the client's body, which must outlive it. A view holds raw JSON: strings keep their
// quotes and escapes. An empty view means absent or null.
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
  reasoning,  // `text`, and `signature` if its provider signed it
  opaque,     // reasoning that only its provider can read, in `signature`
  call,       // a tool call of the assistant
  result,     // the result of a tool call: `text`, or parts
  image,
  document,
  audio,
  hosted,   // a step of a tool that the client's provider ran: only `raw`, no other API accepts it
  unknown,  // only `raw` is set
};

enum class call_kind : std::uint8_t {
  function,  // arguments are JSON
  custom,    // arguments are free text
  search,    // the client's own tool search, `tool_search` of Responses: its arguments are JSON
};

// The content of an image, a document or an audio block.
struct block_media {
  std::string_view url = {};   // its address, or a data: URL
  std::string_view type = {};  // a media type
  std::string_view data = {};  // data in base64
  std::string_view file_id = {};
  std::string_view title = {};   // the file name of a document
  std::string_view detail = {};  // the detail level of an image
};

struct block {
  block_kind kind = block_kind::text;
  call_kind called = call_kind::function;  // set for calls and results
  bool is_error = false;                   // set for results
  bool is_restored = false;  // the client dropped it: only its own provider gets it
  wire_format readable_by = wire_format::none;  // the API that can read the signature
  std::uint32_t item = 0;  // index of the client's message or item that contained it, from 0
  std::uint32_t first_part = 0;  // set for results: index of the first of its blocks in conversation::parts
  std::uint32_t parts = 0;
  std::string_view text = {};       // a string
  std::string_view arguments = {};  // set for calls: a string that contains them, or the JSON value itself
  std::string_view id = {};         // the item's id, if the API has one next to the call's
  std::string_view call_id = {};
  std::string_view name = {};
  std::string_view name_space = {};  // the called tool's namespace
  std::string_view signature = {};
  block_media media = {};
  std::string_view raw = {};         // the block as the client wrote it
  std::string_view cache_mark = {};  // Anthropic's cache_control, an object; clients of chat may set it
};

inline bool is_text(const block& each) {
  return each.kind == block_kind::text || each.kind == block_kind::refusal;
}

// True for a document of plain text. APIs without documents get it as text.
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
  std::string_view parameters = {};  // a JSON schema
  std::string_view strict = {};
  std::string_view grammar = {};  // the grammar of a custom tool's text: an object with `syntax` and `definition`
  std::string_view cache_mark = {};  // Anthropic's cache_control; clients of chat may set it
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

// How the model samples its answer, and when it stops.
struct sampling_parameters {
  std::string_view temperature = {};
  std::string_view top_p = {};
  std::string_view top_k = {};
  std::string_view max_tokens = {};
  std::string_view stop = {};  // a string, or a list of strings
};

struct conversation {
  wire_format from = wire_format::none;
  std::vector<turn> turns;
  std::vector<block> blocks;  // the blocks of a turn are adjacent
  std::vector<block> parts;   // the parts of a result are adjacent
  std::vector<tool> tools;
  tool_choice choice;
  output_format output;
  std::optional<bool> parallel_calls;
  sampling_parameters sampling;
  std::string_view user = {};
  std::string_view service_tier = {};  // in OpenAI's words; "priority" if the client asks for Anthropic's fast speed
  std::string_view cache_mark = {};  // cache_control of the whole request, from a client of chat
  std::string_view effort = {};  // reasoning effort, a word
  std::optional<std::int64_t> reasoning_budget;  // tokens
  bool has_functions = false;  // the client uses chat's older `functions`: its answer has a function_call

  // Top-level members that this model does not have, copied unchanged.
  std::vector<json_member> others;
  // Members that this model does not have and that do not change the answer's quality, such as "cache_control". Each
  // name is listed once.
  std::vector<std::string_view> hints;
  // Features that only a provider of this API has: "previous_response_id", "tools.web_search".
  std::vector<std::string> native_needs;

  std::deque<std::string> made;  // texts that are not in the client's body; a deque, so that their addresses stay valid

  std::span<const block> blocks_of(const turn& each) const {
    return std::span(blocks).subspan(each.first_block, each.blocks);
  }
  std::span<const block> parts_of(const block& each) const {
    return std::span(parts).subspan(each.first_part, each.parts);
  }
};

// A request that no provider could accept, and the place of the error.
struct request_fault {
  std::string param;  // "input[3].content[0].type"
  std::string message;
};

}  // namespace photofinish::proxy
