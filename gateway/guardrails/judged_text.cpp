#include "gateway/guardrails/judged_text.hpp"

#include "gateway/api/multipart/part_head.hpp"
#include "gateway/guardrails/api_words.hpp"
#include "proxy/conversation/request_readers.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_scan.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/repeated_member.hpp"
#include "proxy/json/tolerant_json.hpp"
#include "proxy/words/contains.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <variant>

namespace photofinish::gateway {
namespace {

using proxy::block_kind;
using proxy::equals_ignoring_case;

constexpr std::string_view user = "user", instructions = "system";
constexpr std::string_view file_notice = "[a file: not shown]";

// Members of a body that contain the conversation. In APIs without conversations, they contain the input texts.
constexpr std::array<std::string_view, 8> conversation_members{"messages", "input",  "system",    "instructions",
                                                               "prompt",   "suffix", "documents", "query"};
// Members that contain only single words and numbers. Guardrails do not receive the words that the APIs define, but all
// other words. Other lists and objects are sent to guardrails in full: tools and their descriptions, schemas,
// predictions, metadata.
constexpr std::array<std::string_view, 11> plain_members{"model",     "stream_options", "logit_bias", "modalities",
                                                         "include",   "thinking",       "reasoning",  "tool_choice",
                                                         "audio",     "encoding_format", "voice"};

std::string_view role_of(proxy::speaker who) {
  constexpr std::array<std::string_view, 5> roles{instructions, "developer", user, "assistant", "tool"};
  return roles[static_cast<std::size_t>(who)];
}

// True if a JSON text contains escapes for letters, which could hide words.
bool has_hidden_letters(std::string_view json) {
  return json.find("\\u") != std::string_view::npos || json.find("\\/") != std::string_view::npos;
}

// Writes a JSON string with as few escapes as possible. Unpaired surrogates become U+FFFD, because no service could
// read them.
std::string quoted(std::string_view json_string) {
  if (!has_hidden_letters(json_string)) return std::string(json_string);
  return proxy::json_quote(proxy::json_unescape(proxy::json_raw_string(json_string)));
}

bool is_json(const std::string& text, char first) {
  if (text.empty() || text.front() != first) return false;
  std::string padded = text;
  padded.reserve(padded.size() + proxy::readable_behind);
  proxy::tolerant_parser parser;
  return parser.parse(padded).error() == simdjson::SUCCESS && proxy::find_repeated_member(text).empty();
}

// Rewrites JSON as valid JSON with as few escapes as possible.
std::string legible(std::string_view json) {
  if (!has_hidden_letters(json)) return std::string(json);
  std::string text;
  text.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const std::string_view each = proxy::json_string_at(json.substr(at));
    if (each.empty()) text += json[at];
    else text += has_hidden_letters(each) ? quoted(each) : std::string(each);
    at += std::max<std::size_t>(each.size(), 1);
  }
  return text;
}

bool is_object(std::string_view text) {
  proxy::json_scan scan;
  return scan.see(text) && scan.is_complete();
}

// Adds the texts that the caller has chosen in a Content-Disposition header. Returns true if the header contains a file
// name.
bool note_disposition(std::string_view value, text_walk& words) {
  bool is_file = false;
  value.remove_prefix(std::min(value.find(';'), value.size()));
  while (!value.empty()) {
    const auto taken = take_parameter(value);
    const auto* const parameter = std::get_if<header_parameter>(&taken);
    if (parameter == nullptr) break;
    const bool is_filename = equals_ignoring_case(parameter->name, "filename") ||
                             equals_ignoring_case(parameter->name, "filename*");
    is_file |= is_filename;
    // The name of the form field is skipped, because read_fields() adds it.
    if (equals_ignoring_case(parameter->name, "name")) continue;
    if (!is_filename) words.add_word(parameter->name);
    words.add_word(parameter->value);
  }
  return is_file;
}

// Adds the texts that the caller has chosen in the head of a form part: the file name, and unusual header lines. `head`
// begins with the delimiter and ends before the content. It is already validated. Returns true if the form part is a
// file.
bool note_part_head(std::string_view head, text_walk& words) {
  bool is_file = false;
  // Skips the delimiter, which comes before the lines of the head.
  head.remove_prefix(std::min(head.find(part_line_end), head.size()));
  while (!head.empty()) {
    head.remove_prefix(std::min(part_line_end.size(), head.size()));
    const std::size_t end = std::min(head.find(part_line_end), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end);
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = proxy::trim_space(line.substr(std::min(colon + 1, line.size())));
    const bool is_usual = equals_ignoring_case(name, "content-type") && is_api_name(value);
    if (equals_ignoring_case(name, "content-disposition")) is_file |= note_disposition(value, words);
    else if (!is_usual) words.add_word(line);
  }
  return is_file;
}

}  // namespace

