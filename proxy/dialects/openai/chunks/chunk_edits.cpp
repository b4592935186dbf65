#include "proxy/dialects/openai/chunks/chunk_edits.hpp"

#include "proxy/json/member_index.hpp"

namespace photofinish::proxy {
namespace {

constexpr std::string_view role_member = R"("role":"assistant")";

bool is_key(const json_member& member, std::string_view key) { return json_key_is(member.raw_key, key); }

// Replaces all members of an object that have the key `key`. `with` is the new member, such as `"key":value`. It is
// added if no member has this key. If `with` is empty, nothing changes.
class member_setter {
 public:
  member_setter(std::string_view key, std::string_view with) : key_(key), with_(with) {}

  void see(const json_member& member, json_edits& edits) {
    if (with_.empty() || !is_key(member, key_)) return;
    edits.replace(member.whole, with_);
    is_set_ = true;
  }
  void finish(std::string_view object, json_edits& edits) const {
    if (!with_.empty() && !is_set_) edits.insert_member(object, with_);
  }

 private:
  std::string_view key_;
  std::string_view with_;
  bool is_set_ = false;
};

class chunk_editor {
 public:
  chunk_editor(const chunk_plan& plan, json_edits& edits) : plan_(plan), edits_(edits) {}

  void edit_chunk(std::string_view json) {
    member_setter id("id", plan_.id);
    member_setter created("created", plan_.created);
    member_setter object("object", plan_.object);
    json_walk walk(json);
    while (const auto member = walk.next_member()) {
      id.see(*member, edits_);
      created.see(*member, edits_);
      object.see(*member, edits_);
      if (is_key(*member, "choices")) edit_choices(member->value);
      else if (plan_.is_usage_taken && is_key(*member, "usage") && !json_is_null(member->value))
        edits_.replace(member->value, "null");
    }
    id.finish(json, edits_);
    created.finish(json, edits_);
    object.finish(json, edits_);
  }

 private:
  void edit_choices(std::string_view list) {
    if (!json_is_array(list)) return;
    json_walk walk(list);
    while (const auto choice = walk.next_element()) {
      if (next_choice_ == plan_.choices.size()) return;
      edit_choice(*choice, plan_.choices[next_choice_++]);
    }
  }

  void edit_choice(std::string_view object, const choice_plan& plan) {
    const std::string index_member = plan.index ? "\"index\":" + std::to_string(*plan.index) : "";
    const std::string finish_member =
        plan.finish.empty() ? "" : "\"finish_reason\":" + std::string(plan.finish);
    member_setter index("index", index_member);
    member_setter finish("finish_reason", finish_member);
    const std::string said_member = plan.is_delta_missing ? said_nothing(plan) : std::string();
    member_setter said(plan_.form->said, said_member);
    const std::string_view said_key = plan.is_message ? std::string_view("message") : plan_.form->said;
    json_walk walk(object);
    while (const auto member = walk.next_member()) {
      index.see(*member, edits_);
      finish.see(*member, edits_);
      said.see(*member, edits_);
      const bool is_delta = plan_.form->has_roles && !plan.is_delta_missing && is_key(*member, said_key);
      // A `delta` is removed if its value is null and the choice also has a `message`.
      if (plan.is_message && is_key(*member, plan_.form->said)) edits_.remove_member(*member);
      if (is_delta && plan.is_message) edits_.replace(member->raw_key, plan_.form->said);
      if (is_delta) edit_delta(member->value, plan);
    }
    index.finish(object, edits_);
    said.finish(object, edits_);
    finish.finish(object, edits_);
  }

  std::string said_nothing(const choice_plan& plan) const {
    const bool has_role = plan.role == role_change::set;
    const std::string_view nothing = has_role ? R"({"role":"assistant"})" : plan_.form->nothing;
    return std::string("\"").append(plan_.form->said).append("\":").append(nothing);
  }

  void edit_delta(std::string_view object, const choice_plan& plan) {
    member_setter role("role", plan.role == role_change::set ? role_member : std::string_view{});
    json_walk walk(object);
    while (const auto member = walk.next_member()) {
      role.see(*member, edits_);
      if (plan.role == role_change::remove && is_key(*member, "role")) edits_.remove_member(*member);
      else if (plan.calls > 0 && is_key(*member, "tool_calls")) edit_calls(member->value, plan);
    }
    role.finish(object, edits_);
  }

