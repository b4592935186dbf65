#include "proxy/conversation/reasoning_details.hpp"

#include "proxy/conversation/object_members.hpp"
#include "proxy/conversation/tool_reader.hpp"
#include "proxy/json/json_text.hpp"

#include <array>
#include <map>

namespace photofinish::proxy {
namespace {

struct known_format {
  std::string_view word;
  wire_format readable_by;
};

constexpr std::array<known_format, 6> detail_formats{{{"anthropic-claude-v1", wire_format::anthropic_messages},
                                               {"google-gemini-v1", wire_format::gemini},
                                               {"amazon-bedrock-v1", wire_format::bedrock_converse},
                                               {"openai-responses-v1", wire_format::openai_responses},
                                               {"xai-responses-v1", wire_format::openai_responses},
                                               {"openai-chat-v1", wire_format::openai_chat}}};

std::string_view word_for(std::string_view readable_by) {
  const wire_format format = format_called(readable_by);
  for (const known_format& each : detail_formats)
    if (each.readable_by == format) return each.word;
  return "unknown";
}

wire_format readable_by(std::string_view word) {
  for (const known_format& each : detail_formats)
    if (each.word == word) return each.readable_by;
  return wire_format::none;
}

// True if the signature signs the reasoning text that the client sees. Anthropic and Converse sign this text, even if
// it is empty. All other providers send encrypted data that contains more than the text, and the text is only a
// summary.
bool is_signed_text(const reasoning_detail& each) {
  const wire_format by = format_called(each.readable_by);
  const bool signs_texts = by == wire_format::anthropic_messages || by == wire_format::bedrock_converse ||
                           by == wire_format::openai_chat;
  return each.kind == block_kind::reasoning && signs_texts;
}

class detail_list {
 public:
  explicit detail_list(std::deque<std::string>& made) : made_(made) {}

  void add(std::string_view value) {
    const object_members detail(value);
    const std::string_view type = detail.word("type");
    if (type == "reasoning.encrypted") return add_blob(detail, value);
    if (type == "reasoning.text") return add_text(detail, detail["text"], value);
    if (type == "reasoning.summary") add_text(detail, detail["summary"], value);
  }

  std::size_t size() const { return all_.size(); }
  std::vector<placed_reasoning> take() && { return std::move(all_); }

 private:
  void add_blob(const object_members& detail, std::string_view value) {
    if (json_raw_string(detail["data"]).empty()) return;
    block opaque{.kind = block_kind::opaque, .readable_by = readable_by(detail.word("format")), .raw = value};
    opaque.signature = detail["data"];
    if (json_is_string(detail["item_id"])) opaque.id = detail["item_id"];
    all_.push_back({opaque, detail["id"]});
  }

  // Adds a text of the reasoning, or a fragment of a text if the client stored the stream's fragments separately. Joins
  // fragments that have the same type and index.
  void add_text(const object_members& detail, std::string_view text, std::string_view value) {
    const bool is_signed = !json_raw_string(detail["signature"]).empty();
    if (!json_is_string(text) && !is_signed) return;
    const std::string_view type = detail.word("type"), index = detail["index"];
    auto& known = type == "reasoning.text" ? texts_ : summaries_;
    const auto found = index.empty() ? known.end() : known.find(index);
    const std::size_t at = found == known.end() ? all_.size() : found->second.at;
    if (at < all_.size()) {
      append(found->second, text);
    } else {
      if (!index.empty()) known.emplace(index, text_place{at, nullptr});
      const std::string_view said = json_is_string(text) ? text : R"("")";
      all_.push_back({{.kind = block_kind::reasoning, .text = said, .raw = value}, {}});
    }
    placed_reasoning& into = all_[at];
    if (is_signed) into.what.signature = detail["signature"];
    if (const wire_format whose = readable_by(detail.word("format")); whose != wire_format::none)
      into.what.readable_by = whose;
    if (!detail["id"].empty()) into.call_id = detail["id"];
  }

  struct text_place {
    std::size_t at;       // the index of the text's block in all_
    std::string* joined;  // the joined text; null if the text has only one fragment
  };

  // Appends a fragment to a text. Both arguments are JSON strings with quotes.
  void append(text_place& place, std::string_view more) {
    block& into = all_[place.at].what;
    into.raw = {};
    if (!json_is_string(more)) return;
    if (place.joined == nullptr) place.joined = &made_.emplace_back(into.text);
    place.joined->insert(place.joined->size() - 1, json_raw_string(more));
    into.text = *place.joined;
  }

  std::deque<std::string>& made_;
  std::vector<placed_reasoning> all_;
  // All texts and summaries of the reasoning; the key is the member `index` as JSON.
  std::map<std::string_view, text_place> texts_, summaries_;
};

}  // namespace

std::size_t append_reasoning_detail(std::string& list, const reasoning_detail& each, std::size_t index) {
  const auto begin = [&](std::string_view type) {
    list.append(list.empty() ? "" : ",").append(R"({"type":"reasoning.)").append(type).append("\"");
  };
  const auto end = [&] {
    if (!each.call_id.empty()) list.append(R"(,"id":)").append(json_quote(each.call_id));
    list.append(R"(,"format":")").append(word_for(each.readable_by));
    list.append(R"(","index":)").append(std::to_string(index++)).append("}");
  };
  if (is_signed_text(each)) {
    begin("text");
    list.append(R"(,"text":)").append(json_quote(each.text));
    list.append(R"(,"signature":)").append(json_quote(each.signature));
    end();
    return index;
  }
  if (!each.text.empty()) {
    begin("summary");
    list.append(R"(,"summary":)").append(json_quote(each.text));
    end();
  }
  begin("encrypted");
  list.append(R"(,"data":)").append(json_quote(each.signature));
  if (!each.item.empty()) list.append(R"(,"item_id":)").append(json_quote(each.item));
  end();
  return index;
}

std::optional<std::vector<placed_reasoning>> read_reasoning_details(std::string_view list,
                                                                    std::deque<std::string>& made) {
  detail_list all(made);
  for (const std::string_view each : json_elements(list)) {
    all.add(each);
    if (all.size() > most_reasoning_parts) return std::nullopt;
  }
  return std::move(all).take();
}

}  // namespace photofinish::proxy
