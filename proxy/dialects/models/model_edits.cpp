#include "proxy/dialects/models/model_edits.hpp"

#include "proxy/dialects/models/model_demands.hpp"
#include "proxy/json/values/inline_refs.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"
#include "proxy/json/values/short_id.hpp"
#include "proxy/providers/parameters.hpp"
#include "proxy/words/contains.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace photofinish::proxy {
namespace {

constexpr std::array<std::string_view, 7> effort_order{"none", "minimal", "low", "medium", "high", "xhigh", "max"};

constexpr std::string_view thinking_disabled = R"({"type":"disabled"})";

std::string word_at(std::string_view object, std::string_view key) {
  const auto value = json_find(object, key);
  return value && json_is_string(*value) ? json_unescape(json_raw_string(*value)) : std::string();
}

// True if the model has rules that can be applied only after the whole request was read.
bool has_rules(const openai_facts& model) {
  return model.thinking.efforts.are_known || model.thinking.is_always_on ||
         model.thinking.off != off_switch::effort_none || model.tools.forced == forced_calls::unthinking ||
         model.tools.chooses_auto || model.tools.wants_stream || model.thinking.is_adaptive;
}

bool is_more_than(std::string_view json, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(json.data(), json.data() + json.size(), number);
  return read.ec == std::errc::result_out_of_range || (read.ec == std::errc{} && number > most);
}

}  // namespace

model_edits::model_edits(const edited_request& of) : of_(of), model_(of.model) {
  if (has_rules(model_)) asked_ = read_asked_reasoning(of.body, of.format);
  const bool is_said_off = word_at(of.body.value_of("thinking"), "type") == "disabled";
  has_no_thinking_ = asked_.effort == "none" || (is_chat() && is_said_off);
  must_be_off_ = model_.tools.forced == forced_calls::unthinking && asked_.forces_a_call;
  turns_off_ = model_.thinking.off == off_switch::thinking && !model_.thinking.is_always_on &&
               (has_no_thinking_ || must_be_off_);
}

bool model_edits::edit(const json_member& member, std::string_view key) {
  if (model_.max_output > 0) edit_length(member);
  if (key == "tools" && model_.wants_inline_refs) edit_tools(member.value);
  if (is_chat()) return edit_chat(member, key);
  return key == "reasoning" && of_.format == wire_format::openai_responses && edit_reasoning(member);
}

bool model_edits::edit_chat(const json_member& member, std::string_view key) {
  if (key == "messages" && model_.wants_short_ids) edit_ids(member.value);
  if (key == "reasoning_effort") return edit_effort(member);
  if (key == "thinking") return edit_thinking(member);
  return model_.tools.chooses_auto && leave_out_tools(member, key);
}

// Removes the tools if the request forbids calls and the model does not accept `tool_choice: none`.
bool model_edits::leave_out_tools(const json_member& member, std::string_view key) {
  const bool is_of_tools = key == "tools" || key == "tool_choice" || key == "parallel_tool_calls";
  if (!is_of_tools || of_.body.value_of("tool_choice") != R"("none")") return false;
  of_.edits.remove_member(member);
  return true;
}

bool model_edits::edit_effort(const json_member& member) {
  if (!json_is_string(member.value)) return false;
  const std::string effort = json_unescape(json_raw_string(member.value));
  if (turns_off_) {
    of_.edits.remove_member(member);
    if (effort != "none") note("reasoning_effort");
    return true;
  }
  const std::string taken = fit(effort);
  if (taken == effort) return false;
  note("reasoning_effort");
  if (taken.empty()) of_.edits.remove_member(member);
  else of_.edits.replace(member.value, json_quote(taken));
  return true;
}

bool model_edits::edit_thinking(const json_member& member) {
  const std::string type = word_at(member.value, "type");
  if (turns_off_) return of_.edits.replace(member.value, thinking_disabled), true;
  if (type == "disabled" && model_.thinking.is_always_on)
    return of_.edits.remove_member(member), note("thinking"), true;
  if (type == "disabled" && of_.is_translated) return say_none(member), true;
  if (type == "enabled" && model_.thinking.is_adaptive) of_.edits.replace(member.value, R"({"type":"adaptive"})");
  return false;
}

