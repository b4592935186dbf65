// The state of one stream, and the changes that the next chunk needs so that a client understands it. [pure] For the
// client, the stream has one id and one creation time, a role and a finish_reason for each choice, separate tool calls,
// and the usage at the end.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_edits.hpp"
#include "proxy/dialects/openai/chunks/chunk_inspector.hpp"
#include "proxy/dialects/openai/largest_usage.hpp"
#include "proxy/dialects/openai/tool_calls.hpp"
#include "proxy/dialects/stream_settings.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

// The limit of choices in one answer, which no honest answer reaches.
constexpr std::size_t max_choices = 1024;

class stream_state {
 public:
  explicit stream_state(stream_settings settings);
  // Creates the state for a whole answer. Each call in a whole answer is complete and is one
  // entry of the list of calls.
  stream_state(stream_settings settings, const chunk_form& form);

  // Returns the settings of the stream, with the id, time and model that the provider has reported.
  const stream_settings& settings() const { return settings_; }

  enum class disposition { relay, swallow, refuse };

  // Handles a chunk without an error. As the result says, the caller must send the chunk with the edits of plan(), drop
  // the chunk, or abandon the stream. A stream is abandoned if it has too many choices or tool calls.
  disposition on_chunk(const chunk_facts& facts, std::string_view json);
  const chunk_plan& plan() const { return plan_; }  // the plan is valid until the next on_chunk()
  // Returns true if the next chunk needs no changes, provided that only its text differs from the last chunk's text.
  // on_chunk() need not be called for such a chunk.
  bool is_settled() const { return is_settled_; }

  // True if there is at least one choice and each choice has its finish_reason. The answer is then
  // complete, even without [DONE].
  bool is_finished() const;
  bool has_finish() const;  // true if at least one choice has a finish_reason

  // Results of the last on_chunk(). places() contains one element for each tool call, in the order of
  // chunk_facts::calls. finishes() contains one delta for each choice that ended with the chunk.
  const std::vector<call_place>& places() const { return places_; }
  const std::vector<delta>& finishes() const { return finishes_; }

  // Arguments that arrive as objects are sent only when their choice ends. For the choices that ended with the last
  // on_chunk(), held_chunk() returns a chunk with these arguments, and held_deltas() returns the chunk's deltas. The
  // client gets this chunk before the current chunk. Both results are empty if there are no such arguments.
  const std::string& held_chunk() const { return held_chunk_; }
  const std::vector<delta>& held_deltas() const { return held_deltas_; }
  std::size_t held_bytes() const;

  // These functions return chunks that the client still needs at the end of the stream: a finish_reason for each choice
  // without one, and the usage. If nothing is missing, they return an empty text. After missing_finishes(), the added
  // finish_reason of each choice is also in finishes().
  std::string missing_finishes();
  std::string usage_at_end();

 private:
  struct choice_state {
    std::int64_t index = 0;
    bool has_role = false;
    bool is_finished = false;
    tool_call_book calls;
  };

  std::string id_without_prefix() const;
  void learn_identity(const chunk_facts& facts);
  void write_identity();  // writes id_member_ and created_member_ when a chunk first needs them
  void plan_identity(const chunk_facts& facts);
  std::string_view plan_finish(std::string_view word, choice_state& choice);
  bool plan_choice(const choice_facts& facts, std::int64_t position, const chunk_facts& chunk);
  bool plan_calls(const choice_facts& facts, choice_state& choice, const chunk_facts& chunk, bool is_ending);
  void release_objects(const choice_facts& facts, choice_state& choice, const chunk_facts& chunk);
  void clear_held();
  std::string take_held(choice_state& choice, std::vector<delta>& deltas);
  std::string call_id_of(const choice_state& choice, const call_place& place) const;
  choice_state* choice_of(std::int64_t index);
  std::string identity();

  stream_settings settings_;
  const chunk_form& form_;
  std::string answer_id_;  // an id that this gateway made, from which ids of calls are derived
  bool has_identity_ = false, has_model_ = false;
  bool is_usage_foreign_ = false;  // chunk_facts::is_object_foreign of the chunk with the stored usage
  bool is_settled_ = false;
  std::string id_member_;       // the member `"id":"..."`; empty until it is written
  std::string created_member_;  // the member `"created":...`; empty until it is written
  std::vector<choice_state> choices_;
  largest_usage usage_;
  std::vector<call_place> places_;
  std::vector<delta> finishes_;
  std::string held_chunk_;
  // The choices in held_chunk_: the index of each choice, and its content.
  std::vector<std::pair<std::int64_t, std::string>> held_choices_;
  std::vector<delta> held_deltas_;
  std::list<std::string> held_texts_;  // texts of the deltas for held_chunk_
  chunk_plan plan_;
  std::vector<std::size_t> calls_in_chunk_;  // the call's number for each entry of the current list of calls
};

}  // namespace photofinish::proxy
