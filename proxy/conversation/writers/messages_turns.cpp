#include "proxy/conversation/writers/messages_turns.hpp"

#include "proxy/conversation/writers/alternating_turns.hpp"
#include "proxy/conversation/writers/messages_blocks.hpp"

#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

constexpr character_set messages_id_letters{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"};

class messages_turns final : public alternating_turns {
 public:
  messages_turns(const conversation& said, translated_text& form)
      : alternating_turns(said, form, {messages_id_letters}) {}

 private:
  std::string text_block(std::string_view text, const block& of) override {
    std::string made = R"({"type":"text","text":)";
    made.append(text);
    return made.append(is_text(of) ? cache_mark_of(of) : std::string()).append("}");
  }

  static std::string cache_mark_of(const block& each) {
    return each.cache_mark.empty() ? std::string() : R"(,"cache_control":)" + std::string(each.cache_mark);
  }

  std::string media(const block& each) override {
    std::string made = media_block(each, form_);
    if (!made.empty()) made.insert(made.size() - 1, cache_mark_of(each));
    return made;
  }

  // Only what this family signed can be read there.
  std::string thought(const block& each) override {
    if (each.readable_by != wire_format::anthropic_messages) return {};
    if (each.kind == block_kind::opaque)
      return R"({"type":"redacted_thinking","data":)" + std::string(each.signature) + "}";
    const std::string_view text = each.text.empty() ? std::string_view(R"("")") : each.text;
    return R"({"type":"thinking","thinking":)" + std::string(text) + R"(,"signature":)" + std::string(each.signature) +
           "}";
  }

  std::string call_block(const std::string& id, std::string_view name, std::string_view arguments) override {
    std::string made = R"({"type":"tool_use","id":")" + id + R"(","name":)" + json_quote(name);
    return made.append(R"(,"input":)").append(arguments).append("}");
  }

  std::string result_block(const std::string& id, const block* result) override {
    std::string made = R"({"type":"tool_result","tool_use_id":")" + id + "\"";
    if (result == nullptr) return made.append(R"(,"content":)").append(missing_result).append(R"(,"is_error":true})");
    const std::string parts = parts_of(*result);
    if (!parts.empty()) made.append(R"(,"content":[)").append(parts).append("]");
    else if (json_is_string(result->text)) made.append(R"(,"content":)").append(result->text);
    if (result->is_error) made.append(R"(,"is_error":true)");
    made += cache_mark_of(*result);
    return made.append("}");
  }
};

}  // namespace

void write_messages_turns(const conversation& said, translated_text& form) { messages_turns(said, form).write(); }

}  // namespace photofinish::proxy
