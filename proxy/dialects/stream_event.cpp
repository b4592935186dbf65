#include "proxy/dialects/stream_event.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::proxy {
namespace {

// The maximum length of a finish_reason that the API does not define, in bytes. Such a finish_reason is stored for the
// log. No known provider sends a longer one.
constexpr std::size_t max_finish_bytes = 64;

// The minimum size of texts that are stored in separate strings, in bytes. When a long std::string is moved, its text
// keeps its address. A very short text is stored inside the std::string object, so its address would change.
constexpr std::size_t long_text_bytes = 64u << 10;
bool is_long(std::string_view text) { return text.size() >= long_text_bytes; }

// An estimate of the memory that the allocator adds to each allocation by rounding, in bytes. For small blocks,
// jemalloc adds at most 16 bytes. For large blocks, it adds at most a quarter of the size.
constexpr std::size_t allocation_overhead = 16;

// The minimum capacity of a string whose text must keep its address, in bytes. This capacity exceeds the inline buffer
// of a std::string.
constexpr std::size_t least_room = 64;

// Looks for `text` in `json` and returns a view of the match. Compares only the first place that matches the beginning
// of `text`. Returns an empty view if this place does not match completely.
std::string_view found_in(std::string_view json, std::string_view text) {
  constexpr std::size_t beginning = 32;
  const std::size_t at = json.find(text.substr(0, beginning));
  if (at == std::string_view::npos) return {};
  const std::string_view found = json.substr(at, text.size());
  return found == text ? found : std::string_view{};
}

}  // namespace

bool is_giant(const stream_event& event) {
  constexpr std::size_t most = 256u << 10;
  std::size_t bytes = 0;
  for (const std::string_view piece : event.json) bytes += piece.size();
  return bytes > most;
}

std::string_view media_type_of(std::span<kept_event> events) {
  for (kept_event& each : events)
    for (const delta& said : each.view().deltas)
      if (said.kind == delta_kind::media_type) return said.text;
  return {};
}

kept_event::kept_event(const stream_event& event)
    : kind_(event.kind), spoken_(event.spoken), is_whole_(event.is_whole), read_at_(event.read_at) {
  if (event.keeper == nullptr) {
    copy(event);
    return;
  }
  *this = std::move(*event.keeper);
  (void)event.keeper->take_json();  // take_json() also clears the other members of the previous kept_event
}

kept_event::kept_event(const stream_event& event, std::string json)
    : kind_(event.kind),
      spoken_(event.spoken),
      is_whole_(event.is_whole),
      read_at_(event.read_at),
      bytes_(std::move(json)) {
  bytes_.reserve(least_room);
  json_ = bytes_;
  keep_apart(event.deltas);
  if (event.usage != nullptr) usage_ = *event.usage;
}

void kept_event::copy(const stream_event& event) {
  deltas_.assign(event.deltas.begin(), event.deltas.end());
  std::size_t bytes = least_room + event.name.size();
  for (const std::string_view piece : event.json) bytes += piece.size();
  for (const delta& each : event.deltas)
    bytes += each.id.size() + each.item.size() + (is_long(each.text) ? 0 : each.text.size());
  bytes_.reserve(bytes);  // memory is reserved first, so that the stored texts keep their addresses
  for (const std::string_view piece : event.json) bytes_ += piece;
  json_ = bytes_;
  for (delta& each : deltas_) {
    each.text = is_long(each.text) ? keep_long(each.text) : keep(each.text);
    each.id = keep(each.id);
    each.item = keep(each.item);
  }
  name_ = keep(event.name);
  if (event.usage != nullptr) usage_ = *event.usage;
}

// Copies all texts of the deltas into one separate string. The deltas may refer to the event's own JSON, which is not
// stored.
void kept_event::keep_apart(std::span<const delta> deltas) {
  std::size_t bytes = 0;
  for (const delta& each : deltas) bytes += each.text.size() + each.id.size() + each.item.size();
  deltas_.assign(deltas.begin(), deltas.end());
  if (bytes == 0) return;
  std::string& texts = long_texts_.emplace_back();
  // Memory is reserved first. The texts then keep their addresses while the string grows, and also when the string is
  // moved.
  texts.reserve(std::max(bytes, least_room));
  const auto keep_there = [&texts](std::string_view text) {
    const std::size_t at = texts.size();
    texts += text;
    return std::string_view(texts).substr(at);
  };
  for (delta& each : deltas_) {
    each.text = keep_there(each.text);
    each.id = keep_there(each.id);
    each.item = keep_there(each.item);
  }
}

std::string_view kept_event::keep(std::string_view text) {
  if (text.empty()) return {};
  const std::size_t at = bytes_.size();
  bytes_ += text;
  return std::string_view(bytes_).substr(at);
}

// Stores a long text. If the stored JSON contains the same text, returns a view of that JSON. Otherwise copies the
// text.
std::string_view kept_event::keep_long(std::string_view text) {
  const std::string_view found = found_in(json_, text);
  return found.empty() ? std::string_view(long_texts_.emplace_back(text)) : found;
}

stream_event kept_event::view() {
  stream_event event{.kind = kind_, .spoken = spoken_, .deltas = deltas_, .read_at = read_at_, .keeper = this};
  event.is_whole = is_whole_;
  if (!json_.empty()) event.json = {&json_, 1};
  if (usage_) event.usage = &*usage_;
  event.name = name_;
  return event;
}

std::size_t kept_event::heap_bytes() const {
  const bool are_inside = deltas_.capacity() <= decltype(deltas_)::static_capacity;
  constexpr std::size_t inside = 15;  // the size of a std::string's inline buffer
  std::size_t all = bytes_.capacity() > inside ? std::max(bytes_.size(), least_room) + allocation_overhead : 0;
  if (!are_inside) all += deltas_.capacity() * sizeof(delta) + allocation_overhead;
  if (long_texts_.capacity() > 0) all += long_texts_.capacity() * sizeof(std::string) + allocation_overhead;
  for (const std::string& text : long_texts_) all += text.capacity() + allocation_overhead;
  return all;
}

std::string kept_event::take_json() {
  bytes_.resize(std::min(bytes_.size(), json_.size()));
  json_ = {};
  name_ = {};
  deltas_.clear();
  return std::exchange(bytes_, {});
}

void add_to(stream_summary& summary, const stream_event& event) {
  if (event.usage != nullptr) summary.usage = *event.usage;
  std::uint64_t text = 0, reasoning = 0;
  for (const delta& each : event.deltas) {
    if (each.is_foreign) summary.foreign_finish = each.text.substr(0, max_finish_bytes);
    if (!is_text_piece(each.kind)) continue;
    text += each.text.size();
    if (each.kind == delta_kind::reasoning) reasoning += each.text.size();
  }
  if (event.kind != event_kind::token && event.kind != event_kind::reasoning_token) return;
  ++summary.token_events;
  summary.text_bytes += text;
  summary.reasoning_bytes += reasoning;
  if (summary.is_unstreamed) return;
  if (!summary.first_token_at) summary.first_token_at = event.read_at;
  if (event.kind == event_kind::token && !summary.first_visible_at) summary.first_visible_at = event.read_at;
  summary.last_token_at = event.read_at;
  if (event.read_at == *summary.first_token_at) summary.first_text_bytes += text;
}

}  // namespace photofinish::proxy