judged_text::judged_text(const parsed_request& asked) : body_(asked.body) {
  using enum proxy::wire_format;
  if (body_->is_form()) read_fields();
  else if (asked.format == openai_chat) read_conversation(proxy::read_chat);
  else if (asked.format == anthropic_messages) read_conversation(proxy::read_messages);
  else if (asked.format == openai_responses || asked.format == openai_compaction ||
           asked.format == openai_input_tokens)
    read_conversation(proxy::read_responses);
  if (!body_->is_form()) read_members();
}

// Reads the conversation. If that fails, a provider may still accept the request. In this case read_members() adds all
// texts of the conversation.
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
    case block_kind::refusal: return add_text(role, each);
    case block_kind::reasoning: return add(role, piece_kind::text, each.text), take_if(each.signature, is_base64);
    case block_kind::opaque: return add_base64(role, each);
    case block_kind::call:
      return add(role, proxy::json_is_string(each.arguments) ? piece_kind::text : piece_kind::json, each.arguments);
    case block_kind::hosted:
    case block_kind::unknown: return add(role, piece_kind::json, each.raw);
    default: return add_media(role, each);
  }
}

// Adds a text. If the parser has joined the text from several members of the body, no mask could be applied to the
// joined text. In that case the original members are added instead, either here as JSON, or by read_members().
void judged_text::add_text(std::string_view role, const proxy::block& each) {
  if (each.text.empty() || is_in_body(each.text)) return add(role, piece_kind::text, each.text);
  if (!each.raw.empty()) add(role, piece_kind::json, each.raw);
}

// Adds the media, the text and the inner blocks of a block. The result of a tool may have all three.
void judged_text::add_media(std::string_view role, const proxy::block& each) {
  if (each.kind == block_kind::document) add(role, piece_kind::text, each.media.title);
  if (each.kind != block_kind::document || (each.text.empty() && each.parts == 0)) add_base64(role, each);
  add(role, piece_kind::text, each.text);
  for (const proxy::block& part : said_->parts_of(each)) add_block(role, part);
}

// Adds a notice instead of base64 data. If the data is text, also adds the decoded text, because a provider may treat
// an image of the type text/plain as text. If the data is not base64, read_members() adds it.
void judged_text::add_base64(std::string_view role, const proxy::block& each) {
  if (each.kind == block_kind::image) add(role, piece_kind::notice, "[an image: not shown]");
  if (each.kind == block_kind::audio) add(role, piece_kind::notice, "[sound: not shown]");
  if (each.kind == block_kind::document) add(role, piece_kind::notice, "[a document: not shown]");
  if (each.kind == block_kind::opaque) add(role, piece_kind::notice, "[encrypted reasoning: not shown]");
  for (const std::string_view held : {each.media.data, each.media.url}) take_if(held, is_data_url);
  for (const std::string_view held : {each.media.data, each.signature}) take_if(held, is_base64);
  if (each.kind == block_kind::opaque) return;
  const std::string media_type = proxy::json_unescape(proxy::json_raw_string(each.media.type));
  for (const std::string_view held : {each.media.data, each.media.url})
    add_made(role, text_in_base64(proxy::json_unescape(proxy::json_raw_string(held)), media_type));
}

void judged_text::take_if(std::string_view json_string, bool (*is_data)(std::string_view)) {
  const std::string text = proxy::json_unescape(proxy::json_raw_string(json_string));
  if (!text.empty() && is_data(text)) taken_.push_back(json_string);
}

void judged_text::read_members() {
  std::erase_if(taken_, [this](std::string_view each) { return !is_in_body(each); });
  std::sort(taken_.begin(), taken_.end(),
            [](std::string_view one, std::string_view other) { return std::less<>()(one.data(), other.data()); });
  const std::vector<std::string_view> taken = std::exchange(taken_, {});
  text_walk walk(taken, said_ ? walked::conversation : walked::input);
  if (said_)
    for (const proxy::tool& each : said_->tools) walk.know(proxy::json_unescape(proxy::json_raw_string(each.name)));
  for (const proxy::json_member& each : body_->members().members()) read_member(each, walk);
  add_made(instructions, walk.words());
  taken_ = {};
}

