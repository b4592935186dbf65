#include "gateway/relay/costed_writer.hpp"

#include "gateway/api/passed_event.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/memory/long_text.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace photofinish::gateway {
namespace {

std::optional<std::string_view> usage_in(std::string_view object) {
  const auto usage = proxy::json_find(object, "usage");
  return usage && proxy::json_is_object(*usage) ? usage : std::nullopt;
}

bool shows_usage(std::string_view json) {
  constexpr std::string_view key = R"("usage")";
  const std::size_t found = json.find(key);
  if (found == std::string_view::npos) return false;
  const std::size_t value = json.find_first_not_of(" :", found + key.size());
  return value != std::string_view::npos && json[value] == '{';
}

// True if the event may contain the usage. The usage chunk at the end of a chat stream is recognized by its text,
// because its counts are not parsed.
bool may_show_usage(const proxy::stream_event& event) {
  return event.usage != nullptr || std::any_of(event.json.begin(), event.json.end(), shows_usage);
}

// Adds the cost to events. Each `data` line must contain the JSON of a single event.
std::string events_with_cost(std::string_view events, std::string_view cost) {
  std::string text;
  while (!events.empty()) {
    const std::size_t end = std::min(events.find('\n'), events.size() - 1) + 1;
    const std::string_view line = events.substr(0, end);
    events.remove_prefix(end);
    const std::string_view json = line.starts_with(event_begin) ? line.substr(event_begin.size()) : "";
    if (!json.starts_with('{')) text += line;
    else text.append(event_begin).append(with_cost(json, cost));
  }
  return text;
}

}  // namespace

std::string with_cost(std::string_view json, std::string_view cost) {
  auto usage = usage_in(json);
  const auto response = usage ? std::nullopt : proxy::json_find(json, "response");
  if (response && proxy::json_is_object(*response)) usage = usage_in(*response);
  if (!usage) return std::string(json);
  proxy::json_edits edits(json);
  const auto own = proxy::json_find(*usage, "cost");
  if (own) edits.replace(*own, cost);
  else edits.insert_member(*usage, R"("cost":)" + std::string(cost));
  return edits.text();
}

proxy::result<void> costed_writer::add(const proxy::stream_event& event, outgoing& to) {
  const bool is_wanted = !on_end_ && in_usage_ == usage_cost::shown;
  const std::string cost = is_wanted && may_show_usage(event) ? cost_() : std::string();
  if (cost.empty()) return inner_->add(event, to);
  written_.begin_batch();
  if (auto added = inner_->add(event, written_); !added) return added;
  text_ = written_with(cost);
  to.put(std::string_view(text_));
  return {};
}

void costed_writer::end(outgoing& to) {
  const std::string cost = cost_();
  if (on_end_) on_end_(cost);
  if (cost.empty() || in_usage_ == usage_cost::hidden) return inner_->end(to);
  written_.begin_batch();
  inner_->end(written_);
  to.put(proxy::long_text(written_with(cost)));
}

std::string costed_writer::written_with(std::string_view cost) {
  const std::string written = written_.take().text();
  return on_end_ ? with_cost(written, cost) : events_with_cost(written, cost);
}

}  // namespace photofinish::gateway
