#include "proxy/conversation/forms/messages_turns.hpp"

#include "proxy/conversation/forms/argument_object.hpp"
#include "proxy/conversation/forms/messages_blocks.hpp"
#include "proxy/conversation/tool_names.hpp"
#include "proxy/json/character_set.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr character_set id_letters{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"};

// A conversation must begin with its user, and some clients' do not.
constexpr std::string_view opening = R"({"type":"text","text":"Begin."})";
constexpr std::string_view without_result = R"("No result of this call was recorded.")";

bool is_text(const block& each) { return each.kind == block_kind::text || each.kind == block_kind::refusal; }

bool is_instruction(const turn& each) { return each.who == speaker::system || each.who == speaker::developer; }

// A client of OpenAI's chat may set it on a part of its own.
std::string_view cache_mark_of(const block& each) {
  if (!is_text(each) || each.raw.find("cache_control") == std::string_view::npos) return {};
  const auto mark = json_find(each.raw, "cache_control");
  return mark && json_is_object(*mark) ? *mark : std::string_view{};
}

class turn_writer {
 public:
  turn_writer(const conversation& said, translated_text& form) : said_(said), form_(form), out_(form.json) {}

  void write() {
    index_results();
    std::size_t at = write_instructions();
    out_ += R"("messages":[)";
    for (; at < said_.turns.size(); ++at) {
      const turn& each = said_.turns[at];
      if (each.who == speaker::assistant) {
        write_assistant(each, at + 1 == said_.turns.size());
        continue;
      }
      write_results_of_calls();
      for (const block& part : said_.blocks_of(each)) write_said(part, is_instruction(each));
    }
    write_results_of_calls();
    if (now_ == role::none) begin(role::user, opening);
    out_ += "]}]";
  }

 private:
  enum class role { none, user, assistant };

  struct open_call {
    const block* call;
    std::string id;
  };

  // What stands in front.
  std::size_t write_instructions() {
    std::size_t at = 0;
    std::string texts;
    for (; at < said_.turns.size() && is_instruction(said_.turns[at]); ++at) {
      for (const block& each : said_.blocks_of(said_.turns[at])) {
        if (!is_text(each)) form_.unsupported = "system";
        else if (!is_blank(json_raw_string(each.text))) texts.append(texts.empty() ? "" : ",").append(text_of(each));
      }
    }
    if (!texts.empty()) out_.append(R"("system":[)").append(texts).append("],");
    return at;
  }

  static std::string text_of(const block& each) {
    std::string text = R"({"type":"text","text":)";
    text.append(each.text);
    if (const auto mark = cache_mark_of(each); !mark.empty()) text.append(R"(,"cache_control":)").append(mark);
    return text.append("}");
  }

  // A block of that role's message: messages of one role are one, so that the roles alternate whatever was left out.
  void begin(role who, std::string_view block) {
    if (now_ == who) {
      out_.append(",").append(block);
      return;
    }
    if (now_ == role::none && who == role::assistant) begin(role::user, opening);
    out_.append(now_ == role::none ? "" : "]},").append(R"({"role":")");
    out_.append(who == role::user ? "user" : "assistant").append(R"(","content":[)").append(block);
    now_ = who;
  }

  // What a user, a tool or an instruction in the middle says; those are marked as Claude Code marks its own.
  void write_said(const block& each, bool is_instruction) {
    if (each.kind == block_kind::result) return write_left_result(each);
    if (!is_text(each)) return put(role::user, media_block(each, form_));
    const std::string_view text = json_raw_string(each.text);
    if (is_blank(text)) return;
    if (!is_instruction) return put(role::user, text_of(each));
    put(role::user, R"({"type":"text","text":"<system-reminder>\n)" + std::string(text) + R"(\n</system-reminder>"})");
  }

  void put(role who, const std::string& block) {
    if (!block.empty()) begin(who, block);
  }

  // The assistant

  void write_assistant(const turn& turn, bool is_last) {
    const auto blocks = said_.blocks_of(turn);
    for (const block& each : blocks) {
      switch (each.kind) {
        case block_kind::text:
        case block_kind::refusal: write_own_text(each, is_last && &each == &blocks.back()); break;
        case block_kind::reasoning:
        case block_kind::opaque: write_thought(each); break;
        case block_kind::call: write_call(each); break;
        default: form_.unsupported = "content";
      }
    }
  }

  // Where the model is to go on with it, it may not end in white space.
  void write_own_text(const block& each, bool is_last) {
    const std::string_view text = json_raw_string(each.text);
    if (is_blank(text)) return;
    const std::string_view kept = is_last ? without_blank_end(text) : text;
    put(role::assistant, R"({"type":"text","text":")" + std::string(kept) + "\"}");
  }

