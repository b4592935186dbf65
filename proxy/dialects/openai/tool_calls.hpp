// Which tool call a delta belongs to, and under which index the client sees it. [pure]
// Providers leave indexes out, give several calls the same one, start again in each chunk, or make up a new
// id for each delta; clients tell calls apart by the index alone.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_inspector.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Follows arguments as they stream, only as far as telling whether their JSON has closed.
class argument_text {
 public:
  void add(std::string_view text);
  bool has_begun() const { return has_begun_; }
  bool is_whole() const { return has_begun_ && depth_ == 0 && !is_in_string_; }

 private:
  bool has_begun_ = false;
  bool is_in_string_ = false;
  bool is_escaped_ = false;
  std::size_t depth_ = 0;
};

// Where one entry goes.
struct call_place {
  std::int64_t index = 0;     // for the client
  bool is_id_sent = false;    // the call has given an id before: another one would only confuse
  bool is_name_sent = false;
  std::size_t call = 0;       // which call it is, in order of appearance
  bool are_arguments_held = false;  // an object, which waits for the end of the choice
};

// Arguments that have waited.
struct held_arguments {
  std::int64_t index = 0;  // of their call, for the client
  std::string text;
};

// The calls of one choice.
class tool_call_book {
 public:
  // None when there are more calls than any honest stream holds.
  std::optional<call_place> place(const tool_call_facts& entry);

  bool empty() const { return calls_.empty(); }

  // The call has an id now that its provider did not give; a later one of the provider's finds the call, and no more.
  void invent_id(std::size_t number) { calls_[number].has_invented_id = true; }

  // Arguments that are an object in the JSON are a snapshot of all of them, and the last one counts: a placeholder, or
  // an object that is sent again, is no fragment. So they wait. They do not count if arguments come as text.
  // True if the object that waits for that call is to be sent where it stands. Then it no longer waits.
  bool release(std::size_t number);
  // Whether the object that waits is this text.
  bool holds(std::size_t number, std::string_view object) const { return calls_[number].object == object; }
  // All objects that wait and count.
  std::vector<held_arguments> take_held();

  std::size_t held_bytes() const { return held_; }

 private:
  struct call {
    std::int64_t index = 0;             // for the client
    std::optional<std::int64_t> given;  // by the provider
    std::string id;
    std::string name;
    argument_text arguments;
    bool has_invented_id = false;
    std::string object;  // that waits; see release()

    bool has_object() const { return !object.empty() && object != "{}"; }
    bool has_begun() const { return arguments.has_begun() || has_object(); }
    bool is_whole() const { return arguments.is_whole() || has_object(); }
  };

  void hold(call& of, std::string object);

  call* find_open(const tool_call_facts& entry);
  call* find_by_id(const tool_call_facts& entry);
  call* find_by_index(const tool_call_facts& entry);
  std::int64_t free_index(std::optional<std::int64_t> requested) const;

  std::vector<call> calls_;
  std::size_t held_ = 0;  // bytes of the objects that wait
};

}  // namespace photofinish::proxy