  void edit_calls(std::string_view list, const choice_plan& plan) {
    if (!json_is_array(list)) return;
    std::vector<std::string_view> entries;
    json_walk walk(list);
    while (const auto entry = walk.next_element()) entries.push_back(*entry);
    // The delta has two lists of calls. Neither list is edited, because a client may read either of them.
    if (entries.size() != plan.calls) return;
    for (std::size_t at = 0; at < entries.size(); ++at) {
      const call_plan& call = plan_.calls[plan.first_call + at];
      if (call.merged_into) remove_entry(entries[at - 1], entries[at]);
      else if (json_is_object(entries[at])) edit_call(entries[at], call, arguments_for(at, entries, plan));
    }
  }

  // Removes a tool call's entry that was merged into an earlier entry. The removed entry is never the first in the
  // list, so the comma before the entry is also removed.
  void remove_entry(std::string_view before, std::string_view entry) {
    const char* from = before.data() + before.size();
    edits_.remove({from, static_cast<std::size_t>(entry.data() + entry.size() - from)});
  }

  // Returns the joined raw arguments of all entries that are merged into the entry with the index `target`. These
  // entries come later in the list of tool calls.
  std::string arguments_for(std::size_t target, const std::vector<std::string_view>& entries,
                            const choice_plan& plan) const {
    std::string added;
    for (std::size_t at = target + 1; at < entries.size(); ++at) {
      const call_plan& call = plan_.calls[plan.first_call + at];
      if (call.merged_into != target || call.are_arguments_held) continue;
      const auto function = json_find(entries[at], "function");
      const auto arguments = function ? json_find(*function, "arguments") : std::nullopt;
      if (arguments) added += raw_text(*arguments);
    }
    return added;
  }

  void edit_call(std::string_view object, const call_plan& plan, const std::string& added_arguments) {
    const std::string index_member = plan.index ? "\"index\":" + std::to_string(*plan.index) : "";
    member_setter index("index", index_member), id("id", plan.id);
    bool has_function = false;
    json_walk walk(object);
    while (const auto member = walk.next_member()) {
      index.see(*member, edits_);
      id.see(*member, edits_);
      if (plan.is_id_removed && is_key(*member, "id")) edits_.remove_member(*member);
      else if (plan.are_texts_quoted && plan.id.empty() && is_key(*member, "id")) quote(member->value);
      if (!is_key(*member, "function") || !json_is_object(member->value)) continue;
      has_function = true;
      if (plan.is_name_removed) remove_name(member->value);
      if (plan.are_texts_quoted) quote_texts(member->value, plan, !added_arguments.empty());
      if (!added_arguments.empty()) add_arguments(member->value, plan, added_arguments);
    }
    index.finish(object, edits_);
    id.finish(object, edits_);
    if (!added_arguments.empty() && !has_function)
      edits_.insert_member(object, R"("function":{"arguments":")" + added_arguments + "\"}");
  }

  // Returns a JSON string's text without its quotes.
  static std::string raw_text(std::string_view value) {
    if (json_is_null(value)) return {};
    const std::string quoted = json_is_string(value) ? std::string(value) : json_quote(value);
    return std::string(json_raw_string(quoted));
  }

  void quote(std::string_view value) {
    if (!json_is_string(value) && !json_is_null(value)) edits_.replace(value, json_quote(value));
  }

  void quote_texts(std::string_view function, const call_plan& plan, bool are_arguments_edited) {
    json_walk walk(function);
    while (const auto member = walk.next_member()) {
      if (is_key(*member, "name") && !plan.is_name_removed) quote(member->value);
      if (!is_key(*member, "arguments") || are_arguments_edited) continue;
      if (plan.are_arguments_held) edits_.replace(member->value, R"("")");
      else quote(member->value);
    }
  }

  void remove_name(std::string_view function) {
    json_walk walk(function);
    while (const auto member = walk.next_member())
      if (is_key(*member, "name")) edits_.remove_member(*member);
  }

  void add_arguments(std::string_view function, const call_plan& plan, const std::string& added) {
    const auto present = json_find(function, "arguments");
    if (!present) {
      edits_.insert_member(function, R"("arguments":")" + added + '"');
      return;
    }
    if (!json_is_string(*present)) {
      const std::string own = plan.are_arguments_held ? std::string() : raw_text(*present);
      edits_.replace(*present, '"' + own + added + '"');
      return;
    }
    edits_.insert(edits_.offset_of(present->data()) + present->size() - 1, added);
  }

  const chunk_plan& plan_;
  json_edits& edits_;
  std::size_t next_choice_ = 0;
};

}  // namespace

void chunk_plan::clear() {
  is_clean = true;
  id = created = object = {};
  is_usage_taken = false;
  choices.clear();
  calls.clear();
}

void add_chunk_edits(const chunk_plan& plan, std::string_view json, json_edits& edits) {
  if (!plan.is_clean) chunk_editor(plan, edits).edit_chunk(json);
}

}  // namespace photofinish::proxy
