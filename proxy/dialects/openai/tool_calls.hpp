// Finds the tool call that a delta belongs to, and its index for the client. [pure]
// Providers leave indexes out, repeat one index for several calls, start again in each chunk, or invent a new id for
// each delta. Clients distinguish calls by the index alone.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_inspector.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Follows streamed arguments, only to know whether their JSON is complete.
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

// The place of one entry.
struct call_place {
  std::int64_t index = 0;     // index that the client gets
  bool is_id_sent = false;    // the call has sent an id before; another id would confuse clients
  bool is_name_sent = false;
  std::size_t call = 0;       // number of the call, in order of appearance
  bool are_arguments_held = false;  // an object, which is held until the end of the choice
};

// Arguments that were held.
struct held_arguments {
  std::int64_t index = 0;  // index of their call, as the client gets it
  std::string text;
};

// The calls of one choice.
class tool_call_book {
 public:
  // Returns nothing if there are more calls than any honest stream has.
  std::optional<call_place> place(const tool_call_facts& entry);

  bool empty() const { return calls_.empty(); }

  // Notes that the gateway made up an id for the call. A later id from the provider only finds the call.
  void invent_id(std::size_t number) { calls_[number].has_invented_id = true; }

  // Arguments that are a JSON object are a snapshot, and the last one counts. A placeholder or a repeated object is not
  // a fragment, so objects are held. They do not count if arguments also come as text.
  // Returns true if the held object of that call must be sent at its place. It is then no longer held.
  bool release(std::size_t number);
  // True if the held object is this text.
  bool holds(std::size_t number, std::string_view object) const { return calls_[number].object == object; }
  // Returns all held objects that count.
  std::vector<held_arguments> take_held();

  std::size_t held_bytes() const { return held_; }

 private:
  struct call {
    std::int64_t index = 0;             // index that the client gets
    std::optional<std::int64_t> given;  // index from the provider
    std::string id;
    std::string name;
    argument_text arguments;
    bool has_invented_id = false;
    std::string object;  // the held object; see release()

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
  std::size_t held_ = 0;  // bytes of the held objects
};

}  // namespace photofinish::proxy
