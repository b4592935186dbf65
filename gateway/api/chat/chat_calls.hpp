// Writes an answer's tool calls as chat clients expect them. Tools have the client's names, and calls of custom tools
// have free text. Clients that use `functions`, the older form of `tools`, get a function_call. [pure]
#pragma once

#include "proxy/conversation/tool_names.hpp"
#include "proxy/dialects/openai/tool_calls.hpp"
#include "proxy/dialects/stream_event.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// The facts about a request that determine how its tool calls are written.
struct expected_calls {
  proxy::restored_calls tools = {};
  // True if the client sent `functions`: the first call of each choice is then written as `function_call`.
  bool are_functions = false;
  // True if the provider supports custom tools, and sends the text of their calls directly instead of inside a JSON
  // object.
  bool has_free_text = false;
};

class chat_calls {
 public:
  // A tool call without an id gets an id that begins with `answer_id`. A client could not reply to a call without an
  // id.
  explicit chat_calls(expected_calls expected, std::string answer_id = {})
      : expected_(std::move(expected)), answer_id_(std::move(answer_id)) {}

  // Returns the member of a chunk's delta for a tool call or for its arguments. Returns nothing for the text of a
  // custom tool, because this text is complete only at the end of the call.
  std::optional<std::string> member_for(const proxy::delta& each, const std::string& google_signature);

  // Returns the members of a chunk's delta that contain the buffered texts of a choice. Call this after the choice has
  // ended.
  std::vector<std::string> rest_of(std::int64_t choice);
  // Returns the choices that have buffered texts.
  std::vector<std::int64_t> waiting() const;

  // Returns the chat API's finish_reason for the end of a choice.
  std::string_view finish_word(const proxy::delta& finish) const;

  // The memory in use, in bytes. Each choice and each call costs memory, and a provider may send any number of them.
  std::size_t held_bytes() const { return held_ + functions_.size() * function_bytes; }

 private:
  struct custom_call {
    std::string arguments = {};
    proxy::argument_text progress = {};
    bool is_said = false;
  };
  using place = std::pair<std::int64_t, std::int64_t>;  // the numbers of the choice and of the tool call
  static constexpr std::size_t function_bytes = 64;     // memory in bytes of one entry of functions_

  std::string begin(const proxy::delta& each, const std::string& google_signature);
  std::optional<std::string> arguments_for(const proxy::delta& each);
  bool is_function_call(const proxy::delta& each) const;
  // Returns the position of the tool call in `tool_calls`.
  std::int64_t index_of(const proxy::delta& each) const;
  std::string custom_text(std::int64_t index, std::string_view text) const;

  std::string id_of(const proxy::delta& each) const;

  expected_calls expected_;
  std::string answer_id_;
  // Maps each choice to the number of the tool call that is written as its function_call.
  std::map<std::int64_t, std::int64_t> functions_;
  std::map<place, custom_call> custom_;
  std::size_t held_ = 0;
};

}  // namespace photofinish::gateway
