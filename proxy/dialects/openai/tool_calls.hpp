// Finds the tool call to which a delta belongs, and the call's index for the client. [pure] Providers omit indexes, use
// one index for several calls, count from zero in each chunk, or invent a new id for each delta. Clients distinguish
// calls only by the index.
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

// The tool call to which one entry of a list of tool calls belongs.
struct call_place {
  std::int64_t index = 0;     // the index of the call in the stream that the client gets
  bool is_id_sent = false;    // true if the client already has an id of this call; a second id would confuse clients
  bool is_name_sent = false;
  std::size_t call = 0;       // the number of the call, in the order in which the calls began
  bool are_arguments_held = false;  // true if the arguments are a JSON object, which is sent only when the choice ends
};

// The arguments of a call that are sent only when the call's choice ends.
struct held_arguments {
  std::int64_t index = 0;  // the index of the call in the stream that the client gets
  std::string text;
};

// The tool calls of one choice.
class tool_call_book {
 public:
  // Finds the call to which an entry belongs. Returns nullopt if there are more calls than any real stream contains.
  std::optional<call_place> place(const tool_call_facts& entry);

  bool empty() const { return calls_.empty(); }

  // Records that this gateway has made an id for the call. If the provider sends an id later, the gateway uses that id
  // only to find the call.
  void invent_id(std::size_t number) { calls_[number].has_invented_id = true; }

  // Forgets the stored arguments object of a call. Returns true if the object must be sent now. Each object contains
  // all arguments of the call, and a later object of the same call replaces it. Objects may be placeholders or
  // repetitions, so they are sent only when the choice ends. If the arguments also arrive as text, the objects are
  // ignored.
  bool release(std::size_t number);
  // True if the stored arguments object of the call equals `object`.
  bool holds(std::size_t number, std::string_view object) const { return calls_[number].object == object; }
  // Forgets the stored arguments objects of all calls. Returns the objects that must be sent now.
  std::vector<held_arguments> take_held();

  std::size_t held_bytes() const { return held_; }

 private:
  struct call {
    std::int64_t index = 0;             // the index of the call in the stream that the client gets
    std::optional<std::int64_t> given;  // the index of the call in the provider's stream
    std::string id;
    std::string name;
    argument_text arguments;
    bool has_invented_id = false;
    std::string object;  // the arguments as a JSON object, stored until the choice ends (see release())

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
  std::size_t held_ = 0;  // the total size of all stored arguments objects, in bytes
};

}  // namespace photofinish::proxy
