#include "proxy/conversation/writers/openai/carried_members.hpp"

#include "proxy/json/json_text.hpp"

#include <simdjson.h>

#include <optional>
#include <string_view>
#include <utility>

namespace photofinish::proxy {
namespace {

// The piece as its provider sent it: see chat_member_reader. Nothing if a client has changed it to another text.
std::optional<std::string> piece_of(const block& each) {
  if (each.readable_by != wire_format::openai_chat || each.signature.empty()) return std::nullopt;
  std::string piece = json_unescape(json_raw_string(each.signature));
  simdjson::dom::parser parser;  // a client may have written anything
  simdjson::dom::object object;
  if (parser.parse(piece).get(object) != simdjson::SUCCESS || object.size() == 0) return std::nullopt;
  return piece;
}

// The text is the block's own.
std::string with_text(const std::string& piece, std::string_view text) {
  const std::string_view own = text.empty() ? std::string_view(R"("")") : text;
  return std::string(R"({"text":)").append(own).append(",").append(piece, piece.find('{') + 1);
}

}  // namespace

// A signature of Google's stands before its call.
carried_members read_carried_members(std::span<const block> blocks) {
  carried_members members;
  std::string pending;
  for (const block& each : blocks) {
    if (each.kind == block_kind::call && !pending.empty()) members.of_calls[&each] = std::exchange(pending, {});
    const auto piece = piece_of(each);
    if (!piece) continue;
    if (const auto extra = json_find(*piece, "extra_content"); extra && json_is_object(*extra)) {
      if (!pending.empty()) members.extra = std::move(pending);
      pending = std::string(*extra);
    } else {
      const bool is_text = json_find(*piece, "type") == R"("reasoning.text")" && !json_find(*piece, "text");
      if (!members.details.empty()) members.details += ",";
      members.details += is_text ? with_text(*piece, each.text) : *piece;
    }
  }
  if (!pending.empty()) members.extra = std::move(pending);
  return members;
}

}  // namespace photofinish::proxy
