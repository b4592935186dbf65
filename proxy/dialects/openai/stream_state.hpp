// The state of one stream, and the changes that make the next chunk understandable for every client. [pure] The client
// sees one id and one creation time, separate tool calls, and the usage at the end. Each choice has a role and a
// finish_reason.
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

// The maximum number of choices in one answer. No real answer has that many choices.
constexpr std::size_t max_choices = 1024;

class stream_state {
 public:
  explicit stream_state(stream_settings settings);
  // Creates the state for a non-streamed answer, in which each call is complete and has a single entry in the list of
  // calls.
  stream_state(stream_settings settings, const chunk_form& form);

  // Returns the settings of the stream, with the id, time and model that the provider has reported.
  const stream_settings& settings() const { return settings_; }

  enum class disposition { relay, swallow, refuse };

  // Handles a chunk without an error. The result states what the caller must do: send the chunk with the edits of
  // plan(), drop the chunk, or abandon the stream. A stream is abandoned if it has too many choices or tool calls.
  disposition on_chunk(const chunk_facts& facts, std::string_view json);
  const chunk_plan& plan() const { return plan_; }  // the plan is valid until on_chunk() is called again
  // Returns true if the next chunk can be sent without changes and without a call of on_chunk(). The result is valid
  // only for a chunk that differs from the previous chunk in nothing but its text.
  bool is_settled() const { return is_settled_; }

  // True if there is at least one choice and every choice has a finish_reason. The answer is then complete, even
  // without [DONE].
  bool is_finished() const;
  bool has_finish() const;  // true if at least one choice has a finish_reason

  // These functions return results of the last call of on_chunk(). places() contains one element for each tool call, in
  // the order of chunk_facts::calls. finishes() contains one delta for each choice that ended with that chunk.
  const std::vector<call_place>& places() const { return places_; }
  const std::vector<delta>& finishes() const { return finishes_; }

  // Call arguments that arrive as JSON objects are sent only when their choice ends. held_chunk() returns a chunk with
  // these arguments for all choices that end with the current chunk. held_deltas() returns the deltas of this
  // additional chunk. The client gets the additional chunk before the current chunk. Both results are empty if there
  // are no such arguments.
  const std::string& held_chunk() const { return held_chunk_; }
  const std::vector<delta>& held_deltas() const { return held_deltas_; }
  std::size_t held_bytes() const;

  // These functions return chunks that the client still needs at the end of the stream. missing_finishes() returns a
  // chunk with all missing finish reasons, and adds them to finishes(). usage_at_end() returns a chunk with the usage.
  // If nothing is missing, the functions return an empty text.
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
  void write_identity();  // writes id_member_ and created_member_ when they are first needed
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
  std::string answer_id_;  // an id that this gateway made, from which the ids of calls are derived
  bool has_identity_ = false, has_model_ = false;
  // The value of chunk_facts::is_object_foreign for the chunk that contained the stored usage.
  bool is_usage_foreign_ = false;
  bool is_settled_ = false;
  std::string id_member_;       // the JSON member `"id":"..."`; empty until it is first needed
  std::string created_member_;  // the JSON member `"created":...`; empty until it is first needed
  std::vector<choice_state> choices_;
  largest_usage usage_;
  std::vector<call_place> places_;
  std::vector<delta> finishes_;
  std::string held_chunk_;
  // The choices in held_chunk_. Each element contains the index and the content of a choice.
  std::vector<std::pair<std::int64_t, std::string>> held_choices_;
  std::vector<delta> held_deltas_;
  std::list<std::string> held_texts_;  // the texts of the deltas in held_deltas_
  chunk_plan plan_;
  // the call number of each entry in the current chunk's list of calls
  std::vector<std::size_t> calls_in_chunk_;
};

}  // namespace photofinish::proxy
