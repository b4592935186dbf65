#include "proxy/conversation/conversation_builder.hpp"

#include <algorithm>

namespace photofinish::proxy {
namespace {

constexpr std::size_t max_needs = 8;
constexpr std::size_t longest_need = 80;  // parts of it are the client's words

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

bool conversation_builder::add(const block& each) {
  if (is_full()) return false;
  made_.blocks.push_back(each);
  made_.blocks.back().item = static_cast<std::uint32_t>(index_);
  ++made_.turns.back().blocks;
  return true;
}

bool conversation_builder::add_part(const block& each) {
  if (is_full()) return false;
  made_.parts.push_back(each);
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
  bool are_texts = json_is_string(value) || json_is_array(value);
  json_walk walk(json_is_array(value) ? value : std::string_view("[]"));
  while (const auto each = walk.next_element()) are_texts &= json_is_string(*each);
  if (are_texts) made_.stop = value;
  else need_native(name);
}

void conversation_builder::take_flag(std::string_view value, std::string_view name, std::optional<bool>& into) {
  if (value == "true" || value == "false") into = value == "true";
  else need_native(name);
}

std::variant<conversation, request_fault> conversation_builder::finish() {
  if (fault_) return std::move(*fault_);
  return std::move(made_);
}

}  // namespace photofinish::proxy
