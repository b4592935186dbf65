#include "proxy/dialects/openai/openai_dialect.hpp"

#include "proxy/dialects/apply_message.hpp"
#include "proxy/dialects/models/model_demands.hpp"
#include "proxy/dialects/openai/carried_reasoning.hpp"
#include "proxy/dialects/openai/json_answer.hpp"
#include "proxy/dialects/models/model_edits.hpp"
#include "proxy/dialects/openai/openai_formats.hpp"
#include "proxy/dialects/openai/openai_stream.hpp"
#include "proxy/dialects/models/responses_choice.hpp"
#include "proxy/dialects/passthrough/form_edits.hpp"
#include "proxy/dialects/passthrough/passing_answers.hpp"
#include "proxy/dialects/provider_head.hpp"
#include "proxy/dialects/responses/response_request.hpp"
#include "proxy/dialects/responses/response_stream.hpp"
#include "proxy/dialects/tier_edit.hpp"
#include "proxy/json/nested_params.hpp"
#include "proxy/providers/parameters.hpp"
#include "proxy/words/contains.hpp"

#include <algorithm>
#include <cassert>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

// The maximum length of a name in x-race-dropped if the client chose the name, in bytes.
constexpr std::size_t max_listed_name = 40;
constexpr std::size_t max_listed_names = 16;

bool is_whole_wanted(const attempt_request& request, const openai_format& format) {
  return format.shape == answer_shape::streamed && request.shape == answer_shape::in_one_piece;
}

std::string_view accepted_answer(answer_shape shape) {
  switch (shape) {
    case answer_shape::in_one_piece: return "application/json";
    case answer_shape::text: return "*/*";
    case answer_shape::bytes: return "application/octet-stream, audio/*";
    case answer_shape::streamed:
    case answer_shape::events: break;
  }
  return "text/event-stream";
}

// Returns the schema of `text.format` as the chat API expects it. In the chat API, the schema is a separate object that
// does not contain the type.
std::string schema_in_chat(std::string_view format) {
  std::string made = "{";
  json_walk walk(format);
  while (const auto each = walk.next_member())
    if (!json_key_is(each->raw_key, "type"))
      made.append(made.size() > 1 ? ",\"" : "\"").append(each->raw_key).append("\":").append(each->value);
  return made + "}";
}

// Makes the edits that convert a client's body to the body for one provider.
class body_editor {
 public:
  body_editor(const attempt_request& request, const openai_facts& model, prepared_request& prepared)
      : request_(request),
        body_(*request.body),
        format_(*find_openai_format(request.format)),
        behaves_(request.target.behaves),
        model_(model),
        refuses_(refuses_parameters(model_, body_, request.format)),
        is_translated_(request.is_translated),
        is_continued_(request.is_continued),
        previous_(request.previous_response),
        reasoning_(request.reasoning == reasoning_items::kept ? removed_reasoning::foreign : removed_reasoning::all),
        unsaid_(request.keeps_store_unsaid ? unsaid_store::by_default : unsaid_store::off),
        foreign_(request.foreign),
        prepared_(prepared),
        edits_(prepared.body.edits()),
        is_strict_response_(is_response() && !behaves_.accept_params.empty() &&
                            !request.target.apis.contains(served_api::chat)),
        is_whole_wanted_(is_whole_wanted(request, format_)),
        is_streamed_(format_.shape == answer_shape::streamed && !is_whole_wanted_ && !wants_best() &&
                     (!is_response() || is_streamed_response(body_))),
        model_edits_({.model = model_,
                      .body = body_,
                      .format = format_.format,
                      .is_translated = is_translated_,
                      .is_streamed = is_streamed_,
                      .edits = edits_,
                      .dropped = prepared.dropped}) {}

  bool is_unstreamed() const { return format_.shape == answer_shape::streamed && !is_streamed_; }

