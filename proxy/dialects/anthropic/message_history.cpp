#include "proxy/dialects/anthropic/message_history.hpp"

#include "proxy/conversation/carried_signature.hpp"
#include "proxy/conversation/object_members.hpp"
#include "proxy/json/json_text.hpp"

namespace photofinish::proxy {
namespace {

constexpr std::string_view stand_in = R"({"type":"text","text":"No answer."})";

bool is_thinking(std::string_view type) { return type == "thinking" || type == "redacted_thinking"; }

// A signature of another family comes packed, or as none: what is not signed is refused like what is signed wrongly.
bool is_foreign(const object_members& block, std::string_view type) {
  const std::string_view signature = json_raw_string(block[type == "thinking" ? "signature" : "data"]);
  return signature.empty() || unpack_signature(signature).has_value();
}

// From one element to another that stays, with the commas between them.
std::string_view between(const char* from, const char* to) { return {from, static_cast<std::size_t>(to - from)}; }

const char* end_of(std::string_view part) { return part.data() + part.size(); }

class history_cleaner {
 public:
  explicit history_cleaner(json_edits& edits) : edits_(edits) {}

  history_facts clean(std::string_view messages) {
    json_walk walk(messages);
    while (const auto message = walk.next_element()) {
      if (!json_is_object(*message)) continue;
      const object_members members(*message);
      const std::string_view role = members.word("role"), content = members["content"];
      if (role == "assistant") begins_with_thinking_ = json_is_array(content) && clean_blocks(content);
      facts_.lacks_thinking_of_calls = role == "user" && !begins_with_thinking_ && has_result(content);
    }
    return facts_;
  }

 private:
  // Whether what is left begins with thinking.
  bool clean_blocks(std::string_view content) {
    bool has_first = false, is_first_thinking = false;
    const char* kept_to = nullptr;  // the end of the last one that stays
    std::string_view run;           // those that go, since then
    json_walk walk(content);
    while (const auto each = walk.next_element()) {
      const auto type = json_find(*each, "type");
      const std::string_view word = type ? json_raw_string(*type) : std::string_view{};
      if (is_thinking(word) && is_foreign(object_members(*each), word)) {
        run = run.empty() ? *each : between(run.data(), end_of(*each));
        facts_.has_removed = true;
        continue;
      }
      if (!has_first) is_first_thinking = is_thinking(word);
      has_first = true;
      remove(run, kept_to, each->data());
      run = {};
      kept_to = end_of(*each);
    }
    if (!run.empty() && kept_to == nullptr) edits_.replace(run, stand_in);
    else remove(run, kept_to, end_of(run));
    return is_first_thinking;
  }

  void remove(std::string_view run, const char* kept_to, const char* next) {
    if (run.empty()) return;
    if (kept_to != nullptr) edits_.remove(between(kept_to, end_of(run)));
    else edits_.remove(between(run.data(), next));
  }

  static bool has_result(std::string_view content) {
    if (!json_is_array(content)) return false;
    json_walk walk(content);
    while (const auto each = walk.next_element())
      if (json_find(*each, "type") == R"("tool_result")") return true;
    return false;
  }

  json_edits& edits_;
  history_facts facts_;
  bool begins_with_thinking_ = false;
};

}  // namespace

history_facts clean_history(std::string_view messages, json_edits& edits) {
  return json_is_array(messages) ? history_cleaner(edits).clean(messages) : history_facts{};
}

}  // namespace photofinish::proxy
