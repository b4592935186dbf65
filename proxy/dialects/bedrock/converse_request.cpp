#include "proxy/dialects/bedrock/converse_request.hpp"
#include "proxy/dialects/rare_key_check.hpp"

#include "proxy/conversation/writers/openai/chat_form.hpp"
#include "proxy/json/element_removal.hpp"
#include "proxy/json/values/inline_refs.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"
#include "proxy/json/values/short_id.hpp"
#include "proxy/providers/model_facts.hpp"
#include "proxy/words/contains.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::array<std::string_view, 7> all_efforts{"none", "minimal", "low", "medium", "high", "xhigh", "max"};

// JSON that separates tool results from the user's text by a short assistant message. Some models refuse results and
// text in the same message.
constexpr std::string_view parting = R"(]},{"role":"assistant","content":[{"text":"."}]},{"role":"user","content":[)";

// Returns the requested effort, or the next higher effort that the model accepts. If there is none, returns the model's
// highest effort.
std::string_view nearest_effort(std::string_view asked, const std::vector<std::string>& taken) {
  const auto from = std::find(all_efforts.begin(), all_efforts.end(), asked);
  for (auto each = from; each != all_efforts.end(); ++each)
    if (contains(taken, *each)) return *each;
  return from == all_efforts.end() || taken.empty() ? std::string_view{} : std::string_view(taken.back());
}

// Converts {"effort":"high"} or {"budget":2048} to an effort.
std::string effort_of(std::string_view thinking) {
  if (const auto effort = json_find(thinking, "effort")) return json_unescape(json_raw_string(*effort));
  const std::string_view budget = json_find(thinking, "budget").value_or("0");
  return std::string(effort_of_budget(parse_leading_number<std::int64_t>(budget).value_or(0)));
}

class converse_editor {
 public:
  converse_editor(const client_body& body, const converse_facts& facts, const behaviour& behaves,
                  reasoning_items reasoning, foreign_reasoning* foreign, json_edits& edits,
                  std::vector<std::string>& dropped)
      : body_(body),
        facts_(facts),
        behaves_(behaves),
        reasoning_(reasoning),
        foreign_(foreign),
        edits_(edits),
        dropped_(dropped) {}

  // Edits the request's body. Returns the number of removed reasoning blocks.
  std::size_t edit() {
    for (const json_member& each : body_.members().members()) {
      if (json_key_is(each.raw_key, "thinking")) write_thinking(each);
      else if (json_key_is(each.raw_key, "top_k")) write_top_k(each);
      else if (contains(behaves_.drop_params, each.raw_key)) drop(each);
      else if (json_key_is(each.raw_key, "inferenceConfig")) drop_inside(each.value);
      else if (json_key_is(each.raw_key, "messages")) edit_messages(each.value);
      else if (json_key_is(each.raw_key, "toolConfig") && facts_.wants_inline_refs) edit_schemas(each.value);
    }
    if (!more_.empty()) edits_.insert_member(body_.json(), R"("additionalModelRequestFields":{)" + more_ + "}");
    if (left_out_ > 0) dropped_.emplace_back("reasoning");
    if (may_hold(body_, "cachePoint")) write_cache_points();
    else if (behaves_.prompt_cache.adds_marks && facts_.takes_cache_points) add_cache_points();
    return left_out_;
  }

 private:
  void drop(const json_member& each) {
    edits_.remove_member(each);
    dropped_.emplace_back(each.raw_key);
  }

  void drop_inside(std::string_view config) {
    for (const json_member& each : json_members(config))
      if (contains(facts_.drop_params, each.raw_key) || contains(behaves_.drop_params, each.raw_key)) drop(each);
  }

  void edit_schemas(std::string_view config) {
    std::size_t bytes_left = inlinable_bytes(config);
    for (const std::string_view each : json_elements(json_find(config, "tools").value_or(""))) {
      const std::string_view schema = json_find(json_find(each, "toolSpec").value_or(""), "inputSchema").value_or("");
      const auto json = json_find(schema, "json");
      const auto inlined = json ? inline_refs(*json, bytes_left) : std::nullopt;
      if (inlined) edits_.replace(*json, *inlined);
    }
  }

  // Adds a model-specific field to the request. `path` is the field's path, which may contain one dot.
  void add_field(std::string_view path, std::string_view value) {
    const std::size_t dot = path.find('.');
    more_.append(more_.empty() ? "\"" : ",\"").append(path.substr(0, dot)).append("\":");
    if (dot == std::string_view::npos) more_ += value;
    else more_.append("{\"").append(path.substr(dot + 1)).append("\":").append(value).append("}");
  }