  void edit(std::string_view model) {
    const std::string quoted_model = json_quote(model);
    for (const json_member& member : body_.members().members()) edit_member(member, quoted_model);
    add_if_missing("model", quoted_model);
    // Embeddings and similar APIs have only one service tier, and refuse the parameter that selects a tier.
    const bool has_tiers = format_.shape == answer_shape::streamed;
    if (request_.tier && has_tiers && body_.members().find(chat_tier.name) == nullptr)
      edit_tier(request_, nullptr, chat_tier, prepared_);
    model_edits_.finish();
    if (is_continued_) ask_to_continue();
    const bool says_store = is_response() && is_accepted_in_response("store");
    if (says_store && unsaid_ == unsaid_store::off) say_what_is_stored(body_, edits_);
    // Requests encrypted reasoning for clients of other APIs, which cannot request it themselves. Without the encrypted
    // reasoning, the next turn would lack the model's reasoning.
    if (is_response() && is_translated_ && model_.thinking.is_possible && !is_unthinking(body_, format_.format) &&
        is_accepted_in_response("include"))
      add_if_missing("include", R"(["reasoning.encrypted_content"])");
    if (has_items()) prepared_.reasoning_left_out = remove_reasoning(body_, reasoning_, edits_, unsaid_, foreign_);
    if (prepared_.reasoning_left_out > 0) prepared_.dropped.emplace_back("reasoning");
    if (is_whole_wanted_) add_if_missing("stream", "false");
    if (!is_streamed_) return;
    add_if_missing("stream", "true");
    if (is_response()) return;  // the Responses API always reports its usage
    if (behaves_.usage == usage_in_stream::request) add_if_missing("stream_options", R"({"include_usage":true})");
  }

 private:
  bool is_response() const { return format_.format == wire_format::openai_responses; }

  bool has_items() const {
    return is_response() || format_.format == wire_format::openai_compaction ||
           format_.format == wire_format::openai_input_tokens;
  }

  // Makes the edits to a member that only Responses requests need. Returns false if the member needs no such edit.
  bool edit_item_member(const json_member& member, std::string_view key) {
    if (key == "previous_response_id" && !previous_.empty()) return replace(member, json_quote(previous_)), true;
    if (key == "input") drop_inside(member, key);
    if (key == "input" && is_strict_response_) add_types(member.value);
    // The members `stream_options` and `input` need no further edits, and edit() handles `store`.
    return key == "store" || key == "stream_options" || key == "input";
  }

  void ask_to_continue() {
    if (behaves_.prefill == prefill_form::continue_final_message) {
      edits_.insert_member(body_.json(), R"("continue_final_message":true)");
      edits_.insert_member(body_.json(), R"("add_generation_prompt":false)");
    } else if (behaves_.prefill == prefill_form::prefix) {
      const std::string_view last = json_last_element(body_.value_of("messages"));
      if (json_is_object(last)) edits_.insert_member(last, R"("prefix":true)");
    }
  }

  bool wants_best() const {
    return format_.format == wire_format::openai_completions && is_meaningful("best_of", body_.value_of("best_of"));
  }

  void add_if_missing(std::string_view key, std::string_view value) {
    if (body_.members().find(key)) return;
    std::string member;  // the key is a constant without special characters, so it needs no escapes
    member.reserve(key.size() + value.size() + 3);
    edits_.insert_member(body_.json(), member.append("\"").append(key).append("\":").append(value));
  }

  void edit_member(const json_member& member, std::string_view quoted_model) {
    const bool has_escapes = member.raw_key.find('\\') != std::string_view::npos;
    const std::string unescaped = has_escapes ? json_unescape(member.raw_key) : std::string();
    const std::string_view key = has_escapes ? unescaped : member.raw_key;
    if (key == "model") return replace(member, quoted_model);
    if (key == "stream" && is_streamed_) return replace(member, "true");
    if (key == "stream" && is_whole_wanted_) return replace(member, "false");
    // `stream_options` is an error in a request without a stream. It is also unnecessary, because a non-streamed answer
    // always contains the usage.
    if (key == "stream_options" && is_whole_wanted_) return edits_.remove_member(member);
    if (!is_accepted_in_response(key)) return drop_from_response(member, key);
    if (has_items() && edit_item_member(member, key)) return;
    if (key == "stream_options" && is_streamed_) return edit_stream_options(member);
    if (contains(behaves_.drop_params, key) || is_never_taken(key)) return drop(member, key);
    // A provider may refuse an unknown parameter even if it has the default value. Omitting the default value changes
    // nothing.
    if (refuses_ && contains(model_.params.drop, key)) return drop(member, key);
    const bool is_refused = contains(behaves_.reject_params, key) || (refuses_ && contains(model_.params.reject, key));
    if (is_refused && !is_meaningful(key, member.value)) return edits_.remove_member(member);
    if (key == chat_tier.name) return edit_tier(request_, &member, chat_tier, prepared_);
    if (model_edits_.edit(member, key)) return;
    if (is_response()) drop_inside(member, key);
    if (format_.format == wire_format::openai_chat) return edit_chat_member(member, key);
    // `encoding_format` is omitted, because providers send floats by default. This gateway converts the answer if the
    // client requested another encoding.
    const bool is_encoding = key == "encoding_format" && format_.format == wire_format::openai_embeddings;
    const bool is_ours = member.value == R"("float")" || member.value == R"("base64")" || json_is_null(member.value);
    if (is_encoding && is_ours && !behaves_.base64_embeddings) edits_.remove_member(member);
  }