// Turns thinking off in a translated request. The translation turns thinking off with the member `thinking`. Most
// models need another member instead, or cannot turn thinking off.
void model_edits::say_none(const json_member& thinking) {
  of_.edits.remove_member(thinking);
  const std::string taken = model_.thinking.efforts.are_known ? fit("none") : std::string();
  const bool never_thinks =
      model_.thinking.efforts.are_known && model_.thinking.efforts.words.empty() && !model_.thinking.is_possible;
  const bool is_honoured = taken == "none" || never_thinks || model_.thinking.off == off_switch::enable_thinking;
  // `thinking` is also recorded as dropped if the model is unknown, because an unknown model may think.
  if (!is_honoured) note("thinking");
  if (!taken.empty()) add("reasoning_effort", json_quote(taken));
}

bool model_edits::edit_reasoning(const json_member& member) {
  const auto effort = json_find(member.value, "effort");
  if (must_be_off_) return of_.edits.replace(member.value, R"({"effort":"none"})"), true;
  if (!effort || !json_is_string(*effort)) return false;
  const std::string word = json_unescape(json_raw_string(*effort));
  if (word == "none" && model_.thinking.off != off_switch::effort_none) return false;
  if (word == "none" && of_.is_translated && !model_.thinking.efforts.are_known) {
    if (model_.thinking.is_possible || model_.thinking.is_always_on) note("reasoning.effort");
    return of_.edits.remove_member(member), true;
  }
  const std::string taken = fit(word);
  if (taken == word) return false;
  note("reasoning.effort");
  if (!taken.empty()) return of_.edits.replace(*effort, json_quote(taken)), false;
  json_walk walk(member.value);
  while (const auto each = walk.next_member())
    if (json_key_is(each->raw_key, "effort")) of_.edits.remove_member(*each);
  return false;
}

bool model_edits::takes(std::string_view effort) const {
  const bool is_refused = effort == "max" && is_chat() && !model_.thinking.max_on_chat;
  return !is_refused && contains(model_.thinking.efforts.words, effort);
}

// Returns the effort that is sent to the model. Returns an empty string if the model accepts no effort.
std::string model_edits::fit(const std::string& effort) const {
  if (!model_.thinking.efforts.are_known) {
    if (effort == "none" && model_.thinking.is_always_on) return {};
    // A translated request may contain the effort "max", but few models accept it.
    return effort == "max" && of_.is_translated ? "xhigh" : effort;
  }
  if (model_.thinking.efforts.words.empty()) return {};
  return takes(effort) ? effort : nearest(effort);
}

// Returns the effort under the name that the model uses. If the model does not accept this effort, returns the closest
// lower effort except `none`. If there is none, returns the closest higher effort.
std::string model_edits::nearest(const std::string& effort) const {
  const auto same = model_.thinking.effort_as.find(effort);
  if (same != model_.thinking.effort_as.end() && takes(same->second)) return same->second;
  const auto asked = std::find(effort_order.begin(), effort_order.end(), effort);
  if (asked == effort_order.end()) return effort;
  for (auto lower = asked; lower != effort_order.begin(); --lower) {
    const std::string_view word = *std::prev(lower);
    if (word != "none" && takes(word)) return std::string(word);
  }
  const auto higher = std::find_if(asked, effort_order.end(), [this](std::string_view word) { return takes(word); });
  return higher == effort_order.end() ? std::string() : std::string(*higher);
}

void model_edits::edit_length(const json_member& member) {
  constexpr std::array<std::string_view, 3> names{"max_tokens", "max_completion_tokens", "max_output_tokens"};
  const auto is_it = [&member](std::string_view name) { return json_key_is(member.raw_key, name); };
  if (std::none_of(names.begin(), names.end(), is_it) || !is_more_than(member.value, model_.max_output)) return;
  const auto there = [this](std::string_view name) { return of_.body.members().find(name) != nullptr; };
  // If a request contains both max_tokens and max_completion_tokens, this function changes neither of them. Another
  // edit removes one of them.
  if (there(names[0]) && there(names[1])) return;
  note(member.raw_key);
  of_.edits.replace(member.value, std::to_string(model_.max_output));
}

void model_edits::edit_tools(std::string_view list) {
  std::size_t bytes_left = inlinable_bytes(list);
  json_walk walk(json_is_array(list) ? list : std::string_view("[]"));
  while (const auto each = walk.next_element()) {
    const std::string_view function = is_chat() ? json_find(*each, "function").value_or("") : *each;
    const auto parameters = json_find(function, "parameters");
    const auto inlined = parameters ? inline_refs(*parameters, bytes_left) : std::nullopt;
    if (inlined) of_.edits.replace(*parameters, *inlined);
  }
}

