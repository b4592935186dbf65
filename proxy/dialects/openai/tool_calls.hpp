// Finds the tool call that a delta belongs to, and its index for the client. [pure] Providers leave indexes out, repeat
// one index for several calls, count from zero in each chunk, or invent a new id for each delta. Clients distinguish
// calls by the index alone.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_inspector.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Reads streamed arguments only to know whether their JSON is complete.
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

// The place of one entry of a list of tool calls.
struct call_place {
  std::int64_t index = 0;     // index of the call, as the client gets it
  bool is_id_sent = false;    // the call has already sent an id, and another id would confuse clients
  bool is_name_sent = false;
  std::size_t call = 0;       // number of the call, in order of appearance
  bool are_arguments_held = false;  // the arguments are an object, which is held until the end of the choice
};

// Arguments of a call that were held.
struct held_arguments {
  std::int64_t index = 0;  // index of the call, as the client gets it
  std::string text;
};

// The tool calls of one choice.
class tool_call_book {
 public:
  // Returns the place of an entry, or nullopt if there are more calls than any honest stream has.
  std::optional<call_place> place(const tool_call_facts& entry);

  bool empty() const { return calls_.empty(); }

  // Notes that the gateway made an id for the call. A later id from the provider is used only to find the call.
  void invent_id(std::size_t number) { calls_[number].has_invented_id = true; }

  // Arguments that are a JSON object are a snapshot, and the last snapshot counts. Objects are held, because a
  // placeholder or a repeated object is not a fragment. They do not count if arguments also come as text. Returns true
  // if the held object of that call must be sent at its place, and then no longer holds it.
  bool release(std::size_t number);
  // True if the held object of the call is equal to `object`.
  bool holds(std::size_t number, std::string_view object) const { return calls_[number].object == object; }
  // Returns all held objects that count, and no longer holds any.
  std::vector<held_arguments> take_held();

  std::size_t held_bytes() const { return held_; }

 private:
  struct call {
    std::int64_t index = 0;             // index of the call, as the client gets it
    std::optional<std::int64_t> given;  // index of the call, as the provider gave it
    std::string id;
    std::string name;
    argument_text arguments;
    bool has_invented_id = false;
    std::string object;  // the held arguments, a JSON object: see release()

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
  std::size_t held_ = 0;  // bytes of all held arguments
};

}  // namespace photofinish::proxy