  void write_thinking(const json_member& asked) {
    edits_.remove_member(asked);
    const std::string effort = effort_of(asked.value);
    const std::string_view taken = facts_.think.empty() ? std::string_view{} : nearest_effort(effort, facts_.efforts);
    const bool is_dropped = contains(behaves_.drop_params, "reasoning_effort");
    const bool is_sent = !taken.empty() && !is_dropped;
    if (is_sent) add_field(facts_.think, json_quote(taken));
    if (is_sent ? taken != effort : effort != "none") dropped_.emplace_back("reasoning_effort");
  }

  void write_top_k(const json_member& asked) {
    edits_.remove_member(asked);
    if (facts_.top_k.empty() || contains(behaves_.drop_params, "top_k")) dropped_.emplace_back("top_k");
    else add_field(facts_.top_k, asked.value);
  }

  // Messages

  void edit_messages(std::string_view messages) {
    const bool may_go = reasoning_ == reasoning_items::left_out || foreign_ != nullptr;
    if (may_go && may_hold(body_, "reasoningContent")) remove_reasoning(messages);
    const bool is_strict = facts_.wants_results_alone || facts_.wants_short_ids || !facts_.takes_result_status ||
                           (!takes_documents_in_results() && may_hold(body_, "document"));
    if (!is_strict || !may_hold(body_, "toolUse")) return;
    for (const std::string_view each : json_elements(messages)) edit_content(json_find(each, "content").value_or("[]"));
  }

  // Removes reasoning blocks. A turn that had no other blocks gets a text block, because a turn may not be empty.
  void remove_reasoning(std::string_view messages) {
    for (const std::string_view message : json_elements(messages)) {
      element_removal list(edits_);
      for (const std::string_view each : json_elements(json_find(message, "content").value_or("[]")))
        if (const auto reasoning = json_find(each, "reasoningContent"); reasoning && goes(*reasoning))
          list.remove(each);
        else list.keep(each);
      list.finish(R"({"text":"No answer."})");
      left_out_ += list.removed();
    }
  }

  bool goes(std::string_view reasoning) const {
    if (reasoning_ == reasoning_items::left_out) return true;
    const std::string_view text = json_find(reasoning, "reasoningText").value_or("");
    return is_known_foreign(foreign_, json_find(text, "signature").value_or("")) ||
           is_known_foreign(foreign_, json_find(reasoning, "redactedContent").value_or(""));
  }

  // Moves each member `cachePoint` into a separate block after the block that contains the member. If the model accepts
  // no cache points, removes the members.
  void write_cache_points() {
    write_cache_points_in(body_.value_of("system"));
    for (const std::string_view each : json_elements(body_.value_of("messages")))
      write_cache_points_in(json_find(each, "content").value_or(""));
    if (marks_ > 0 && !facts_.takes_cache_points) dropped_.emplace_back("cache_control");
  }

  void write_cache_points_in(std::string_view blocks) {
    for (const std::string_view block : json_elements(blocks)) {
      for (const json_member& each : json_members(block)) {
        if (!json_key_is(each.raw_key, "cachePoint")) continue;
        ++marks_;
        edits_.remove_member(each);
        const std::string behind = R"(,{"cachePoint":)" + std::string(each.value) + "}";
        if (facts_.takes_cache_points) edits_.insert(edits_.offset_of(block.data() + block.size()), behind);
      }
    }
  }

  // Adds cache points. Bedrock looks for a cached prefix only at the cache points of the current request. The previous
  // request had a cache point at the end of what is now the second-to-last user turn. Therefore, that turn gets a cache
  // point again.
  void add_cache_points() {
    constexpr std::string_view point = R"(,{"cachePoint":{"type":"default"}})";
    std::array<std::string_view, 3> ends{json_last_element(body_.value_of("system"))};
    for (const std::string_view each : json_elements(body_.value_of("messages")))
      if (json_find(each, "role") == R"("user")")
        ends[1] = std::exchange(ends[2], json_last_element(json_find(each, "content").value_or("")));
    for (const std::string_view each : ends)
      if (!each.empty()) edits_.insert(edits_.offset_of(each.data() + each.size()), point);
  }

  bool takes_documents_in_results() const { return contains(facts_.result_media, "document"); }

