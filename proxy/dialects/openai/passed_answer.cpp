#include "proxy/dialects/openai/passed_answer.hpp"

#include "proxy/dialects/openai/chunks/chunk_edits.hpp"
#include "proxy/json/json_edits.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

// Returns stream settings that keep the usage in the chunk in which it arrived. By default, the usage moves to the end
// of the stream.
stream_settings with_usage(stream_settings settings) {
  settings.usage = usage_chunk::wanted_always;
  return settings;
}

// True if no choice occurs twice. In a stream, a repeated choice continues the earlier one. In a non-streamed answer,
// the repetition would be lost.
bool are_distinct(const std::vector<choice_facts>& choices) {
  std::vector<std::int64_t> indexes;
  std::int64_t position = 0;
  for (const choice_facts& each : choices) {
    indexes.push_back(each.index.value_or(position));
    ++position;
  }
  std::sort(indexes.begin(), indexes.end());
  return std::adjacent_find(indexes.begin(), indexes.end()) == indexes.end();
}

std::string edited(std::string_view json, const chunk_plan& plan) {
  json_edits edits(json);
  add_chunk_edits(plan, json, edits);
  return edits.text();
}

}  // namespace

passed_answer::passed_answer(stream_settings settings)
    : form_(whole_form_of(settings.format)),
      inspector_(settings.parser, form_),
      state_(with_usage(std::move(settings)), form_) {}

bool passed_answer::take(std::string& body) {
  body.reserve(body.size() + readable_behind);
  if (!inspector_.inspect(body) || !is_complete()) return false;
  const chunk_facts& facts = inspector_.facts();
  if (state_.on_chunk(facts, body) != stream_state::disposition::relay) return false;
  std::vector<delta> deltas = facts.deltas;
  deltas.insert(deltas.end(), state_.finishes().begin(), state_.finishes().end());
  stream_event said{.kind = facts.kind, .spoken = form_.format, .deltas = deltas};
  said.is_whole = true;
  if (facts.usage) said.usage = &*facts.usage;
  const chunk_plan& plan = state_.plan();
  if (plan.is_clean) kept_.emplace(said, std::move(body));
  else kept_.emplace(said, edited(body, plan));
  return true;
}

bool passed_answer::is_complete() const {
  const chunk_facts& facts = inspector_.facts();
  const auto has_ended = [](const choice_facts& choice) {
    return choice.delta == member_state::present && !choice.finish_text.empty();
  };
  // Some answers need more than a few edits: answers with calls without an id, with texts that are not strings, or with
  // counts that are strings. Such answers are first converted to chunks.
  const bool has_odd_calls = std::any_of(facts.calls.begin(), facts.calls.end(), [](const tool_call_facts& each) {
    return each.has_other_types || each.id.empty();
  });
  return !facts.is_error && !facts.choices.empty() && !has_odd_calls && !facts.has_text_counts &&
         std::all_of(facts.choices.begin(), facts.choices.end(), has_ended) && are_distinct(facts.choices);
}

stream_event passed_answer::event(instant read_at) {
  kept_->set_read_at(read_at);
  return kept_->view();
}

}  // namespace photofinish::proxy
