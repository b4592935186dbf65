// What one stream has said so far, and so what the next chunk needs for a client to understand it. [pure]
// One id, one created time; a role and a finish for each choice; tool calls kept apart; usage at the end.
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

// Of one answer; no honest one has so many.
constexpr std::size_t max_choices = 1024;

class stream_state {
 public:
  explicit stream_state(stream_settings settings);
  // Of an answer in one piece: its calls are as they should be, each an entry of the list.
  stream_state(stream_settings settings, const chunk_form& form);

  const stream_settings& settings() const { return settings_; }  // with what the stream has said of itself since

  enum class disposition { relay, swallow, refuse };

  // One chunk without an error: relay it with the edits of plan(), swallow it, or give the stream up, because
  // no honest one has so many choices or tool calls.
  disposition on_chunk(const chunk_facts& facts, std::string_view json);
  const chunk_plan& plan() const { return plan_; }  // until the next on_chunk
  // The next chunk, if it is this one but for its text, is clean too: on_chunk need not be asked.
  bool is_settled() const { return is_settled_; }

  // At least one choice, and each one has its finish_reason: the answer is whole, said [DONE] or not.
  bool is_finished() const;
  bool has_finish() const;  // of one choice at least

  // What the last on_chunk found: where each of the chunk's tool calls belongs, in the order of chunk_facts::calls, and
  // the choices that it completed, as deltas.
  const std::vector<call_place>& places() const { return places_; }
  const std::vector<delta>& finishes() const { return finishes_; }

  // Arguments that came as objects, of choices that the last on_chunk completed: a chunk to be relayed before that one,
  // and its deltas. Empty if there are none.
  const std::string& held_chunk() const { return held_chunk_; }
  const std::vector<delta>& held_deltas() const { return held_deltas_; }
  std::size_t held_bytes() const;

  // What the client is still owed at the end: a finish for choices that never gave one, and the usage.
  // Empty when nothing is. The first are in finishes(), too.
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
  void write_identity();  // once, when it is first needed: a clean stream needs it never
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
  std::string answer_id_;  // ours, for ids of calls that have none
  bool has_identity_ = false, has_model_ = false;
  bool is_usage_foreign_ = false;  // chunk_facts::is_object_foreign of the chunk that `usage_` keeps
  bool is_settled_ = false;
  std::string id_member_;       // `"id":"..."`, once written
  std::string created_member_;  // `"created":...`, likewise
  std::vector<choice_state> choices_;
  largest_usage usage_;
  std::vector<call_place> places_;
  std::vector<delta> finishes_;
  std::string held_chunk_;
  std::vector<std::pair<std::int64_t, std::string>> held_choices_;  // their indexes, and what they say in that chunk
  std::vector<delta> held_deltas_;
  std::list<std::string> held_texts_;  // that the deltas refer to
  chunk_plan plan_;
  std::vector<std::size_t> calls_in_chunk_;  // which call each entry of one list is
};

}  // namespace photofinish::proxy
