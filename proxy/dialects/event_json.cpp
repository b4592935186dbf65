#include "proxy/dialects/event_json.hpp"

namespace photofinish::proxy {

std::string_view json_of(const sse_event& event) {
  const std::string_view data = without_space(event.data);
  const bool is_none = data.empty() || data.front() == ':' || data == "[DONE]";
  return is_none ? std::string_view{} : data;
}

std::string_view in_one_line(std::string_view json, std::string& kept) {
  if (json.find('\n') == std::string_view::npos) return json;
  kept.reserve(json.size() + readable_behind);
  kept = json;
  std::replace(kept.begin(), kept.end(), '\n', ' ');
  return kept;
}

std::string_view as_event_name(std::string_view type) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  constexpr std::size_t longest = 128;
  const bool is_word = type.size() <= longest && type.find_first_not_of(letters) == std::string_view::npos;
  return is_word ? type : std::string_view{};
}

std::string_view any_text_of(simdjson::dom::element value, std::list<std::string>& kept) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS || value.is_null()) return text;
  return kept.emplace_back(simdjson::minify(value));
}

std::string_view any_text_at(simdjson::dom::object from, std::string_view key, std::list<std::string>& kept) {
  simdjson::dom::element value;
  return from.at_key(key).get(value) == simdjson::SUCCESS ? any_text_of(value, kept) : std::string_view{};
}

std::string_view fragment_at(simdjson::dom::object from, std::string_view key, std::list<std::string>& kept) {
  const auto object = object_at(from, key);
  return object && object->size() == 0 ? std::string_view{} : any_text_at(from, key, kept);
}

std::string elements_of(simdjson::dom::array list) {
  std::string json = simdjson::minify(list);
  json.pop_back();
  return json.erase(0, 1);
}

simdjson::simdjson_result<simdjson::dom::element> event_parser::parse_any(std::string_view json) {
  if (lent_ == nullptr && !own_) own_ = std::make_unique<tolerant_parser>();
  return (lent_ != nullptr ? *lent_ : *own_).parse(json);
}

result<simdjson::dom::object> event_parser::parse(std::string_view json) {
  simdjson::dom::element root;
  if (const auto error = parse_any(json).get(root))
    return bad_stream(std::string("an event is not valid JSON: ") + simdjson::error_message(error));
  simdjson::dom::object event;
  if (root.get(event) != simdjson::SUCCESS) return bad_stream("an event is not a JSON object");
  return event;
}

void event_facts::clear() {
  name = {};
  kind = event_kind::progress;
  deltas.clear();
  usage.reset();
}

stream_event event_facts::event(wire_format spoken, std::span<const std::string_view> json, instant read_at) const {
  stream_event said{.kind = kind, .spoken = spoken, .json = json, .deltas = deltas};
  said.usage = usage ? &*usage : nullptr;
  said.read_at = read_at;
  said.name = name;
  return said;
}

}  // namespace photofinish::proxy