  bool is_never_taken(std::string_view key) const {
    return (is_response() || format_.format == wire_format::openai_chat) && contains(model_.params.never, key);
  }

  bool applies_edits() const { return behaves_.apply_message && model_.applies_edits; }

  // Edits members whose names have a special meaning only in the chat API.
  void edit_chat_member(const json_member& member, std::string_view key) {
    if (applies_edits() && is_beside_apply_message(key)) return drop(member, key);
    if (applies_edits() && key == "messages") return write_edit(member);
    const auto& names = behaves_.rename_params;
    const auto renamed = names.empty() ? names.end() : names.find(std::string(key));
    if (renamed != names.end()) return rename(member, key, renamed->second);
    const bool is_renamed = model_.renames_max_tokens && !behaves_.rename_params.contains("max_completion_tokens");
    if (key == "max_tokens" && is_renamed) return rename(member, key, "max_completion_tokens");
    if (!is_accepted(key)) return drop_unknown(member, key);
    // An empty list of tools has no effect, but several providers refuse it.
    if (key == "tools" && !is_meaningful(key, member.value)) return edits_.remove_member(member);
    drop_inside(member, key);
    if (key == "messages" && !behaves_.developer_role) edit_messages(member.value);
    if (key == "messages") give_reasoning(body_, model_.thinking.demands, edits_);
  }

  void replace(const json_member& member, std::string_view value) {
    if (member.value != value) edits_.replace(member.value, value);
  }

  void edit_stream_options(const json_member& member) {
    if (behaves_.usage != usage_in_stream::request) return edits_.remove_member(member);
    if (!json_is_object(member.value)) return edits_.replace(member.value, R"({"include_usage":true})");
    const auto asked = json_find(member.value, "include_usage");
    if (!asked) edits_.insert_member(member.value, R"("include_usage":true)");
    else if (*asked != "true") edits_.replace(*asked, "true");
  }

  void drop(const json_member& member, std::string_view key) {
    edits_.remove_member(member);
    if (is_meaningful(key, member.value)) prepared_.dropped.emplace_back(key);
  }

  bool is_accepted(std::string_view key) const {
    return behaves_.accept_params.empty() || key == "messages" || contains(behaves_.accept_params, key);
  }

  // Adds `type` to each message of a Responses input that lacks this member. OpenAI accepts messages without a type, so
  // clients may omit it.
  void add_types(std::string_view input) {
    json_walk items(json_is_array(input) ? input : std::string_view("[]"));
    while (const auto item = items.next_element())
      if (json_is_object(*item) && !json_find(*item, "type")) edits_.insert_member(*item, R"("type":"message")");
  }

  // False for a parameter that the provider refuses. A provider that serves only the Responses API accepts only the
  // parameters in its list.
  bool is_accepted_in_response(std::string_view key) const {
    return !is_strict_response_ || key == "input" || key == "stream" || contains(behaves_.accept_params, key);
  }

  void drop_from_response(const json_member& member, std::string_view key) {
    const auto format = json_find(member.value, "format");
    const bool is_schema = key == "text" && format && json_find(*format, "schema");
    if (!is_schema || !contains(behaves_.accept_params, "response_format")) return drop_unknown(member, key);
    edits_.remove_member(member);
    add_if_missing("response_format", R"({"type":"json_schema","json_schema":)" + schema_in_chat(*format) + "}");
  }