  // Only what this family signed can be read there; all else would have the whole request refused.
  void write_thought(const block& each) {
    if (each.readable_by != wire_format::anthropic_messages || each.signature.empty()) return drop_once("reasoning");
    if (each.kind == block_kind::opaque)
      return put(role::assistant, R"({"type":"redacted_thinking","data":)" + std::string(each.signature) + "}");
    const std::string_view text = each.text.empty() ? std::string_view(R"("")") : each.text;
    put(role::assistant, R"({"type":"thinking","thinking":)" + std::string(text) + R"(,"signature":)" +
                             std::string(each.signature) + "}");
  }

  void write_call(const block& each) {
    open_call open{&each, id_for(each)};
    std::string call = R"({"type":"tool_use","id":")" + open.id + R"(","name":)" +
                       json_quote(flat_tool_name(each.name_space, each.name)) + R"(,"input":)";
    append_argument_object(each, call);
    put(role::assistant, call + "}");
    calls_.push_back(std::move(open));
  }

  // Each call of a request has an id of its own, of these letters.
  std::string id_for(const block& call) {
    std::string id = json_unescape(json_raw_string(call.call_id));
    for (char& each : id)
      if (!id_letters.holds(each)) each = '_';
    if (id.empty()) id = "call";
    if (ids_.insert(id).second) return id;
    std::size_t& number = repeated_.try_emplace(id, 1).first->second;
    std::string other;
    do other = id + "_" + std::to_string(++number);
    while (!ids_.insert(other).second);
    return other;
  }

  // Results

  void index_results() {
    for (const block& each : said_.blocks)
      if (each.kind == block_kind::result) results_[each.call_id].push_back(&each);
  }

  // Behind the assistant's message stand the results of all its calls, first of all.
  void write_results_of_calls() {
    for (const open_call& each : calls_) {
      const block* const result = result_of(*each.call);
      if (result != nullptr) written_.insert(result);
      put(role::user, result_block(each.id, result));
    }
    calls_.clear();
  }

  // The first one behind the call that no earlier call has taken.
  const block* result_of(const block& call) {
    const auto found = results_.find(call.call_id);
    if (found == results_.end()) return nullptr;
    std::size_t& passed = passed_[call.call_id];
    while (passed < found->second.size() && found->second[passed] < &call) ++passed;
    return passed < found->second.size() ? found->second[passed++] : nullptr;
  }

  std::string result_block(const std::string& id, const block* result) {
    std::string block = R"({"type":"tool_result","tool_use_id":")" + id + "\"";
    if (result == nullptr) return block.append(R"(,"content":)").append(without_result).append(R"(,"is_error":true})");
    const std::string parts = parts_of(*result);
    if (!parts.empty()) block.append(R"(,"content":[)").append(parts).append("]");
    else if (json_is_string(result->text)) block.append(R"(,"content":)").append(result->text);
    if (result->is_error) block.append(R"(,"is_error":true)");
    return block.append("}");
  }

  std::string parts_of(const block& result) {
    std::string parts;
    for (const block& each : said_.parts_of(result)) {
      if (is_text(each) && is_blank(json_raw_string(each.text))) continue;
      const std::string part = is_text(each) ? text_of(each) : media_block(each, form_);
      if (!part.empty()) parts.append(parts.empty() ? "" : ",").append(part);
    }
    return parts;
  }

  // A result whose call is not there, or has one already, is a text.
  void write_left_result(const block& each) {
    if (written_.contains(&each)) return;
    if (!is_blank(json_raw_string(each.text))) put(role::user, text_of(each));
    const std::string parts = parts_of(each);
    if (!parts.empty()) begin(role::user, parts);
  }

  void drop_once(std::string_view name) {
    if (std::find(form_.dropped.begin(), form_.dropped.end(), name) == form_.dropped.end())
      form_.dropped.emplace_back(name);
  }

  const conversation& said_;
  translated_text& form_;
  std::string& out_;
  role now_ = role::none;
  std::vector<open_call> calls_;  // of the message that is open
  std::unordered_set<std::string> ids_;
  std::unordered_map<std::string, std::size_t> repeated_;  // an id -> the last number behind it
  std::unordered_map<std::string_view, std::vector<const block*>> results_;
  std::unordered_map<std::string_view, std::size_t> passed_;
  std::unordered_set<const block*> written_;
};

}  // namespace

void write_messages_turns(const conversation& said, translated_text& form) { turn_writer(said, form).write(); }

}  // namespace photofinish::proxy