  void edit_content(std::string_view content) {
    const char* end_of_result = nullptr;
    std::string documents;
    for (const std::string_view each : json_elements(content)) {
      if (const auto call = json_find(each, "toolUse")) edit_id(*call);
      const auto result = json_find(each, "toolResult");
      if (result) edit_id(*result);
      if (result && !facts_.takes_result_status) remove_status(*result);
      if (result && !takes_documents_in_results()) take_documents(*result, documents);
      if (!result && end_of_result != nullptr) end_results(end_of_result, each.data(), std::exchange(documents, {}));
      end_of_result = result ? each.data() + each.size() : nullptr;
    }
    if (end_of_result != nullptr) end_results(end_of_result, nullptr, documents);
  }

  // Moves documents out of a tool result for models that do not accept them in tool results. The documents become user
  // content after the results.
  void take_documents(std::string_view result, std::string& into) {
    element_removal list(edits_);
    for (const std::string_view each : json_elements(json_find(result, "content").value_or("[]"))) {
      if (!json_find(each, "document")) {
        list.keep(each);
        continue;
      }
      list.remove(each);
      into.append(",").append(each);
    }
    list.finish(R"({"text":"The document follows."})");
  }

  // Writes the documents that were moved out of tool results. `next` is the first block after the results, or null if
  // there is none.
  void end_results(const char* end, const char* next, const std::string& documents) {
    // Converse requires a text in each message with a document.
    const std::string moved = documents.empty() ? std::string() : R"({"text":"Documents:"})" + documents;
    if (next != nullptr && facts_.wants_results_alone) return part(end, next, moved);
    if (moved.empty()) return;
    edits_.insert(edits_.offset_of(end), std::string(facts_.wants_results_alone ? parting : ",") + moved);
  }

  void edit_id(std::string_view of) {
    const auto id = json_find(of, "toolUseId");
    if (id && facts_.wants_short_ids) edits_.replace(*id, json_quote(short_id(json_raw_string(*id))));
  }

  void remove_status(std::string_view result) {
    for (const json_member& each : json_members(result))
      if (json_key_is(each.raw_key, "status")) edits_.remove_member(each);
  }

  void part(const char* from, const char* to, const std::string& first) {
    const std::string between = std::string(parting) + first + (first.empty() ? "" : ",");
    edits_.replace({from, static_cast<std::size_t>(to - from)}, between);
  }

  const client_body& body_;
  const converse_facts& facts_;
  const behaviour& behaves_;
  const reasoning_items reasoning_;
  foreign_reasoning* const foreign_;
  json_edits& edits_;
  std::vector<std::string>& dropped_;
  std::size_t left_out_ = 0;
  std::size_t marks_ = 0;
  std::string more_;  // the members of additionalModelRequestFields that were written so far
};

bool forces_a_call(const client_body& body) {
  const std::string_view choice = json_find(body.value_of("toolConfig"), "toolChoice").value_or("");
  return json_find(choice, "any") || json_find(choice, "tool");
}

// True if a tool result contains media that the model does not accept in tool results. Documents do not count, because
// take_documents() moves them out of the results.
bool holds_other_media(std::string_view result, const std::vector<std::string>& allowed) {
  for (const std::string_view each : json_elements(json_find(result, "content").value_or("[]")))
    if (json_find(each, "image") && !contains(allowed, "image")) return true;
  return false;
}

bool has_other_results(const client_body& body, const std::vector<std::string>& allowed) {
  if (!may_hold(body, "toolResult") || !may_hold(body, "source")) return false;
  for (const std::string_view message : json_elements(body.value_of("messages"))) {
    for (const std::string_view each : json_elements(json_find(message, "content").value_or("[]")))
      if (holds_other_media(json_find(each, "toolResult").value_or("{}"), allowed)) return true;
  }
  return false;
}

}  // namespace

std::size_t edit_converse_body(const client_body& body, const converse_facts& facts, const behaviour& behaves,
                               reasoning_items reasoning, json_edits& edits, std::vector<std::string>& dropped,
                               foreign_reasoning* foreign) {
  return converse_editor(body, facts, behaves, reasoning, foreign, edits, dropped).edit();
}

std::optional<std::string_view> unsupported_in_converse(const client_body& body, const converse_facts& facts) {
  if (!facts.takes_forced_calls && forces_a_call(body)) return "tool_choice";
  if (!facts.takes_schema && !body.value_of("outputConfig").empty()) return "response_format";
  if (has_other_results(body, facts.result_media)) return "content.tool_result";
  return std::nullopt;
}

}  // namespace photofinish::proxy