  // Drops a member whose name the client chose. The name is added to the header x-race-dropped only if it is a short
  // word.
  void drop_unknown(const json_member& member, std::string_view key) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    const bool is_word = key.size() <= max_listed_name && key.find_first_not_of(letters) == std::string::npos;
    if (is_word && prepared_.dropped.size() < max_listed_names) return drop(member, key);
    edits_.remove_member(member);
  }

  // Removes nested members of `member` by paths such as `messages[].reasoning_content`. Parsing a body takes a
  // nanosecond per byte, but searching its text for a name is much faster. Therefore, a short body is parsed only if it
  // contains the last name of the path. Long bodies have an index of their keys, which is used instead.
  void drop_inside(const json_member& member, std::string_view key) {
    for (const std::string& path : behaves_.drop_params) drop_path(member, key, path);
    for (const std::string& path : model_.params.never) drop_path(member, key, path);
  }

  void drop_path(const json_member& member, std::string_view key, std::string_view path) {
    if (!path.starts_with(key) || path.size() == key.size()) return;
    // If another character follows `key` in the path, the path begins with a longer name and belongs to another member.
    if (path[key.size()] != '.' && path[key.size()] != '[') return;
    const std::string_view word = path.substr(path.find_last_of(".]") + 1);
    if (!body_.may_hold_key(word)) return;
    if (!body_.is_long() && member.value.find(word) == std::string_view::npos) return;
    if (remove_nested(path.substr(key.size()), member.value, edits_)) prepared_.dropped.emplace_back(path);
  }

  // Renames a parameter. If the client sent both the old and the new name, the member with the new name remains.
  void rename(const json_member& member, std::string_view key, const std::string& new_key) {
    if (body_.members().find(new_key) != nullptr) return drop(member, key);
    const std::string_view quoted_key{member.raw_key.data() - 1, member.raw_key.size() + 2};
    edits_.replace(quoted_key, json_quote(new_key));
  }

  // Writes the message in the format that models for code edits require. unsupported() has checked that the request
  // contains a code edit.
  void write_edit(const json_member& member) {
    const auto edit = read_apply_edit(body_);
    if (!edit) return;
    json_walk messages(member.value);
    messages.next_element();
    if (messages.next_element()) prepared_.dropped.emplace_back("messages");
    if (edit->leaves_text_out) prepared_.dropped.emplace_back("text");
    replace(member, R"([{"role":"user","content":)" + json_quote(write_apply_message(*edit)) + "}]");
  }

  void edit_messages(std::string_view list) {
    const auto holds = [list](std::string_view word) { return list.find(word) != std::string_view::npos; };
    if (!body_.is_long() && !holds("developer") && !holds("\\u")) return;
    for (const std::string_view message : json_elements(list)) {
      const auto role = json_find(message, "role");
      if (role && json_is_string(*role) && json_unescape(json_raw_string(*role)) == "developer")
        edits_.replace(*role, R"("system")");
    }
  }

  const attempt_request& request_;
  const client_body& body_;
  const openai_format& format_;
  const behaviour& behaves_;
  const openai_facts& model_;
  bool refuses_;  // true if the model refuses some parameters of this request
  bool is_translated_;
  bool is_continued_;
  std::string_view previous_;
  removed_reasoning reasoning_;
  const unsaid_store unsaid_;
  foreign_reasoning* foreign_;
  prepared_request& prepared_;
  json_edits& edits_;
  // true if the provider has a list of accepted Responses parameters and refuses all others
  bool is_strict_response_;
  bool is_whole_wanted_;
  // True if a stream is requested; `best_of` prevents streaming, because the best answer is known only at the end.
  bool is_streamed_;
  model_edits model_edits_;
};

// Adds a header with an id for the conversation. Some providers use this header to find the conversation's prompt
// cache.
void add_conversation(const attempt_request& request, const openai_facts& model, std::vector<header_field>& own) {
  if (model.conversation_header.empty()) return;
  const std::string_view key = request.body->value_of("prompt_cache_key");
  const std::string_view name = json_is_string(key) ? json_raw_string(key) : std::string_view{};
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/";
  constexpr std::size_t longest = 256;
  const bool is_word = !name.empty() && name.size() <= longest && name.find_first_not_of(letters) == name.npos;
  const auto is_it = [&model](const auto& field) { return field.first == model.conversation_header; };
  const bool is_forwarded = std::any_of(request.forwarded.begin(), request.forwarded.end(), is_it);
  if (is_word && !is_forwarded) own.push_back({model.conversation_header, name});
}

// Changes the path for Bedrock's mantle, which serves some model families under separate paths.
void move_at_mantle(const provider& target, const openai_facts& model, std::string& path) {
  const bool is_mantle = target.url.host.starts_with("bedrock-mantle.") && target.url.path == "/v1";
  if (is_mantle && !model.mantle_path.empty()) path.replace(0, target.url.path.size(), model.mantle_path);
}

}  // namespace

wire_format openai_dialect::speaks(wire_format asked, const provider& target, std::string_view model,
                                   const client_body& body) const {
  const openai_facts& facts = openai_facts_of(model_at(target, model));
  const bool serves = target.apis.contains(served_api::responses) && facts.serves_responses;
  const bool serves_chat = target.apis.contains(served_api::chat) && facts.serves_chat;
  if (asked == wire_format::openai_responses && serves) {
    const bool is_refused = serves_chat && facts.tools.forced == forced_calls::chat &&
                            read_asked_reasoning(body, asked).forces_a_call && !asks_for_state(body);
    return is_refused ? wire_format::openai_chat : asked;
  }
  const bool is_conversation = asked == wire_format::openai_chat || asked == wire_format::anthropic_messages;
  if (!is_conversation || !serves) return wire_format::openai_chat;
  if (!serves_chat) return wire_format::openai_responses;
  if (facts.match.empty()) return wire_format::openai_chat;
  const bool is_refused = !refused_on_chat(facts, read_asked_reasoning(body, asked), target).empty();
  return is_refused ? wire_format::openai_responses : wire_format::openai_chat;
}