// Adds the texts of a member of the body. The member "model" is skipped, because it is not sent to providers.
void judged_text::read_member(const proxy::json_member& member, text_walk& walk) {
  const std::string key = proxy::json_unescape(member.raw_key);
  if (key == "model") return;
  if (!is_api_name(key)) walk.add_word(key);
  const bool is_conversation = proxy::contains(conversation_members, key);
  const bool is_list_or_object = proxy::json_is_object(member.value) || proxy::json_is_array(member.value);
  if (is_list_or_object && !is_conversation && !proxy::contains(plain_members, key)) {
    const bool is_empty = member.value.find_first_not_of("[]{} \t\r\n") == std::string_view::npos;
    if (!is_empty) add(instructions, piece_kind::json, member.value);
    return;
  }
  add_texts(is_conversation ? user : instructions, member.value, key, walk);
}

void judged_text::add_texts(std::string_view role, std::string_view value, std::string_view name, text_walk& walk) {
  for (const auto& [kind, what] : walk.read(value, name)) {
    if (kind == text_walk::unread_kind::text) add(role, piece_kind::text, what);
    if (kind == text_walk::unread_kind::tokens) add(role, piece_kind::notice, "[tokens: not shown]");
    if (kind != text_walk::unread_kind::data) continue;
    add(role, piece_kind::notice, "[an image, sound or file: not shown]");
    add_made(role, text_in_base64(proxy::json_unescape(proxy::json_raw_string(what))));
  }
}

// Adds the fields and the text files of a form. A field is added in full, even if some of its bytes are not valid text.
void judged_text::read_fields() {
  text_walk words({}, walked::input);
  for (const proxy::json_member& each : body_->members().members()) {
    const std::size_t head = static_cast<std::size_t>(each.value.data() - each.whole.data());
    const bool is_file = note_part_head(each.whole.substr(0, head), words);
    std::string_view name = each.raw_key;
    if (name.ends_with("[]")) name.remove_suffix(2);
    if (!is_api_name(name)) words.add_word(name);
    if (each.raw_key == "model") continue;
    if (is_file && !is_mostly_text(each.value)) add(user, piece_kind::notice, file_notice);
    else add(user, piece_kind::plain, each.value);
  }
  add_made(instructions, words.words());
}

void judged_text::add(std::string_view role, piece_kind kind, std::string_view what) {
  if (what.empty()) return;
  // The value cannot be added as a text, because it is not a string. It is added as JSON. No provider accepts it as a
  // text.
  if (kind == piece_kind::text && !proxy::json_is_string(what)) kind = piece_kind::json;
  pieces_.push_back({kind, role, what});
  if (kind == piece_kind::text || kind == piece_kind::json) taken_.push_back(what);
  if (kind == piece_kind::text) add_json_in(role, what);
}

// If a text contains JSON, such as the arguments of a call, the JSON is also added. Providers with other APIs receive
// this JSON as an object. Therefore its escapes must be decoded for the guardrail.
void judged_text::add_json_in(std::string_view role, std::string_view json_string) {
  if (!has_hidden_letters(json_string)) return;
  const std::string text = proxy::json_unescape(proxy::json_raw_string(json_string));
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || text[begin] != '{' || !has_hidden_letters(text) || !is_object(text)) return;
  add_made(role, legible(text));
}

void judged_text::add_made(std::string_view role, std::string text) {
  if (text.empty()) return;
  made_bytes_ += text.size();
  add(role, piece_kind::plain, made_.emplace_back(std::move(text)));
}

bool judged_text::is_in_body(std::string_view what) const {
  const std::string_view all = body_->json();
  const std::less_equal<> is_not_behind;
  return is_not_behind(all.data(), what.data()) &&
         is_not_behind(what.data() + what.size(), all.data() + all.size());
}

std::string judged_text::content_of(const piece& each) {
  switch (each.kind) {
    case piece_kind::text: return proxy::json_unescape(proxy::json_raw_string(each.what));
    case piece_kind::json: return legible(each.what);
    case piece_kind::plain: return proxy::valid_utf8(each.what);
    case piece_kind::notice: break;
  }
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
    else json += proxy::json_quote(content_of(pieces_[at]));
    json += '}';
  }
  json += "]}}";
  return json;
}

// True if the text can be replaced by a masked text. It must occur in the client's body.
bool judged_text::may_replace(const piece& each, const std::string& with) const {
  if (!is_in_body(each.what)) return false;
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
  return edits.text();
}

}  // namespace photofinish::gateway
