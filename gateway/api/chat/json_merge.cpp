#include "gateway/api/chat/json_merge.hpp"

#include "proxy/json/json_text.hpp"
#include "proxy/words/parse_number.hpp"

#include <map>
#include <utility>

namespace photofinish::gateway {
namespace {

using proxy::json_is_array;
using proxy::json_is_null;
using proxy::json_is_object;
using proxy::json_is_string;
using proxy::json_raw_string;
using proxy::json_walk;

// The maximum number of members in one object. Members are searched linearly, so the time for a hostile object would
// otherwise grow with the square of its length. Real objects have about a dozen members.
constexpr std::size_t max_members = 1000;

constexpr std::size_t usual_others = 4;  // the expected number of members that have no rule

// Returns the text between the brackets of a JSON array. Returns an empty text if the value is not an array.
std::string_view array_inside(std::string_view array) {
  json_walk walk(array);
  const auto first = walk.next_element();
  if (!first) return {};
  const std::size_t from = static_cast<std::size_t>(first->data() - array.data());
  return array.substr(from, array.rfind(']') - from);
}

void append_listed(proxy::long_text& list, std::string_view entries) {
  if (entries.empty()) return;
  if (!list.empty()) list.append(",");
  list.append(entries);
}

std::uint64_t index_of(std::string_view entry, std::uint64_t position) {
  const auto text = proxy::json_find(entry, "index");
  return text ? proxy::parse_leading_number<std::uint64_t>(*text).value_or(position) : position;
}

}  // namespace

struct merge_pass {
  merge_budget& budget;
  merge_trace* did = nullptr;  // records the changes; null if the caller does not need this record

  void note_change() {
    if (did != nullptr) did->is_all = false;
  }
  // Records that this value has changed the member.
  void note(std::string_view value, merged_object::member& to) {
    if (did == nullptr) return;
    if (!json_is_string(value)) return note_change();
    did->strings.push_back(value);
    did->members.push_back(&to);
  }
};

struct merged_object::member {
  enum class form { absent, null, whole, string, array, nested };

  std::string_view key;      // the member's decoded key, for comparison with the keys of the rules
  std::string_view raw_key;  // the member's key in its original spelling, as the merged JSON contains it
  std::string own_key, own_raw_key;  // storage for the key and its original spelling, if no rule contains the key
  member_rule rule;
  form is = form::absent;
  std::string value;       // the JSON of a value that is not merged
  proxy::long_text text;   // the text inside the quotes of strings or the brackets of arrays
  proxy::long_text parts;  // the content parts before `text`, as JSON; only used for merge::text
  std::unique_ptr<merged_object> object;
  std::map<std::uint64_t, std::unique_ptr<merged_object>> list;
  std::uint64_t last_pass = 0;  // the number of the last add() that gave this member a value; see merge_trace::pass

  void add(std::string_view piece, merge_pass& pass) {
    if (rule.how == merge::fixed) return;
    if (pass.did != nullptr && std::exchange(last_pass, pass.did->pass) == pass.did->pass) pass.note_change();
    if (json_is_null(piece)) {
      if (is == form::absent) is = form::null, pass.note_change();
      return;
    }
    switch (rule.how) {
      case merge::last: return replace(piece, pass);
      case merge::first:
        if (is != form::whole && piece != "\"\"") replace(piece, pass);
        return;
      case merge::text: return add_text(piece, pass);
      case merge::grow: return json_is_array(piece) ? add_array(piece, pass) : replace(piece, pass);
      case merge::object: return add_object(piece, pass);
      case merge::list: return add_entries(piece, pass);
      case merge::fixed: return;
    }
  }

  void replace(std::string_view piece, merge_pass& pass) {
    if (is == form::whole && value == piece) return;
    pass.note(piece, *this);
    pass.budget.charge(piece.size() > value.size() ? piece.size() - value.size() : 0);
    if (!text.empty()) text = {};
    value = piece;
    is = form::whole;
  }

  void become(form wanted) {
    if (is != wanted) value.clear(), text = {};
    is = wanted;
  }

  void add_text(std::string_view piece, merge_pass& pass) {
    pass.note(piece, *this);
    pass.budget.charge(piece.size());
    if (json_is_string(piece)) {
      become(form::string);
      text.append(json_raw_string(piece));
    } else if (json_is_array(piece)) {
      become(form::string);
      close_text_part();
      append_listed(parts, array_inside(piece));
    } else {
      replace(piece, pass);
    }
  }

  void close_text_part() {
    if (text.empty()) return;
    append_listed(parts, R"({"type":"text","text":")");
    parts.append(std::exchange(text, {}));
    parts.append("\"}");
  }

  void add_array(std::string_view piece, merge_pass& pass) {
    pass.note_change();
    pass.budget.charge(piece.size());
    become(form::array);
    append_listed(text, array_inside(piece));
  }

  void add_object(std::string_view piece, merge_pass& pass) {
    if (!json_is_object(piece)) return;
    if (!object) object = std::make_unique<merged_object>(*rule.inside), pass.note_change();
    is = form::nested;
    object->add(piece, pass);
  }

