#include "proxy/conversation/writers/alternating_turns.hpp"

#include "proxy/conversation/argument_object.hpp"
#include "proxy/conversation/tool_names.hpp"

#include <utility>

namespace photofinish::proxy {
namespace {

// A JSON string: the text of a user message that is added before the client's messages if these begin with the
// assistant. The APIs require that a conversation begins with the user.
constexpr std::string_view opening = R"("Begin.")";

}  // namespace

bool is_blank(std::string_view raw) { return without_blank_end(raw).empty(); }

std::string_view without_blank_end(std::string_view raw) {
  while (!raw.empty()) {
    if (raw.back() == ' ') {
      raw.remove_suffix(1);
      continue;
    }
    const char last = raw.back();
    if (last != 'n' && last != 't' && last != 'r') return raw;
    std::size_t slashes = 0;
    while (slashes + 1 < raw.size() && raw[raw.size() - 2 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return raw;
    raw.remove_suffix(2);
  }
  return raw;
}

void alternating_turns::write() {
  std::size_t at = write_instructions();
  form_.json += R"("messages":[)";
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
  if (now_ == role::none) begin(role::user, text_block(opening, {}));
  end();
  form_.json += "]";
}

// Writes the client's instructions that precede the first message.
std::size_t alternating_turns::write_instructions() {
  std::size_t at = 0;
  std::string texts;
  for (; at < said_.turns.size() && is_instruction(said_.turns[at]); ++at) {
    for (const block& each : said_.blocks_of(said_.turns[at])) {
      if (!is_text(each)) form_.unsupported = "system";
      else if (!is_blank(json_raw_string(each.text)))
        texts.append(texts.empty() ? "" : ",").append(text_block(each.text, each));
    }
  }
  if (!texts.empty()) form_.json.append(R"("system":[)").append(texts).append("],");
  return at;
}

// Adds a block to the current message if this message has the role `who`. Otherwise begins a new message. Roles
// therefore alternate, even if blocks between two messages were omitted.
void alternating_turns::begin(role who, std::string_view block) {
  if (now_ == who) {
    form_.json.append(",").append(block);
    return;
  }
  if (now_ == role::none && who == role::assistant) begin(role::user, text_block(opening, {}));
  end();
  form_.json.append(now_ == role::none ? "" : ",").append(R"({"role":")");
  form_.json.append(who == role::user ? "user" : "assistant").append(R"(","content":[)").append(block);
  now_ = who;
}

void alternating_turns::end() {
  if (now_ == role::none) return;
  if (const std::string more = last_block(); !more.empty()) form_.json.append(",").append(more);
  form_.json += "]}";
}

// Writes the text of a user or a tool, or an instruction in the middle of the conversation. Such an instruction is
// enclosed in the tags that Claude Code uses for its own instructions.
void alternating_turns::write_said(const block& each, bool is_instruction) {
  if (each.kind == block_kind::result) return write_left_result(each);
  if (!is_text(each)) return put(role::user, media(each));
  const std::string_view text = json_raw_string(each.text);
  if (is_blank(text)) return;
  if (!is_instruction) return put(role::user, text_block(each.text, each));
  put(role::user, text_block(R"("<system-reminder>\n)" + std::string(text) + R"(\n</system-reminder>")", each));
}

void alternating_turns::put(role who, const std::string& block) {
  if (!block.empty()) begin(who, block);
}

// The assistant

void alternating_turns::write_assistant(const turn& turn, bool is_last) {
  const auto blocks = said_.blocks_of(turn);
  for (const block& each : blocks) {
    switch (each.kind) {
      case block_kind::text:
      case block_kind::refusal: write_own_text(each, is_last && &each == &blocks.back()); break;
      case block_kind::reasoning:
      case block_kind::opaque: write_thought(each); break;
      case block_kind::call: write_call(each); break;
      case block_kind::hosted: break;
      default: form_.unsupported = "content";
    }
  }
}

// Writes text of the assistant. If the conversation ends with this text, the model has to continue it. In that case,
// white space at the end is removed, because the APIs refuse it.
void alternating_turns::write_own_text(const block& each, bool is_last) {
  const std::string_view text = json_raw_string(each.text);
  if (is_blank(text)) return;
  const std::string_view kept = is_last ? without_blank_end(text) : text;
  put(role::assistant, text_block("\"" + std::string(kept) + "\"", each));
}

void alternating_turns::write_thought(const block& each) {
  const std::string made = each.signature.empty() ? std::string() : thought(each);
  if (!made.empty()) return put(role::assistant, made);
  form_.drop_once("reasoning");
}

void alternating_turns::write_call(const block& each) {
  open_call open{&each, id_for(each)};
  std::string arguments;
  append_argument_object(each, arguments);
  put(role::assistant, call_block(open.id, flat_tool_name(each.name_space, each.name), arguments));
  calls_.push_back(std::move(open));
}

// Returns an id for a tool call. The id is unique in the request and has only characters that the API permits.
std::string alternating_turns::id_for(const block& call) {
  std::string id = text_of_id(call.call_id);
  for (char& each : id)
    if (!id_rule_.letters.holds(each)) each = '_';
  if (id.empty()) id = "call";
  id = shortened(std::move(id), id_rule_.longest);
  if (ids_.insert(id).second) return id;
  std::size_t& number = repeated_.try_emplace(id, 1).first->second;
  std::string other;
  do {
    const std::string end = "_" + std::to_string(++number);
    other = shortened(id, id_rule_.longest - end.size()) + end;
  } while (!ids_.insert(other).second);
  return other;
}

// Replaces the end of a long id with a hash of the id. Ids of calls differ mostly at their ends, so simply cutting off
// the ends could make two ids equal.
std::string alternating_turns::shortened(std::string id, std::size_t longest) const {
  if (id.size() <= longest) return id;
  const std::string hash = short_hash(id);
  id.resize(longest - hash.size());
  return id + hash;
}

// Results

// Writes the results of all tool calls in the assistant's message, at the beginning of the user's next message.
void alternating_turns::write_results_of_calls() {
  for (const open_call& each : calls_) put(role::user, result_block(each.id, results_.take(*each.call)));
  calls_.clear();
}

std::string alternating_turns::parts_of(const block& result) {
  std::string parts;
  for (const block& each : said_.parts_of(result)) {
    if (is_text(each) && is_blank(json_raw_string(each.text))) continue;
    const std::string part = is_text(each) ? text_block(each.text, each) : media(each);
    if (!part.empty()) parts.append(parts.empty() ? "" : ",").append(part);
  }
  return parts;
}

inline_media alternating_turns::media_of(const block& each) {
  if (const auto held = read_data_url(json_raw_string(each.media.data))) return *held;
  if (const auto held = read_data_url(json_raw_string(each.media.url))) return *held;
  const std::string_view data = json_raw_string(each.media.data);
  return {media_type_of(json_raw_string(each.media.type), data), data};
}

// Writes a tool result as text if the result's call is missing or already has another result.
void alternating_turns::write_left_result(const block& each) {
  if (results_.is_taken(each)) return;
  if (!is_blank(json_raw_string(each.text))) put(role::user, text_block(each.text, each));
  const std::string parts = parts_of(each);
  if (!parts.empty()) begin(role::user, parts);
}

}  // namespace photofinish::proxy
