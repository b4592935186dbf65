// Finds the tool call to which a delta belongs, and the index of the call for the client. [pure] Providers leave out
// indexes, repeat one index for several calls, count from zero in each chunk, or invent a new id for each delta.
// Clients distinguish calls only by the index.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_inspector.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Reads streamed arguments only to find out whether their JSON is complete.
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

// The call to which one entry of a list of tool calls belongs.
struct call_place {
  std::int64_t index = 0;     // the call's index for the client
  bool is_id_sent = false;    // true if the client already has an id of the call; a second id would confuse clients
  bool is_name_sent = false;
  std::size_t call = 0;       // the call's number, counted in the order in which calls began
  bool are_arguments_held = false;  // true if the arguments are an object, which is sent when the choice ends
};

// Arguments of a call that are sent only when the call's choice ends.
struct held_arguments {
  std::int64_t index = 0;  // the call's index for the client
  std::string text;
};

// The tool calls of one choice.
class tool_call_book {
 public:
  // Finds the call of an entry. Returns nullopt if there are more calls than any honest stream has.
  std::optional<call_place> place(const tool_call_facts& entry);

  bool empty() const { return calls_.empty(); }

  // Records that this gateway has made an id for the call. If the provider sends an id later, the id is
  // used only to find the call.
  void invent_id(std::size_t number) { calls_[number].has_invented_id = true; }

  // Arguments that arrive as a JSON object are complete, and only the last object of a call counts. An object is sent
  // only when its choice ends, because an earlier object may be a placeholder or a repetition. Objects are ignored if
  // the call's arguments also arrive as text. release() returns true if the stored object of a call must be sent now,
  // and then forgets the object.
  bool release(std::size_t number);
  // True if the stored object of the call equals `object`.
  bool holds(std::size_t number, std::string_view object) const { return calls_[number].object == object; }
  // Returns all stored objects that must be sent now, and forgets them.
  std::vector<held_arguments> take_held();

  std::size_t held_bytes() const { return held_; }

 private:
  struct call {
    std::int64_t index = 0;             // the call's index for the client
    std::optional<std::int64_t> given;  // the call's index in the provider's stream
    std::string id;
    std::string name;
    argument_text arguments;
    bool has_invented_id = false;
    std::string object;  // the stored arguments, a JSON object: see release()

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
  std::size_t held_ = 0;  // size in bytes of all stored objects
};

}  // namespace photofinish::proxy
