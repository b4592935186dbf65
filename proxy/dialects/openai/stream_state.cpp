#include "proxy/dialects/openai/stream_state.hpp"

#include "proxy/dialects/repairs/finish_words.hpp"
#include "proxy/dialects/openai/chunks/chunk_writer.hpp"

#include <algorithm>
#include <array>

namespace photofinish::proxy {
namespace {

// The maximum length of an answer's id, in bytes. If later chunks have other ids, the first id replaces them, so a long
// id would multiply the traffic.
constexpr std::size_t max_id_bytes = 256;

constexpr std::array own_words{finish_reason::stop, finish_reason::length, finish_reason::tool_calls,
                               finish_reason::content_filter, finish_reason::function_call};

struct read_finish {
  finish_reason means = finish_reason::stop;
  bool is_foreign = false;  // true if the finish_reason is unknown in OpenAI's API
};

read_finish meaning_of(std::string_view finish) {
  for (const finish_reason own : own_words)
    if (to_string(own) == finish) return {own, false};
  return {foreign_finish(finish), true};
}

// Returns the finish reason as a JSON string.
std::string_view quoted(finish_reason reason) {
  switch (reason) {
    case finish_reason::stop: return R"("stop")";
    case finish_reason::length: return R"("length")";
    case finish_reason::tool_calls: return R"("tool_calls")";
    case finish_reason::content_filter: return R"("content_filter")";
    case finish_reason::function_call: return R"("function_call")";
  }
  return R"("stop")";
}

// True if a choice has content that the client must get only once, such as a role or a call. Repetitions of such
// content must be removed.
bool says_news(const choice_facts& choice) {
  return choice.role == member_state::present || choice.finish == member_state::present || choice.calls > 0;
}

}  // namespace

stream_state::stream_state(stream_settings settings)
    : settings_(std::move(settings)), form_(chunk_form_of(settings_.format)), answer_id_(id_without_prefix()) {
  plan_.form = &form_;
}

stream_state::stream_state(stream_settings settings, const chunk_form& form)
    : settings_(std::move(settings)), form_(form), answer_id_(id_without_prefix()) {
  plan_.form = &form_;
}

std::string stream_state::id_without_prefix() const {
  const std::string_view id = settings_.id;
  return std::string(id.starts_with(form_.id_prefix) ? id.substr(form_.id_prefix.size()) : id);
}

stream_state::disposition stream_state::on_chunk(const chunk_facts& facts, std::string_view json) {
  plan_.clear();
  is_settled_ = false;
  places_.clear();
  finishes_.clear();
  if (!held_texts_.empty()) clear_held();
  if (settings_.usage != usage_chunk::unwanted && facts.usage && usage_.keep(facts, json))
    is_usage_foreign_ = facts.is_object_foreign;
  if (!facts.has_choices || is_usage_only(facts)) return disposition::swallow;
  learn_identity(facts);
  plan_identity(facts);
  if (facts.has_usage && settings_.usage != usage_chunk::wanted_always)
    plan_.is_usage_taken = true, plan_.is_clean = false;
  if (facts.is_object_foreign) plan_.object = form_.object_member, plan_.is_clean = false;
  std::int64_t position = 0;
  for (const choice_facts& choice : facts.choices)
    if (!plan_choice(choice, position++, facts)) return disposition::refuse;
  if (!held_choices_.empty()) {
    chunk_writer writer(form_, identity());
    for (const auto& [index, said] : held_choices_) writer.add_choice(std::to_string(index), said, "null");
    held_chunk_ = writer.chunk();
  }
  is_settled_ = plan_.is_clean && std::none_of(facts.choices.begin(), facts.choices.end(), says_news);
  return disposition::relay;
}

void stream_state::learn_identity(const chunk_facts& facts) {
  if (!has_model_ && !facts.model.empty()) settings_.model = facts.model, has_model_ = true;
  if (has_identity_) return;
  has_identity_ = true;
  if (!facts.id.empty() && facts.id.size() <= max_id_bytes) settings_.id = facts.id;
  if (facts.created) settings_.created = *facts.created;
}

void stream_state::write_identity() {
  if (!id_member_.empty()) return;
  id_member_ = "\"id\":" + json_quote(settings_.id);
  created_member_ = "\"created\":" + std::to_string(settings_.created);
}

void stream_state::plan_identity(const chunk_facts& facts) {
  if (facts.id == settings_.id && facts.created == settings_.created) return;
  write_identity();
  if (facts.id != settings_.id) plan_.id = id_member_, plan_.is_clean = false;
  if (facts.created != settings_.created) plan_.created = created_member_, plan_.is_clean = false;
}

bool stream_state::plan_choice(const choice_facts& facts, std::int64_t position, const chunk_facts& chunk) {
  choice_state* choice = choice_of(facts.index.value_or(position));
  if (choice == nullptr) return false;
  choice_plan plan;
  if (!facts.index) plan.index = position;
  plan.is_message = facts.is_message;
  plan.is_delta_missing = facts.delta != member_state::present;
  if (!form_.has_roles) {
    // Only chunks of the chat API contain roles. Chunks of the older completions API contain none.
  } else if (!choice->has_role) {
    choice->has_role = true;
    if (facts.role_text != "assistant") plan.role = role_change::set;
  } else if (facts.role == member_state::present) {
    plan.role = role_change::remove;
  }
  const bool is_ending = facts.finish == member_state::present && !facts.finish_text.empty();
  if (facts.finish == member_state::present) plan.finish = plan_finish(facts.finish_text, *choice);
  if (plan.index || plan.is_message || plan.is_delta_missing || plan.role != role_change::keep || !plan.finish.empty())
    plan_.is_clean = false;
  const bool has_calls = facts.calls > 0 && !form_.is_whole;
  plan.first_call = plan_.calls.size();
  plan.calls = has_calls ? facts.calls : 0;
  plan_.choices.push_back(plan);
  if (has_calls && !plan_calls(facts, *choice, chunk, is_ending)) return false;
  if (!is_ending) return true;
  if (std::string said = take_held(*choice, held_deltas_); !said.empty())
    held_choices_.emplace_back(choice->index, std::move(said));
  return true;
}

void stream_state::clear_held() {
  held_chunk_.clear();
  held_choices_.clear();
  held_deltas_.clear();
  held_texts_.clear();
}

// Returns the JSON of a delta with the stored arguments, which the client has not received yet. Returns an empty text
// if there are none.
std::string stream_state::take_held(choice_state& choice, std::vector<delta>& deltas) {
  if (choice.calls.held_bytes() == 0) return {};
  std::string calls;
  for (held_arguments& each : choice.calls.take_held()) {
    calls.append(calls.empty() ? "" : ",").append(R"({"index":)").append(std::to_string(each.index));
    calls.append(R"(,"function":{"arguments":)").append(json_quote(each.text)).append("}}");
    deltas.push_back({.kind = delta_kind::call_arguments,
                      .choice = choice.index,
                      .part = each.index,
                      .text = held_texts_.emplace_back(std::move(each.text))});
  }
  return calls.empty() ? calls : R"({"tool_calls":[)" + calls + "]}";
}

std::size_t stream_state::held_bytes() const {
  std::size_t bytes = 0;
  for (const choice_state& each : choices_) bytes += each.calls.held_bytes();
  return bytes;
}

// Returns the JSON that must replace the provider's finish_reason. Returns an empty text if the finish_reason may stay
// unchanged.
std::string_view stream_state::plan_finish(std::string_view word, choice_state& choice) {
  if (choice.is_finished || word.empty()) return "null";
  choice.is_finished = true;
  const read_finish finish = meaning_of(word);
  finishes_.push_back({.kind = delta_kind::finish,
                       .reason = finish.means,
                       .is_foreign = finish.is_foreign,
                       .choice = choice.index,
                       .text = word});
  return finish.is_foreign ? quoted(finish.means) : std::string_view{};
}

bool stream_state::plan_calls(const choice_facts& facts, choice_state& choice, const chunk_facts& chunk,
                              bool is_ending) {
  calls_in_chunk_.clear();
  for (std::size_t at = 0; at < facts.calls; ++at) {
    const tool_call_facts& entry = chunk.calls[facts.first_call + at];
    const auto place = choice.calls.place(entry);
    if (!place) return false;
    places_.push_back(*place);
    call_plan plan;
    if (entry.index != place->index) plan.index = place->index;
    if (!place->is_id_sent && entry.id.empty() && settings_.is_passed()) {
      plan.id = R"("id":)" + json_quote(call_id_of(choice, *place));
      choice.calls.invent_id(place->call);
    }
    plan.is_id_removed = place->is_id_sent && !entry.id.empty();
    // If an entry contains a new id, the name of its call is also sent. Some calls have the same id and differ only in
    // their names.
    const bool is_id_new = !place->is_id_sent && !entry.id.empty();
    plan.is_name_removed = place->is_name_sent && !entry.name.empty() && !is_id_new;
    // Entries for the same call are merged, because some clients count each entry as a call.
    const auto earlier = std::find(calls_in_chunk_.begin(), calls_in_chunk_.end(), place->call);
    const bool says_new = is_id_new || (!entry.name.empty() && !place->is_name_sent);
    if (earlier != calls_in_chunk_.end() && !says_new && !entry.is_custom)
      plan.merged_into = static_cast<std::size_t>(earlier - calls_in_chunk_.begin());
    calls_in_chunk_.push_back(place->call);
    plan.are_texts_quoted = entry.has_other_types;
    plan.are_arguments_held = place->are_arguments_held;
    if (plan.index || !plan.id.empty() || plan.is_id_removed || plan.is_name_removed || plan.merged_into ||
        plan.are_texts_quoted)
      plan_.is_clean = false;
    plan_.calls.push_back(plan);
  }
  if (is_ending && choice.calls.held_bytes() > 0) release_objects(facts, choice, chunk);
  return true;
}

std::string stream_state::call_id_of(const choice_state& choice, const call_place& place) const {
  std::string id = "call_" + answer_id_ + "_";
  if (choice.index != 0) id += std::to_string(choice.index) + "_";
  return id + std::to_string(place.index);
}

// Sends the stored arguments of calls in the current chunk. This is done only for arguments that are JSON objects, and
// only in the last chunk of the choice.
void stream_state::release_objects(const choice_facts& facts, choice_state& choice, const chunk_facts& chunk) {
  const std::size_t first_place = places_.size() - facts.calls, first_plan = plan_.calls.size() - facts.calls;
  for (std::size_t at = facts.calls; at-- > 0;) {
    call_place& place = places_[first_place + at];
    const tool_call_facts& entry = chunk.calls[facts.first_call + at];
    if (!entry.are_arguments_object || !choice.calls.holds(place.call, entry.arguments)) continue;
    if (!choice.calls.release(place.call)) continue;
    place.are_arguments_held = plan_.calls[first_plan + at].are_arguments_held = false;
  }
}

stream_state::choice_state* stream_state::choice_of(std::int64_t index) {
  for (choice_state& choice : choices_)
    if (choice.index == index) return &choice;
  if (choices_.size() == max_choices) return nullptr;
  choice_state& added = choices_.emplace_back();
  added.index = index;
  return &added;
}

bool stream_state::is_finished() const {
  return !choices_.empty() && std::all_of(choices_.begin(), choices_.end(),
                                          [](const choice_state& choice) { return choice.is_finished; });
}

bool stream_state::has_finish() const {
  return std::any_of(choices_.begin(), choices_.end(), [](const choice_state& choice) { return choice.is_finished; });
}

std::string stream_state::missing_finishes() {
  finishes_.clear();
  if (choices_.empty() || is_finished()) return {};
  clear_held();
  chunk_writer writer(form_, identity());
  for (choice_state& choice : choices_) {
    if (choice.is_finished) continue;
    const std::string said = take_held(choice, finishes_);
    const finish_reason reason = choice.calls.empty() ? finish_reason::stop : finish_reason::tool_calls;
    finishes_.push_back({.kind = delta_kind::finish, .reason = reason, .choice = choice.index});
    writer.add_choice(std::to_string(choice.index), said.empty() ? form_.nothing : said, quoted(reason));
  }
  return std::string(writer.chunk());
}

// Returns the usage chunk for the end of the stream. If the provider sent a usage chunk, that chunk is reused, because
// it may contain more than the usage.
std::string stream_state::usage_at_end() {
  if (usage_.empty()) return {};
  if (usage_.chunk().empty()) return std::string(chunk_writer(form_, identity()).usage_chunk(usage_.json()));
  chunk_plan plan;
  plan.is_clean = false;
  write_identity();
  plan.id = id_member_;
  plan.created = created_member_;
  if (is_usage_foreign_) plan.object = form_.object_member;
  json_edits edits(usage_.chunk());
  add_chunk_edits(plan, usage_.chunk(), edits);
  return edits.text();
}

// Returns the JSON members at the beginning of each chunk that this gateway creates.
std::string stream_state::identity() {
  write_identity();
  std::string members = id_member_;
  members.append(",").append(form_.object_member).append(",").append(created_member_);
  return members.append(",\"model\":").append(json_quote(settings_.model));
}

}  // namespace photofinish::proxy
