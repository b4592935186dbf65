#include "gateway/guardrails/judged_text.hpp"

#include "proxy/conversation/request_readers.hpp"
#include "proxy/failures/foreign_text.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <variant>

namespace photofinish::gateway {
namespace {

using proxy::block_kind;

constexpr std::string_view user = "user", instructions = "system";
constexpr std::size_t deepest = 6;  // of lists and objects in an input; what is nested deeper is shown as it is written

// Members of a body that are a conversation, or the texts of an API that has none.
constexpr std::array<std::string_view, 8> conversation_members{"messages", "input",  "system",    "instructions",
                                                               "prompt",   "suffix", "documents", "query"};
// Words and numbers. What else is a list, an object or a long text is shown: tools and their descriptions, schemas,
// predictions, metadata.
constexpr std::array<std::string_view, 11> plain_members{"model",     "stream_options", "logit_bias", "modalities",
                                                         "include",   "thinking",       "reasoning",  "tool_choice",
                                                         "audio",     "encoding_format", "voice"};
constexpr std::size_t longest_word = 64;

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view role_of(proxy::speaker who) {
  switch (who) {
    case proxy::speaker::system: return instructions;
    case proxy::speaker::developer: return "developer";
    case proxy::speaker::user: return user;
    case proxy::speaker::assistant: return "assistant";
    case proxy::speaker::tool: return "tool";
  }
  return user;
}

// Halves of surrogate pairs, which no service could read, become U+FFFD.
std::string quoted(std::string_view json_string) {
  if (json_string.find("\\u") == std::string_view::npos) return std::string(json_string);
  return proxy::json_quote(proxy::json_unescape(proxy::json_raw_string(json_string)));
}

bool is_json(const std::string& text, char first) {
  if (text.empty() || text.front() != first) return false;
  std::string padded = text;
  padded.reserve(padded.size() + proxy::readable_behind);
  proxy::tolerant_parser parser;
  return parser.parse(padded).error() == simdjson::SUCCESS;
}

}  // namespace

judged_text::judged_text(const ask& asked) : body_(asked.body) {
  using enum proxy::wire_format;
  if (body_->is_form()) read_fields();
  else if (asked.format == openai_chat) read_conversation(proxy::read_chat);
  else if (asked.format == anthropic_messages) read_conversation(proxy::read_messages);
  else if (asked.format == openai_responses || asked.format == openai_compaction ||
           asked.format == openai_input_tokens)
    read_conversation(proxy::read_responses);
  if (!body_->is_form()) read_members();
}

// Where it cannot be read, a provider may still take it: then read_members() shows all of its texts.
void judged_text::read_conversation(proxy::read_conversation (*read)(const proxy::client_body&)) {
  auto said = read(*body_);
  if (!std::holds_alternative<proxy::conversation>(said)) return;
  said_ = std::make_unique<const proxy::conversation>(std::get<proxy::conversation>(std::move(said)));
  for (const proxy::turn& each : said_->turns) add_turn(each);
}

void judged_text::add_turn(const proxy::turn& each) {
  for (const proxy::block& said : said_->blocks_of(each)) add_block(role_of(each.who), said);
}

void judged_text::add_block(std::string_view role, const proxy::block& each) {
  switch (each.kind) {
    case block_kind::text:
    case block_kind::refusal:
    case block_kind::reasoning: return add(role, piece_kind::text, each.text);
    case block_kind::opaque: return add(role, piece_kind::notice, "[encrypted reasoning: not shown]");
    case block_kind::call:
      return add(role, proxy::json_is_string(each.arguments) ? piece_kind::text : piece_kind::json, each.arguments);
    case block_kind::unknown: return add(role, piece_kind::json, each.raw);
    default: return add_media(role, each);
  }
}

// What a tool came to, too: a text, or blocks.
void judged_text::add_media(std::string_view role, const proxy::block& each) {
  if (each.kind == block_kind::image) add(role, piece_kind::notice, "[an image: not shown]");
  if (each.kind == block_kind::audio) add(role, piece_kind::notice, "[sound: not shown]");
  if (each.kind == block_kind::document) {
    add(role, piece_kind::text, each.title);
    if (each.text.empty() && each.parts == 0) add(role, piece_kind::notice, "[a document: not shown]");
  }
  add(role, piece_kind::text, each.text);
  for (const proxy::block& part : said_->parts_of(each)) add_block(role, part);
}

void judged_text::read_members() {
  for (const proxy::json_member& each : body_->members().members()) read_member(each);
}

void judged_text::read_member(const proxy::json_member& member) {
  const std::string key = proxy::json_unescape(member.raw_key);
  const bool is_conversation = is_among(conversation_members, key);
  if (is_conversation && said_) return;  // its turns
  if (is_conversation) return add_texts(member.value, 0);
  if (is_among(plain_members, key)) return;
  const bool is_long = proxy::json_is_string(member.value) && member.value.size() > longest_word;
  if (is_long) add(instructions, piece_kind::text, member.value);
  if (proxy::json_is_object(member.value) || proxy::json_is_array(member.value))
    add(instructions, piece_kind::json, member.value);
}

// Each text in it; of a list of tokens one notice.
void judged_text::add_texts(std::string_view value, std::size_t depth) {
  if (proxy::json_is_string(value)) return add(user, piece_kind::text, value);
  if (depth == deepest && !value.empty()) return add(user, piece_kind::json, value);
  if (proxy::json_is_object(value)) return add_object(value, depth);
  if (!proxy::json_is_array(value)) return;
  bool has_tokens = false;
  proxy::json_walk walk(value);
  while (const auto each = walk.next_element()) {
    const bool is_number = !each->empty() && (each->front() == '-' || (each->front() >= '0' && each->front() <= '9'));
    if (is_number && !has_tokens) add(user, piece_kind::notice, "[tokens: not shown]");
    has_tokens |= is_number;
    if (!is_number) add_texts(*each, depth + 1);
  }
}

void judged_text::add_object(std::string_view value, std::size_t depth) {
  constexpr std::array<std::string_view, 4> media{"image_url", "image", "input_audio", "file_data"};
  proxy::json_walk walk(value);
  while (const auto each = walk.next_member()) {
    if (each->raw_key == "type" || each->raw_key == "role") continue;
    if (is_among(media, each->raw_key)) add(user, piece_kind::notice, "[an image, sound or file: not shown]");
    else add_texts(each->value, depth + 1);
  }
}

// A file of text is a text.
void judged_text::read_fields() {
  for (const proxy::json_member& each : body_->members().members()) {
    if (each.raw_key == "model") continue;
    const bool is_binary =
        each.value.find('\0') != std::string_view::npos || proxy::valid_utf8(each.value) != each.value;
    if (is_binary) add(user, piece_kind::notice, "[a file: not shown]");
    else add(user, piece_kind::plain, each.value);
  }
}

std::string judged_text::content_of(const piece& each) const {
  if (each.kind == piece_kind::text) return proxy::json_unescape(proxy::json_raw_string(each.what));
  return std::string(each.what);
}

std::string judged_text::current(std::size_t index) const {
  const auto found = replaced_.find(index);
  return found == replaced_.end() ? content_of(pieces_[index]) : found->second;
}

std::string judged_text::request_json() const {
  std::size_t bytes = 0;
  for (const piece& each : pieces_) bytes += each.what.size() + each.role.size() + 40;
  std::string json;
  json.reserve(bytes + 64);
  json = R"({"body":{"messages":[)";
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    if (at > 0) json += ',';
    json.append(R"({"role":")").append(pieces_[at].role).append(R"(","content":)");
    const auto found = replaced_.find(at);
    if (found != replaced_.end()) json += proxy::json_quote(found->second);
    else if (pieces_[at].kind == piece_kind::text) json += quoted(pieces_[at].what);
    else json += proxy::json_quote(pieces_[at].what);
    json += '}';
  }
  json += "]}}";
  return json;
}

