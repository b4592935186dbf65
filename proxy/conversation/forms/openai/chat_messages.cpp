#include "proxy/conversation/forms/openai/chat_messages.hpp"

#include "proxy/conversation/tool_names.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

// What the client left out is still a value in JSON.
std::string_view or_null(std::string_view json) { return json.empty() ? "null" : json; }

class message_writer {
 public:
  message_writer(const conversation& said, translated_text& form) : said_(said), form_(form), out_(form.json) {}

  void write() {
    index_results();
    std::size_t at = write_instructions();
    while (at < said_.turns.size()) {
      const turn& each = said_.turns[at];
      if (each.who == speaker::assistant) write_assistant(each), ++at;
      else if (each.who == speaker::tool) write_results(each), ++at;
      else at = write_said(at);
    }
  }

 private:
  // What a user's message is made of.
  struct said_piece {
    const block* what;
    bool is_instruction;
  };

  // Messages

  void begin(std::string_view role) {
    out_.append(is_first_ ? "" : ",").append(R"({"role":")").append(role).append(R"(","content":)");
    is_first_ = false;
  }

  // What stands in front is one message: many templates take one system text alone, and at the beginning.
  std::size_t write_instructions() {
    std::vector<const block*> texts;
    std::size_t at = 0;
    for (; at < said_.turns.size() && is_instruction(said_.turns[at]); ++at)
      for (const block& each : said_.blocks_of(said_.turns[at])) note_text(each, texts);
    if (texts.empty()) return at;
    begin("system");
    write_joined(texts);
    out_ += "}";
    return at;
  }

  void note_text(const block& each, std::vector<const block*>& texts) {
    if (is_text(each)) texts.push_back(&each);
    else form_.unsupported = "system";
  }

  // All that is said between two answers is one user's message: many templates want the roles to alternate, and refuse
  // a system text that is not the first. Instructions in the middle are marked as Claude Code marks its own. Gives the
  // turn behind it.
  std::size_t write_said(std::size_t at) {
    std::vector<said_piece> pieces;
    for (; at < said_.turns.size(); ++at) {
      const turn& each = said_.turns[at];
      if (each.who == speaker::assistant || each.who == speaker::tool) break;
      for (const block& block : said_.blocks_of(each)) pieces.push_back({&block, is_instruction(each)});
    }
    if (pieces.empty()) return at;
    begin("user");
    const auto is_plain = [](const said_piece& each) { return is_text(*each.what); };
    // A string where there is only text, which every engine takes; else parts.
    if (std::all_of(pieces.begin(), pieces.end(), is_plain)) write_text_of(pieces);
    else write_parts_of(pieces);
    out_ += "}";
    return at;
  }

  void write_text_of(const std::vector<said_piece>& pieces) {
    out_ += "\"";
    const block* last = nullptr;
    for (const auto& [each, is_instruction] : pieces) {
      const std::string_view text = json_raw_string(each->text);
      if (text.empty()) continue;
      if (last != nullptr) out_ += last->item == each->item ? "\\n" : "\\n\\n";
      append_text(text, is_instruction);
      last = each;
    }
    out_ += "\"";
  }

  void append_text(std::string_view raw, bool is_instruction) {
    if (!is_instruction) out_ += raw;
    else out_.append("<system-reminder>\\n").append(raw).append("\\n</system-reminder>");
  }

