#include "proxy/conversation/conversation_builder.hpp"

#include "proxy/json/values/data_url.hpp"

#include <algorithm>

namespace photofinish::proxy {
namespace {

constexpr std::size_t max_needs = 8;
// The maximum size of a feature's name, in bytes. A limit is needed because a client can choose parts of the name.
constexpr std::size_t longest_need = 80;

// Removes spaces and escaped line ends from a raw JSON string that contains base64. Some clients break lines after 76
// letters, and no provider accepts such line breaks.
std::string without_breaks(std::string_view raw) {
  std::string kept_text;
  kept_text.reserve(raw.size());
  for (std::size_t index = 0; index < raw.size(); ++index) {
    if (raw[index] == ' ') continue;
    const bool is_escape = raw[index] == '\\' && index + 1 < raw.size();
    const char escaped = is_escape ? raw[index + 1] : '\0';
    if (is_escape && (escaped == 'n' || escaped == 'r' || escaped == 't')) ++index;
    else kept_text += raw[index];
  }
  return kept_text;
}

std::string place(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

}  // namespace

void conversation_builder::begin_turn(speaker who) {
  made_.turns.push_back({who, static_cast<std::uint32_t>(made_.blocks.size()), 0});
}

void conversation_builder::go_on_as(speaker who) {
  if (made_.turns.empty() || made_.turns.back().who != who) begin_turn(who);
}

bool conversation_builder::is_full() {
  if (made_.blocks.size() + made_.parts.size() < max_blocks) return false;
  if (!fault_)
    fault_ = request_fault{std::string(list_),
                           "the request has more than " + std::to_string(max_blocks) + " content blocks"};
  return true;
}

// Most base64 has no line breaks. These fast searches detect this, so that the text need not be copied.
std::string_view conversation_builder::joined_base64(std::string_view quoted) {
  const std::string_view raw = json_raw_string(quoted);
  if (raw.find(' ') == std::string_view::npos && raw.find("\\n") == std::string_view::npos &&
      raw.find("\\r") == std::string_view::npos)
    return quoted;
  return keep("\"" + without_breaks(raw) + "\"");
}

// Removes line breaks from the base64 data of a block, and from the block's address if the address is a data: URL.
void conversation_builder::join_media(block& each) {
  if (each.kind != block_kind::image && each.kind != block_kind::document && each.kind != block_kind::audio) return;
  if (json_is_string(each.media.data)) each.media.data = joined_base64(each.media.data);
  if (json_is_string(each.media.url) && read_data_url(json_raw_string(each.media.url)))
    each.media.url = joined_base64(each.media.url);
}

bool conversation_builder::add(const block& each) {
  if (is_full()) return false;
  made_.blocks.push_back(each);
  join_media(made_.blocks.back());
  made_.blocks.back().item = static_cast<std::uint32_t>(index_);
  ++made_.turns.back().blocks;
  return true;
}

bool conversation_builder::add_part(const block& each) {
  if (is_full()) return false;
  made_.parts.push_back(each);
  join_media(made_.parts.back());
  return true;
}

void conversation_builder::hint(std::string_view name) {
  if (std::find(made_.hints.begin(), made_.hints.end(), name) == made_.hints.end()) made_.hints.push_back(name);
}

void conversation_builder::need_native(std::string_view name) {
  name = name.substr(0, longest_need);
  auto& needs = made_.native_needs;
  if (needs.size() < max_needs && std::find(needs.begin(), needs.end(), name) == needs.end()) needs.emplace_back(name);
}

void conversation_builder::offer_hosted_tool(std::string_view type) {
  // The model can answer without a web search. It can also do without a tool search, because other APIs get all tools
  // that Anthropic's tool search could find.
  const bool is_search = type.starts_with("web_search") || type.starts_with("web_fetch") ||
                         type.starts_with("tool_search_tool_");
  const std::string name = "tools." + std::string(type.empty() ? "type" : type.substr(0, longest_need));
  if (!is_search) need_native(name);
  else if (searches_.size() < max_needs) searches_.push_back(keep(name));
}

// Decides whether the request can be served without the search tools that the client's provider runs. A coding agent
// offers a web search next to its own tools, even if the model never uses the search. If the client forces the model to
// search, the search tool is required.
void conversation_builder::settle_searches() {
  const auto& tools = made_.tools;
  const auto is_chosen = [this](const tool& each) { return each.name == made_.choice.name; };
  const bool is_own = made_.choice.kind != choice_kind::named || std::any_of(tools.begin(), tools.end(), is_chosen);
  const bool is_optional = !tools.empty() && is_own;
  for (const std::string_view name : searches_) is_optional ? hint(name) : need_native(name);
}

void conversation_builder::enter(std::string_view list, std::size_t index) {
  list_ = list;
  index_ = index;
  part_list_ = {};
}

void conversation_builder::enter_part(std::string_view list, std::size_t index) {
  part_list_ = list;
  part_index_ = index;
}

bool conversation_builder::fail(std::string_view member, std::string_view expected) {
  if (fault_) return false;
  std::string path;
  if (!list_.empty()) path = place(list_, index_);
  if (!part_list_.empty()) path.append(".").append(place(part_list_, part_index_));
  if (!path.empty() && !member.empty()) path += ".";
  path += member;
  std::string message("'");
  message.append(path).append("' ").append(expected);
  fault_ = request_fault{std::move(path), std::move(message)};
  return false;
}

bool conversation_builder::check_text(std::string_view value, std::string_view member) {
  return json_is_string(value) || fail(member, "must be a string");
}

void conversation_builder::take_number(std::string_view value, std::string_view name, std::string_view& into) {
  const bool is_number = !value.empty() && (value.front() == '-' || (value.front() >= '0' && value.front() <= '9'));
  if (is_number) into = value;
  else need_native(name);
}

void conversation_builder::take_text(std::string_view value, std::string_view name, std::string_view& into) {
  if (json_is_string(value)) into = value;
  else need_native(name);
}

void conversation_builder::take_stops(std::string_view value, std::string_view name) {
  const std::string list = json_is_array(value) ? std::string(value) : "[" + std::string(value) + "]";
  std::string kept_stops;
  bool has_empty = false;
  for (const std::string_view each : json_elements(list)) {
    if (!json_is_string(each)) return need_native(name);
    if (json_raw_string(each).empty()) has_empty = true;
    else kept_stops.append(kept_stops.empty() ? "[" : ",").append(each);
  }
  if (!has_empty) made_.sampling.stop = value;
  else if (!kept_stops.empty()) made_.sampling.stop = keep(kept_stops + "]");
  if (has_empty) hint(name);  // an empty stop sequence stops nothing, and most providers refuse it
}

void conversation_builder::take_flag(std::string_view value, std::string_view name, std::optional<bool>& into) {
  if (value == "true" || value == "false") into = value == "true";
  else need_native(name);
}

std::variant<conversation, request_fault> conversation_builder::finish() {
  if (fault_) return std::move(*fault_);
  settle_searches();
  return std::move(made_);
}

}  // namespace photofinish::proxy