// Only what stands in the client's own body.
bool judged_text::may_replace(const piece& each, const std::string& with) const {
  const std::string_view all = body_->json();
  const std::less_equal<> is_not_behind;
  const bool begins_inside = is_not_behind(all.data(), each.what.data());
  if (!begins_inside || !is_not_behind(each.what.data() + each.what.size(), all.data() + all.size())) return false;
  return each.kind == piece_kind::text || (each.kind == piece_kind::json && is_json(with, each.what.front()));
}

mask_result judged_text::take(const std::vector<std::string>& contents, masks_of seen) {
  if (contents.size() != pieces_.size()) return mask_result::impossible;
  std::vector<std::size_t> changed;
  bool is_in_conflict = false;
  for (std::size_t at = 0; at < contents.size(); ++at) {
    const std::string shown = seen == masks_of::current ? current(at) : content_of(pieces_[at]);
    if (contents[at] == shown) continue;
    if (!may_replace(pieces_[at], contents[at])) return mask_result::impossible;
    is_in_conflict |= seen == masks_of::original && replaced_.contains(at) && replaced_.at(at) != contents[at];
    changed.push_back(at);
  }
  if (is_in_conflict) return mask_result::conflict;
  for (const std::size_t at : changed) replaced_[at] = contents[at];
  return changed.empty() ? mask_result::unchanged : mask_result::taken;
}

std::string judged_text::masked_body() const {
  proxy::json_edits edits(body_->json());
  for (const auto& [at, text] : replaced_) {
    const bool is_json = pieces_[at].kind == piece_kind::json;
    edits.replace(pieces_[at].what, is_json ? text : proxy::json_quote(proxy::valid_utf8(text)));
  }
  std::string body;
  for (const std::string_view each : edits.pieces()) body += each;
  return body;
}

}  // namespace photofinish::gateway