  void write_parts_of(const std::vector<said_piece>& pieces) {
    out_ += "[";
    const std::size_t begun = out_.size();
    for (const auto& [each, is_instruction] : pieces) {
      if (!is_instruction || !is_text(*each)) {
        write_part(*each, begun);
        continue;
      }
      begin_part(begun);
      out_ += R"({"type":"text","text":")";
      append_text(json_raw_string(each->text), is_instruction);
      out_ += "\"}";
    }
    out_ += "]";
  }

  void begin_part(std::size_t list_begun) {
    if (out_.size() != list_begun) out_ += ",";
  }

  void write_part(const block& each, std::size_t begun) {
    if (is_text(each)) {
      if (each.text == R"("")") return;
      begin_part(begun);
      out_.append(R"({"type":"text","text":)").append(or_null(each.text)).append("}");
    } else if (each.kind == block_kind::image) {
      write_image(each, begun);
    } else if (each.kind == block_kind::document) {
      write_document(each, begun);
    } else if (each.kind == block_kind::audio) {
      begin_part(begun);
      out_.append(R"({"type":"input_audio","input_audio":{"data":)").append(or_null(each.data));
      out_.append(R"(,"format":)").append(or_null(each.media_type)).append("}}");
    } else {
      form_.unsupported = "content";
    }
  }

  void write_image(const block& each, std::size_t begun) {
    if (each.url.empty() && each.data.empty()) {
      form_.unsupported = "content.image.file_id";
      return;
    }
    begin_part(begun);
    out_ += R"({"type":"image_url","image_url":{"url":)";
    if (each.url.empty()) write_data_url(each);
    else out_ += each.url;
    if (!each.detail.empty()) out_.append(R"(,"detail":)").append(each.detail);
    out_ += "}}";
  }

  void write_data_url(const block& each) {
    out_.append("\"data:").append(json_raw_string(each.media_type)).append(";base64,");
    out_.append(json_raw_string(each.data)).append("\"");
  }

  void write_document(const block& each, std::size_t begun) {
    for (const block& part : said_.parts_of(each)) write_part(part, begun);
    if (each.parts > 0) return;
    if (!each.text.empty()) {
      begin_part(begun);
      out_.append(R"({"type":"text","text":)").append(each.text).append("}");
    } else if (!each.data.empty() || !each.file_id.empty()) {
      write_file(each, begun);
    } else {
      form_.unsupported = "content.document.url";
    }
  }

  void write_file(const block& each, std::size_t begun) {
    begin_part(begun);
    out_ += R"({"type":"file","file":{)";
    if (!each.title.empty() || !each.data.empty())
      out_.append(R"("filename":)").append(each.title.empty() ? R"("document.pdf")" : each.title).append(",");
    if (each.data.empty()) {
      out_.append(R"("file_id":)").append(each.file_id);
    } else {
      out_ += R"("file_data":)";
      if (each.media_type.empty()) out_ += each.data;
      else write_data_url(each);
    }
    out_ += "}}";
  }

  // Texts of one message of the client's are joined as they are where the model wrote them; others by line.
  void write_joined(const std::vector<const block*>& texts, bool is_assistant = false) {
    out_ += "\"";
    const block* last = nullptr;
    for (const block* each : texts) {
      const std::string_view text = json_raw_string(each->text);
      if (text.empty()) continue;
      const bool goes_on = is_assistant && last != nullptr && last->item == each->item;
      if (last != nullptr && !goes_on) out_ += "\\n";
      out_ += text;
      last = each;
    }
    out_ += "\"";
  }

  // The assistant

  void write_assistant(const turn& turn) {
    std::vector<const block*> texts, thoughts, calls;
    for (const block& each : said_.blocks_of(turn)) {
      if (each.is_restored) continue;
      if (is_text(each)) texts.push_back(&each);
      else if (each.kind == block_kind::reasoning) thoughts.push_back(&each);
      else if (each.kind == block_kind::call) calls.push_back(&each);
      else if (each.kind != block_kind::opaque) form_.unsupported = "content";
      const bool is_written = !each.raw.empty() && said_.from == wire_format::openai_chat;
      if (!each.signature.empty() && !is_written)
        drop_once("reasoning.signature");
    }
    if (texts.empty() && calls.empty()) {
      if (!thoughts.empty()) drop_once("reasoning");
      return;
    }
    begin("assistant");
    if (texts.empty()) out_ += "null";
    else write_joined(texts, true);
    if (!thoughts.empty()) {
      out_ += R"(,"reasoning_content":)";
      write_joined(thoughts);
    }
    write_details(turn);
    write_calls(calls);
    out_ += "}";
    for (const block* each : calls) write_result_of(*each);
    flush_images();
  }

  // As the client of a chat API sent them back.
  void write_details(const turn& turn) {
    if (said_.from != wire_format::openai_chat) return;
    bool is_first = true;
    for (const block& each : said_.blocks_of(turn)) {
      const bool is_detail = each.kind == block_kind::reasoning || each.kind == block_kind::opaque;
      if (!is_detail || each.raw.empty()) continue;
      out_.append(std::exchange(is_first, false) ? R"(,"reasoning_details":[)" : ",").append(each.raw);
    }
    if (!is_first) out_ += "]";
  }

  void drop_once(std::string_view name) {
    if (std::find(form_.dropped.begin(), form_.dropped.end(), name) == form_.dropped.end())
      form_.dropped.emplace_back(name);
  }

  void write_calls(const std::vector<const block*>& calls) {
    if (calls.empty()) return;
    out_ += R"(,"tool_calls":[)";
    for (const char* separator = ""; const block* each : calls) {
      out_.append(separator).append(R"({"id":)").append(or_null(each->call_id));
      out_.append(R"(,"type":"function","function":{"name":)");
      out_.append(json_quote(flat_tool_name(each->name_space, each->name))).append(R"(,"arguments":)");
      write_arguments(*each);
      out_ += "}}";
      separator = ",";
    }
    out_ += "]";
  }

  void write_arguments(const block& call) {
    const bool is_custom = call.called == call_kind::custom;
    if (is_custom) out_ += json_quote(R"({"input":)" + std::string(or_null(call.arguments)) + "}");
    else if (call.arguments == R"("")") out_ += R"("{}")";
    else if (json_is_string(call.arguments)) out_ += call.arguments;
    else out_ += json_quote(call.arguments.empty() ? "{}" : call.arguments);
  }

  // Results

  void index_results() {
    for (const block& each : said_.blocks)
      if (each.kind == block_kind::result) results_[each.call_id].push_back(&each);
    is_written_.resize(said_.blocks.size());
  }

  // The first one behind the call.
  void write_result_of(const block& call) {
    const auto found = results_.find(call.call_id);
    if (found == results_.end()) return;
    std::vector<const block*>& waiting = found->second;
    std::size_t& passed = passed_[call.call_id];  // no later call wants those: each is looked at once
    while (passed < waiting.size() && waiting[passed] < &call) ++passed;
    if (passed < waiting.size()) write_result(*waiting[passed++]);
  }

  void write_results(const turn& turn) {
    for (const block& each : said_.blocks_of(turn))
      if (!is_written_[index_of(each)]) write_result(each);
    flush_images();
  }

  std::size_t index_of(const block& each) const { return static_cast<std::size_t>(&each - said_.blocks.data()); }

  void write_result(const block& each) {
    is_written_[index_of(each)] = true;
    begin("tool");
    if (each.is_error) drop_once("is_error");
    if (each.parts == 0) {
      out_ += each.text.empty() ? std::string_view(R"("")") : each.text;
    } else {
      std::vector<const block*> texts;
      for (const block& part : said_.parts_of(each)) (is_text(part) ? texts : images_).push_back(&part);
      write_joined(texts);
    }
    out_.append(R"(,"tool_call_id":)").append(or_null(each.call_id)).append("}");
  }

  // A tool's message holds text alone: what else it brought follows behind the last result, as the user's.
  void flush_images() {
    if (images_.empty()) return;
    begin("user");
    out_ += "[";
    const std::size_t begun = out_.size();
    for (const block* each : images_) write_part(*each, begun);
    out_ += "]}";
    images_.clear();
  }

  const conversation& said_;
  translated_text& form_;
  std::string& out_;
  bool is_first_ = true;
  std::map<std::string_view, std::vector<const block*>> results_;
  std::map<std::string_view, std::size_t> passed_;  // of those, how many stand before the next call
  std::vector<bool> is_written_;
  std::vector<const block*> images_;
};

}  // namespace

void write_chat_messages(const conversation& said, translated_text& form) { message_writer(said, form).write(); }

}  // namespace photofinish::proxy