// Shortens the ids of calls. A call and its result have the same id, so they also get the same short id.
void model_edits::edit_ids(std::string_view messages) {
  const auto shorten = [this](std::string_view object, std::string_view key) {
    const auto id = json_find(object, key);
    if (!id || !json_is_string(*id) || is_short_id(json_raw_string(*id))) return;
    of_.edits.replace(*id, json_quote(short_id(json_raw_string(*id))));
  };
  json_walk walk(json_is_array(messages) ? messages : std::string_view("[]"));
  while (const auto message = walk.next_element()) {
    shorten(*message, "tool_call_id");
    const std::string_view calls = json_find(*message, "tool_calls").value_or("[]");
    json_walk each_call(json_is_array(calls) ? calls : std::string_view("[]"));
    while (const auto call = each_call.next_element()) shorten(*call, "id");
  }
}

void model_edits::finish() {
  if (!is_chat()) {
    if (must_be_off_ && of_.format == wire_format::openai_responses) add("reasoning", R"({"effort":"none"})");
    return;
  }
  if (turns_off_) add("thinking", thinking_disabled);
  if (has_no_thinking_ && model_.thinking.off == off_switch::enable_thinking) add("enable_thinking", "false");
  const bool is_least = has_no_thinking_ && model_.thinking.is_always_on && model_.thinking.efforts.are_known;
  if (is_least && !model_.thinking.efforts.words.empty())
    add("reasoning_effort", json_quote(model_.thinking.efforts.words.front()));
  const bool has_tools = is_meaningful("tools", of_.body.value_of("tools"));
  if (model_.tools.wants_stream && of_.is_streamed && has_tools) add("tool_stream", "true");
}

void model_edits::add(std::string_view key, std::string_view value) {
  if (of_.body.members().find(key) != nullptr) return;
  of_.edits.insert_member(of_.body.json(), json_quote(key).append(":").append(value));
}

void model_edits::note(std::string_view name) {
  if (!contains(of_.dropped, name)) of_.dropped.emplace_back(name);
}

namespace {

bool has_too_many_stops(const openai_facts& model, std::string_view stop) {
  if (model.most_stops == 0 || stop.empty()) return false;
  const auto is_long = [&model](std::string_view each) {
    return json_is_string(each) && json_unescape(json_raw_string(each)).size() > model.longest_stop;
  };
  if (!json_is_array(stop)) return is_long(stop);
  std::size_t count = 0;
  json_walk walk(stop);
  while (const auto each = walk.next_element())
    if (is_long(*each) || ++count > model.most_stops) return true;
  return false;
}

std::string_view first_meaningful(const std::vector<std::string>& names, const client_body& body) {
  for (const std::string& each : names)
    if (is_meaningful(each, body.value_of(each))) return each;
  return {};
}

// True if a Responses request asks for log probabilities in `include`, and the model refuses them. Such a model also
// refuses the parameter `top_logprobs`.
bool asks_for_refused_logprobs(const openai_facts& model, const client_body& body) {
  const bool is_asked =
      body.value_of("include").find(R"("message.output_text.logprobs")") != std::string_view::npos;
  return is_asked && contains(model.params.reject, "top_logprobs");
}

}  // namespace

std::string_view refused_by_model(const openai_facts& model, const client_body& body, wire_format format,
                                  const provider& target) {
  const bool is_chat = format == wire_format::openai_chat;
  if (model.match.empty() || (!is_chat && format != wire_format::openai_responses)) return {};
  if (refuses_parameters(model, body, format)) {
    if (const std::string_view name = first_meaningful(model.params.reject, body); !name.empty()) return name;
    if (!is_chat && asks_for_refused_logprobs(model, body)) return "include";
  }
  if (const std::string_view name = first_meaningful(model.params.never_reject, body); !name.empty()) return name;
  const bool may_drop_choice = contains(target.behaves.drop_params, "tool_choice");
  const bool may_refuse_calls = model.tools.forced == forced_calls::refused || model.tools.chooses_auto ||
                                (model.tools.forced == forced_calls::chat && !is_chat);
  if (may_refuse_calls && !may_drop_choice && read_asked_reasoning(body, format).forces_a_call) return "tool_choice";
  if (!is_chat) return {};
  if (has_too_many_stops(model, body.value_of("stop"))) return "stop";
  const std::string_view refused = refused_on_chat(model, read_asked_reasoning(body, format), target);
  // If the model refuses an effort, the request is not rejected, because the gateway can change the effort. If the
  // model refuses tools, the request is rejected only at providers that are known to refuse tools.
  if (refused == "response_format") return refused;
  return refused == "tools" && serving_place_of(target) != serving_place::elsewhere ? refused : std::string_view{};
}

}  // namespace photofinish::proxy
