#include "gateway/api/chat/chat_calls.hpp"

#include "proxy/conversation/argument_object.hpp"
#include "proxy/json/json_text.hpp"

namespace photofinish::gateway {
namespace {

using proxy::delta;
using proxy::delta_kind;
using proxy::json_quote;

// The memory in bytes of one tool call and its entry in the map of calls.
constexpr std::size_t call_bytes = 128;

bool begins_as_object(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

std::string in_list(const std::string& call) { return R"("tool_calls":[)" + call + "}]"; }

}  // namespace

std::optional<std::string> chat_calls::member_for(const delta& each, const std::string& google_signature) {
  return each.kind == delta_kind::call ? begin(each, google_signature) : arguments_for(each);
}

bool chat_calls::is_function_call(const delta& each) const {
  const auto found = functions_.find(each.choice);
  return found != functions_.end() && found->second == each.part;
}

std::int64_t chat_calls::index_of(const delta& each) const {
  const auto function = functions_.find(each.choice);
  return function != functions_.end() && function->second < each.part ? each.part - 1 : each.part;
}

std::string chat_calls::id_of(const delta& each) const {
  if (!each.id.empty() || each.text.empty()) return std::string(each.id);
  std::string id = "call_" + answer_id_ + "_";
  if (each.choice != 0) id += std::to_string(each.choice) + "_";
  return id + std::to_string(index_of(each));
}

// Writes a tool call's id, type, name and Gemini signature. The arguments follow in later deltas.
std::string chat_calls::begin(const delta& each, const std::string& google_signature) {
  const auto known = expected_.tools.find(std::string(each.text));
  const bool is_known = known != expected_.tools.end();
  const std::string name = json_quote(is_known ? std::string_view(known->second.name) : each.text);
  if (expected_.are_functions && functions_.try_emplace(each.choice, each.part).second)
    return R"("function_call":{"name":)" + name + R"(,"arguments":""})";
  std::string call = R"({"index":)" + std::to_string(index_of(each));
  if (const std::string id = id_of(each); !id.empty()) call += R"(,"id":)" + json_quote(id);
  const bool is_custom = is_known && known->second.kind == proxy::call_kind::custom;
  if (is_custom && custom_.try_emplace({each.choice, each.part}).second) held_ += call_bytes;
  if (is_custom) call += R"(,"type":"custom","custom":{"name":)" + name + R"(,"input":""})";
  else if (!each.text.empty()) call += R"(,"type":"function","function":{"name":)" + name + R"(,"arguments":""})";
  if (!google_signature.empty())
    call += R"(,"extra_content":{"google":{"thought_signature":)" + json_quote(google_signature) + "}}";
  return in_list(call);
}

std::optional<std::string> chat_calls::arguments_for(const delta& each) {
  if (is_function_call(each)) return R"("function_call":{"arguments":)" + json_quote(each.text) + "}";
  const auto custom = custom_.find({each.choice, each.part});
  if (custom == custom_.end())
    return in_list(R"({"index":)" + std::to_string(index_of(each)) + R"(,"function":{"arguments":)" +
                   json_quote(each.text) + "}");
  if (expected_.has_free_text) return custom_text(index_of(each), each.text);
  custom_call& call = custom->second;
  if (call.is_said) return std::nullopt;
  held_ += each.text.size();
  call.arguments += each.text;
  call.progress.add(each.text);
  if (!call.progress.is_whole() || !begins_as_object(call.arguments)) return std::nullopt;
  call.is_said = true;
  held_ -= call.arguments.size();
  return custom_text(index_of(each), proxy::free_text_in(std::exchange(call.arguments, {})));
}

std::string chat_calls::custom_text(std::int64_t index, std::string_view text) const {
  return in_list(R"({"index":)" + std::to_string(index) + R"(,"custom":{"input":)" + json_quote(text) + "}");
}

std::vector<std::string> chat_calls::rest_of(std::int64_t choice) {
  std::vector<std::string> members;
  for (auto& [at, call] : custom_) {
    if (at.first != choice || call.arguments.empty()) continue;
    call.is_said = true;
    held_ -= call.arguments.size();
    const delta its{.kind = delta_kind::call_arguments, .choice = at.first, .part = at.second};
    members.push_back(custom_text(index_of(its), proxy::free_text_in(std::exchange(call.arguments, {}))));
  }
  return members;
}

std::vector<std::int64_t> chat_calls::waiting() const {
  std::vector<std::int64_t> choices;
  for (const auto& [at, call] : custom_)
    if (!call.arguments.empty() && (choices.empty() || choices.back() != at.first)) choices.push_back(at.first);
  return choices;
}

std::string_view chat_calls::finish_word(const delta& finish) const {
  const bool is_calling = finish.reason == proxy::finish_reason::tool_calls;
  const bool is_function = is_calling && functions_.contains(finish.choice);
  return proxy::to_string(is_function ? proxy::finish_reason::function_call : finish.reason);
}

}  // namespace photofinish::gateway
