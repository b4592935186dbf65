// What a client asks for, by whichever API: turns of ordered blocks, tools, parameters, as plain values. [pure]
// Nearly everything is a view into the client's body, which must outlive it: a JSON value as it stands there, strings
// with their quotes and escapes. Empty: absent or null.
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
  reasoning,  // `text`, and `signature` where its provider signed it
  opaque,     // reasoning that only its provider can read: `signature`
  call,       // a tool call of the assistant
  result,     // what a tool call came to: `text`, or parts
  image,
  document,
  audio,
  hosted,   // a step of a tool that the client's provider ran: `raw` alone, and no other API takes it
  unknown,  // `raw` alone
};

enum class call_kind : std::uint8_t {
  function,  // arguments are JSON
  custom,    // one free text
  search,    // the client's own search for tools, `tool_search` of Responses: its arguments are JSON
};

// The content of an image, a document or an audio block.
struct block_media {
  std::string_view url = {};   // where it lies, or a data: URL
  std::string_view type = {};  // a media type
  std::string_view data = {};  // base64
  std::string_view file_id = {};
  std::string_view title = {};   // the file name of a document
  std::string_view detail = {};  // of an image
};

struct block {
  block_kind kind = block_kind::text;
  call_kind called = call_kind::function;  // of a call and a result
  bool is_error = false;                   // of a result
  bool is_restored = false;  // the client dropped it: only its own provider is to see it
  wire_format readable_by = wire_format::none;  // whose the signature is
  std::uint32_t item = 0;  // the client's message or item it came in, counted from 0
  std::uint32_t first_part = 0;  // of a result: its own blocks, in conversation::parts
  std::uint32_t parts = 0;
  std::string_view text = {};       // a string
  std::string_view arguments = {};  // of a call: a string that holds them, or the JSON value itself
  std::string_view id = {};         // of the item, where the API has one beside the call's
  std::string_view call_id = {};
  std::string_view name = {};
  std::string_view name_space = {};  // of the tool that is called
  std::string_view signature = {};
  block_media media = {};
  std::string_view raw = {};         // the block as the client wrote it
  std::string_view cache_mark = {};  // Anthropic's cache_control, an object, which clients of chat may set
};

inline bool is_text(const block& each) {
  return each.kind == block_kind::text || each.kind == block_kind::refusal;
}

// A document of plain text, which is a text where an API has no documents.
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
  std::string_view grammar = {};  // of a custom tool's text: an object with `syntax` and `definition`
  std::string_view cache_mark = {};  // Anthropic's cache_control, which clients of chat may set
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

// How the model draws its answer, and when it stops.
struct sampling_parameters {
  std::string_view temperature = {};
  std::string_view top_p = {};
  std::string_view top_k = {};
  std::string_view max_tokens = {};
  std::string_view stop = {};  // a string, or a list of them
};

struct conversation {
  wire_format from = wire_format::none;
  std::vector<turn> turns;
  std::vector<block> blocks;  // those of a turn lie together
  std::vector<block> parts;   // those of a result, too
  std::vector<tool> tools;
  tool_choice choice;
  output_format output;
  std::optional<bool> parallel_calls;
  sampling_parameters sampling;
  std::string_view user = {};
  std::string_view service_tier = {};  // in OpenAI's words; "priority" if the client asks for Anthropic's fast speed
  std::string_view cache_mark = {};  // cache_control of the whole request, of a client of chat
  std::string_view effort = {};  // of reasoning, a word
  std::optional<std::int64_t> reasoning_budget;  // tokens
  bool has_functions = false;  // the client speaks chat as it was before `tools`: its answer has a function_call

  // Top-level members that are not in this model, as they came.
  std::vector<json_member> others;
  // What is in the body and not in this model, and makes an answer no worse: "cache_control". Each once.
  std::vector<std::string_view> hints;
  // What only a provider that speaks this API can do: "previous_response_id", "tools.web_search".
  std::vector<std::string> native_needs;

  std::deque<std::string> made;  // texts that are not in the client's body; each stays where it is

  std::span<const block> blocks_of(const turn& each) const {
    return std::span(blocks).subspan(each.first_block, each.blocks);
  }
  std::span<const block> parts_of(const block& each) const {
    return std::span(parts).subspan(each.first_part, each.parts);
  }
};

// A request that no provider could take: what is wrong, and where.
struct request_fault {
  std::string param;  // "input[3].content[0].type"
  std::string message;
};

}  // namespace photofinish::proxy