  void add_entries(std::string_view piece, merge_pass& pass) {
    if (!json_is_array(piece)) return;
    json_walk walk(piece);
    std::uint64_t position = 0;
    while (const auto entry = walk.next_element()) {
      if (pass.budget.is_exceeded()) return;
      is = form::nested;
      auto& held = list[index_of(*entry, position++)];
      if (!held) {
        // The memory of an empty object also counts against the limit. Otherwise a few bytes of input could allocate a
        // kilobyte.
        pass.budget.charge(sizeof(member) * (rule.inside->members.size() + 1));
        held = std::make_unique<merged_object>(*rule.inside);
        pass.note_change();
      }
      held->add(*entry, pass);
    }
  }

  bool is_written() const { return is != form::absent || !rule.fallback.empty(); }

  void write(outgoing& out) {
    out.put("\"");
    out.put(rule.written_as.empty() ? raw_key : rule.written_as);
    out.put("\":");
    switch (is) {
      case form::absent: out.put(rule.fallback); return;
      case form::null: out.put(rule.fallback.empty() ? "null" : rule.fallback); return;
      case form::whole: out.put(std::move(value)); return;
      case form::string: return write_text(out);
      case form::array: out.put("["), out.put(std::move(text)), out.put("]"); return;
      case form::nested: return write_nested(out);
    }
  }

  void write_text(outgoing& out) {
    const bool has_parts = !parts.empty();
    if (has_parts) close_text_part();
    out.put(has_parts ? "[" : "\"");
    if (has_parts) out.put(std::move(parts));
    else out.put(std::move(text));
    out.put(has_parts ? "]" : "\"");
  }

  void write_nested(outgoing& out) {
    if (object) return object->write(out);
    out.put("[");
    const char* separator = "";
    for (const auto& [index, entry] : list) {
      out.put(separator);
      entry->write(out);
      separator = ",";
    }
    out.put("]");
  }
};

merged_object::merged_object(const merge_rules& rules) : rules_(&rules) {
  members_.reserve(rules.members.size() + usual_others);
  for (const member_rule& rule : rules.members) {
    auto each = std::make_unique<member>();
    each->key = each->raw_key = rule.key;
    each->rule = rule;
    members_.push_back(std::move(each));
  }
}
merged_object::merged_object(merged_object&&) noexcept = default;
merged_object& merged_object::operator=(merged_object&&) noexcept = default;
merged_object::~merged_object() = default;

merged_object::member* merged_object::find(std::string_view key) const {
  for (const auto& held : members_)
    if (held->key == key) return held.get();
  return nullptr;
}

merged_object::member* merged_object::find_or_add(std::string_view raw_key, merge_pass& pass) {
  const bool is_escaped = raw_key.find('\\') != std::string_view::npos;
  std::string unescaped = is_escaped ? proxy::json_unescape(raw_key) : std::string{};
  if (member* known = find(is_escaped ? std::string_view(unescaped) : raw_key)) return known;
  pass.note_change();
  if (members_.size() == max_members) return pass.budget.refuse(), nullptr;
  pass.budget.charge(sizeof(member) + raw_key.size());
  members_.push_back(std::make_unique<member>());
  member& added = *members_.back();
  added.raw_key = added.own_raw_key = raw_key;
  added.own_key = std::move(unescaped);
  added.key = is_escaped ? std::string_view(added.own_key) : added.raw_key;
  added.rule.how = rules_->others;
  return &added;
}

void merge_trace::begin() {
  strings.clear();
  members.clear();
  is_all = true;
  ++pass;
}

void merged_object::add(std::string_view object, merge_budget& budget) {
  merge_pass pass{budget};
  add(object, pass);
}

void merged_object::add(std::string_view object, merge_budget& budget, merge_trace& did) {
  did.begin();
  merge_pass pass{budget, &did};
  add(object, pass);
}

void merged_object::add_value(member& to, std::string_view value, merge_budget& budget) {
  merge_pass pass{budget};
  to.add(value, pass);
}

void merged_object::add(std::string_view object, merge_pass& pass) {
  if (!json_is_object(object)) return;
  json_walk walk(object);
  while (const auto piece = walk.next_member()) {
    member* to = pass.budget.is_exceeded() ? nullptr : find_or_add(piece->raw_key, pass);
    if (to == nullptr) return;
    to->add(piece->value, pass);
  }
}

void merged_object::write(outgoing& out) {
  out.put("{");
  const char* separator = "";
  const auto write_member = [&](member& held) {
    if (!held.is_written()) return;
    out.put(separator);
    held.write(out);
    separator = ",";
  };
  for (const auto& held : members_)
    if (held->key != rules_->at_the_end) write_member(*held);
  if (member* last = rules_->at_the_end.empty() ? nullptr : find(rules_->at_the_end)) write_member(*last);
  out.put("}");
}

bool merged_object::has(std::string_view key) const {
  const member* held = find(key);
  return held != nullptr && held->is != member::form::absent && held->is != member::form::null;
}

bool merged_object::is_empty_text(std::string_view key) const {
  const member* held = find(key);
  return held != nullptr && held->is == member::form::string && held->text.empty() && held->parts.empty();
}

void merged_object::forget(std::string_view key) {
  if (member* held = find(key)) held->become(member::form::absent), held->parts = {};
}

merged_object* merged_object::inside(std::string_view key) {
  const member* held = find(key);
  return held == nullptr ? nullptr : held->object.get();
}

std::vector<merged_object*> merged_object::entries(std::string_view key) {
  std::vector<merged_object*> found;
  if (const member* held = find(key))
    for (const auto& [index, entry] : held->list) found.push_back(entry.get());
  return found;
}

}  // namespace photofinish::gateway