std::optional<std::string_view> openai_dialect::unsupported(const client_body& body, wire_format format,
                                                            const provider& target) const {
  const openai_format* const spoken = find_openai_format(format);
  if (spoken == nullptr) return "format";
  if (!target.apis.contains(spoken->api)) return to_string(spoken->api);
  // The first token decides a race. Therefore, a provider that may change text after it was streamed cannot take part
  // in a race.
  const bool is_streamed = spoken->shape == answer_shape::streamed && target.behaves.stream != upstream_stream::never;
  if (is_streamed && !target.behaves.append_only) return "stream";
  return unsupported_params(body, target.behaves);
}

std::optional<std::string_view> openai_dialect::unsupported_by_model(const client_body& body, wire_format format,
                                                                     std::string_view model,
                                                                     const provider& target) const {
  const openai_facts& facts = openai_facts_of(model_at(target, model));
  const bool takes_edits = target.behaves.apply_message && facts.applies_edits && format == wire_format::openai_chat;
  if (takes_edits && !read_apply_edit(body)) return "messages";
  const std::string_view refused = refused_by_model(facts, body, format, target);
  return refused.empty() ? std::nullopt : std::optional(refused);
}

bool openai_dialect::stores(const client_body& body, wire_format format, const provider& target) const {
  if (format == wire_format::openai_responses) return asks_for_state(body);
  if (format != wire_format::openai_chat) return false;
  const auto& dropped = target.behaves.drop_params;
  if (!is_meaningful("store", body.value_of("store"))) return false;
  return !contains(dropped, "store");
}

prepared_request openai_dialect::prepare(const attempt_request& request) const {
  prepared_request prepared;
  const provider& target = request.target;
  const openai_format* const format = find_openai_format(request.format);
  assert(format != nullptr);
  const bool is_form = request.body->is_form();
  const std::string form_type = is_form ? content_type_of(*request.body) : std::string();
  const std::string_view content_type = is_form ? std::string_view(form_type) : "application/json";
  const answer_shape shape = is_whole_wanted(request, *format) ? request.shape : format->shape;
  const openai_facts& model = openai_facts_of(model_at(target, request.model));
  std::vector<header_field> own{{"content-type", content_type}, {"accept", accepted_answer(shape)}};
  if (!is_form) add_conversation(request, model, own);
  prepared.head = provider_head(target, request.key, path_at(target, *format), own, request.forwarded);
  move_at_mantle(target, model, prepared.head.path);
  prepared.body = request_body(request.body);
  if (is_form) {
    edit_form(request, prepared);
    return prepared;
  }
  body_editor editor(request, model, prepared);
  editor.edit(request.model);
  if (request.format == wire_format::openai_chat) {
    prepared.reasoning_left_out = fit_carried_reasoning(request, prepared.body.edits());
    if (prepared.reasoning_left_out > 0) prepared.dropped.emplace_back("reasoning.signature");
  }
  prepared.is_unstreamed = editor.is_unstreamed();
  return prepared;
}

std::unique_ptr<dialect_stream> openai_dialect::open_stream(stream_settings settings) const {
  const openai_format* const format = find_openai_format(settings.format);
  switch (format == nullptr ? answer_shape::streamed : format->shape) {
    case answer_shape::in_one_piece: return std::make_unique<json_answer>(*format, settings.vectors);
    case answer_shape::text: return open_text(settings.format);
    case answer_shape::events: return open_events(settings.format);
    case answer_shape::bytes: return open_sound(settings.format);
    case answer_shape::streamed: break;
  }
  if (settings.format == wire_format::openai_responses) {
    const json_use use = settings.is_passed() ? json_use::passes : json_use::translated;
    const given_events given = settings.passes_whole ? given_events::last : given_events::all;
    return std::make_unique<response_stream>(settings.parser, use, settings.takes_images(), std::move(settings.id),
                                             given);
  }
  settings.id.insert(0, chunk_form_of(settings.format).id_prefix);
  return std::make_unique<openai_stream>(std::move(settings));
}

}  // namespace photofinish::proxy
