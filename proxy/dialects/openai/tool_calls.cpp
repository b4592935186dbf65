#include "proxy/dialects/openai/tool_calls.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::size_t max_calls = 1024;  // the maximum number of tool calls in a choice

// Returns true if `entry` begins a new call, although an earlier call has the same name and another id. This is the
// case if the earlier call has no arguments yet (`has_begun` is false), and the arguments of `entry` are complete or
// missing. Otherwise, `entry` continues the earlier call, because some providers invent a new id for each fragment of a
// call.
bool are_two_calls(bool has_begun, const tool_call_facts& entry) {
  argument_text added;
  added.add(entry.arguments);
  return !has_begun && (added.is_whole() || !added.has_begun());
}

// True if the entry's arguments are an empty object. Such a placeholder must not replace arguments that are already
// stored.
bool is_placeholder(const tool_call_facts& entry, std::string_view held) {
  return !held.empty() && entry.arguments.find_first_not_of("{} \t\r\n") == std::string_view::npos;
}

}  // namespace

void argument_text::add(std::string_view text) {
  for (const char byte : text) {
    if (is_in_string_) {
      if (is_escaped_) is_escaped_ = false;
      else if (byte == '\\') is_escaped_ = true;
      else if (byte == '"') is_in_string_ = false;
    } else if (byte == '"') {
      is_in_string_ = true;
    } else if (byte == '{' || byte == '[') {
      ++depth_;
    } else if ((byte == '}' || byte == ']') && depth_ > 0) {
      --depth_;
    }
    has_begun_ |= byte != ' ' && byte != '\n' && byte != '\r' && byte != '\t';
  }
}

std::optional<call_place> tool_call_book::place(const tool_call_facts& entry) {
  call* open = find_open(entry);
  if (open == nullptr) {
    if (calls_.size() == max_calls) return std::nullopt;
    const std::int64_t index = free_index(entry.index);
    open = &calls_.emplace_back();
    open->index = index;
    open->given = entry.index;
  }
  const bool is_id_sent = !open->id.empty() || open->has_invented_id;
  const bool is_name_sent = !open->name.empty();
  if (open->id.empty()) open->id = entry.id;
  if (!is_name_sent) open->name = entry.name;
  if (!entry.are_arguments_object) open->arguments.add(entry.arguments);
  else if (!open->arguments.has_begun() && !is_placeholder(entry, open->object))
    hold(*open, std::string(entry.arguments));
  return call_place{open->index, is_id_sent, is_name_sent, static_cast<std::size_t>(open - calls_.data()),
                    entry.are_arguments_object};
}

void tool_call_book::hold(call& of, std::string object) {
  held_ += object.size();
  held_ -= of.object.size();
  of.object = std::move(object);
}

bool tool_call_book::release(std::size_t number) {
  call& of = calls_[number];
  if (of.object.empty() || of.arguments.has_begun()) return false;
  of.arguments.add(of.object);
  hold(of, {});
  return true;
}

std::vector<held_arguments> tool_call_book::take_held() {
  std::vector<held_arguments> all;
  for (std::size_t at = 0; at < calls_.size() && held_ > 0; ++at) {
    std::string object = calls_[at].object;
    if (release(at)) all.push_back({calls_[at].index, std::move(object)});
    else hold(calls_[at], {});
  }
  return all;
}

// Returns the call to which the entry belongs, or null if the entry begins a new call.
tool_call_book::call* tool_call_book::find_open(const tool_call_facts& entry) {
  if (call* same = find_by_id(entry)) return same;
  if (entry.index) return find_by_index(entry);
  if (calls_.empty()) return nullptr;
  call& last = calls_.back();
  if (entry.name.empty()) return &last;
  // An entry with a name but without an index usually begins a new call. However, if the last call has the same name
  // and incomplete arguments, the entry continues that call.
  const bool is_streaming = last.arguments.has_begun() && !last.arguments.is_whole();
  return is_streaming && entry.name == last.name ? &last : nullptr;
}

// Returns the tool call that has the id of the entry, or null if there is none. Some providers give all their calls the
// same id. Therefore, an entry with a known id begins a new call if it also has a name and a different index.
tool_call_book::call* tool_call_book::find_by_id(const tool_call_facts& entry) {
  if (entry.id.empty()) return nullptr;
  const auto found = std::find_if(calls_.rbegin(), calls_.rend(), [&entry](const call& known) {
    if (known.id != entry.id) return false;
    if (entry.name.empty()) return true;
    const bool is_same_index = !entry.index || entry.index == known.given;
    return is_same_index && (entry.name == known.name || !known.has_begun());
  });
  return found == calls_.rend() ? nullptr : &*found;
}

tool_call_book::call* tool_call_book::find_by_index(const tool_call_facts& entry) {
  const auto found = std::find_if(calls_.rbegin(), calls_.rend(),
                                  [&entry](const call& known) { return known.given == entry.index; });
  if (found == calls_.rend()) return nullptr;
  if (entry.name.empty() || found->name.empty()) return &*found;
  const bool is_other_id = !entry.id.empty() && !found->id.empty() && entry.id != found->id;
  if (found->is_whole() || (!found->object.empty() && entry.name != found->name)) {
    const bool is_same_object = entry.are_arguments_object && entry.arguments == found->object;
    return is_same_object && !is_other_id && entry.name == found->name ? &*found : nullptr;
  }
  const bool is_other_call = entry.name != found->name || are_two_calls(found->has_begun(), entry);
  return is_other_id && is_other_call ? nullptr : &*found;
}

std::int64_t tool_call_book::free_index(std::optional<std::int64_t> requested) const {
  std::int64_t next = 0;
  bool is_taken = !requested || *requested < 0;
  for (const call& known : calls_) {
    is_taken |= known.index == requested;
    if (known.index < INT64_MAX) next = std::max(next, known.index + 1);
  }
  return is_taken ? next : *requested;
}

}  // namespace photofinish::proxy
