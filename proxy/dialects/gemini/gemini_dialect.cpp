#include "proxy/dialects/gemini/gemini_dialect.hpp"

#include "proxy/conversation/writers/gemini_contents.hpp"
#include "proxy/conversation/writers/openai/chat_form.hpp"
#include "proxy/dialects/gemini/gemini_stream.hpp"
#include "proxy/dialects/openai/openai_formats.hpp"
#include "proxy/dialects/provider_head.hpp"
#include "proxy/dialects/rare_key_check.hpp"
#include "proxy/dialects/tier_edit.hpp"
#include "proxy/json/character_set.hpp"
#include "proxy/json/element_removal.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/providers/model_facts.hpp"
#include "proxy/providers/parameters.hpp"
#include "proxy/providers/url.hpp"
#include "proxy/words/contains.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::string_view openai_layer = "/openai";
// The header for API keys in Gemini's own API. Google's documentation does not mention this header for the
// OpenAI-compatible API.
constexpr std::string_view own_key_header = "x-goog-api-key";

bool is_conversation(wire_format format) {
  return format == wire_format::openai_chat || format == wire_format::openai_responses ||
         format == wire_format::anthropic_messages || format == wire_format::gemini;
}

struct budget_of_effort {
  std::string_view effort;
  std::int64_t tokens;
};

// The thinking budget for each effort, in tokens. The values are those of Google's OpenAI-compatible API. Every effort
// above `high` gets the model's largest budget.
constexpr std::int64_t as_much_as_can_be = 1 << 20;
constexpr std::array<budget_of_effort, 7> budgets{{{"none", 0},
                                                   {"minimal", 512},
                                                   {"low", 1024},
                                                   {"medium", 8192},
                                                   {"high", 24'576},
                                                   {"xhigh", as_much_as_can_be},
                                                   {"max", as_much_as_can_be}}};

std::optional<std::int64_t> budget_of(std::string_view effort) {
  for (const auto& [word, tokens] : budgets)
    if (word == effort) return tokens;
  return std::nullopt;
}

// Returns the requested thinking level, or the next higher level that the model has, because the client's effort is
// treated as a minimum.
std::string_view level_of(std::string_view effort, const thinking_facts& thinking) {
  constexpr std::array<std::string_view, 5> levels{"minimal", "low", "medium", "high", "xhigh"};
  const auto asked = std::find(levels.begin(), levels.end(), effort == "none" ? "minimal" : effort);
  const auto has = [&thinking](std::string_view level) { return contains(thinking.efforts, level); };
  const auto found = std::find_if(asked, levels.end(), has);
  return found == levels.end() ? thinking.efforts.back() : *found;
}

// Requests the text of the model's thoughts unless thinking is off. Clients then see the beginning of an answer
// earlier, because thoughts precede the text.
std::string with_thoughts(std::string config, bool is_off) {
  return "{" + config + (is_off ? "}" : R"(,"includeThoughts":true})");
}

// Limits a thinking budget to the range that the model accepts. The value 0, which turns thinking off, stays unchanged
// unless the model always thinks.
std::int64_t taken_budget(std::int64_t tokens, const thinking_facts& thinking) {
  return tokens == 0 && !thinking.is_always_on ? 0 : std::clamp(tokens, thinking.least_budget, thinking.most_budget);
}

std::string config_of_effort(std::string_view effort, const thinking_facts& thinking) {
  const bool is_off = effort == "none";
  if (thinking.form == thinking_form::level)
    return with_thoughts(R"("thinkingLevel":)" + json_quote(level_of(effort, thinking)), is_off);
  const std::int64_t budget = taken_budget(*budget_of(effort), thinking);
  return with_thoughts(R"("thinkingBudget":)" + std::to_string(budget), is_off);
}

std::string config_of_budget(std::int64_t tokens, const thinking_facts& thinking) {
  if (thinking.form == thinking_form::level) return config_of_effort(effort_of_budget(tokens), thinking);
  const std::int64_t budget = taken_budget(tokens, thinking);
  return with_thoughts(R"("thinkingBudget":)" + std::to_string(budget), false);
}

// True if the model gets a different effort or budget than the client requested.
bool is_thinking_changed(std::string_view asked, const model_facts& model) {
  const bool has_levels = model.thinking.form == thinking_form::level;
  if (const auto effort = json_find(asked, "effort")) {
    const std::string word = json_unescape(json_raw_string(*effort));
    if (has_levels) return budget_of(word) && level_of(word, model.thinking) != word;
    return word == "none" && taken_budget(0, model.thinking) != 0;
  }
  const auto budget = json_find(asked, "budget");
  if (!budget || has_levels) return false;
  const std::int64_t tokens = parse_leading_number<std::int64_t>(*budget).value_or(0);
  return taken_budget(tokens, model.thinking) != tokens;
}

// Returns the thinkingConfig for the model. Returns an empty string if the model does not accept a thinkingConfig, or
// if no thinkingConfig can express the client's setting.
std::string thinking_config(std::string_view asked, const model_facts& model) {
  if (model.thinking.form == thinking_form::refused) return {};
  // A client of Gemini's API has sent this thinkingConfig, so it needs no translation.
  if (const auto config = json_find(asked, "config")) return std::string(*config);
  if (model.thinking.form == thinking_form::none) return {};
  if (const auto effort = json_find(asked, "effort")) {
    const std::string word = json_unescape(json_raw_string(*effort));
    return budget_of(word) ? config_of_effort(word, model.thinking) : std::string();
  }
  const std::string_view budget = json_find(asked, "budget").value_or("0");
  return config_of_budget(parse_leading_number<std::int64_t>(budget).value_or(0), model.thinking);
}

// Edits prepared.body, which must contain the body of the request. Translates the thinking settings for the model.
// Removes placeholder signatures if the model does not require them, and all signatures if the provider has refused
// them. Also removes the parameters that drop_params lists by their Gemini names. Stores the names of all removed parts
// in `prepared`.
class body_editor {
 public:
  body_editor(const attempt_request& request, prepared_request& prepared)
      : request_(request),
        prepared_(prepared),
        body_(*request.body),
        behaves_(request.target.behaves),
        facts_(gemini_facts_of(model_at(request.target, request.model))),
        edits_(prepared.body.edits()),
        dropped_(prepared.dropped),
        has_refused_signatures_(request.reasoning == reasoning_items::left_out),
        foreign_(request.foreign) {}

  // Edits the body of the request. Returns the number of removed signatures.
  std::size_t edit() {
    for (const json_member& each : body_.members().members()) {
      if (json_key_is(each.raw_key, "thinking")) write_thinking(each);
      else if (each.raw_key == gemini_tier.name && !is_dropped(gemini_tier.name)) write_tier(&each);
      else drop_where_named(each);
      if (json_key_is(each.raw_key, "generationConfig")) drop_inside(each.value);
    }
    if (request_.tier && body_.members().find(gemini_tier.name) == nullptr) write_tier(nullptr);
    const bool has_stand_ins =
        !facts_.demands_signatures && body_.json().find(unsigned_call) != std::string_view::npos;
    const bool may_be_foreign = foreign_ != nullptr && may_hold(body_, "thoughtSignature");
    if (has_refused_signatures_ || has_stand_ins || may_be_foreign) edit_parts();
    if (left_out_ > 0) dropped_.emplace_back("reasoning");
    return left_out_;
  }

 private:
  void write_tier(const json_member* member) { edit_tier(request_, member, gemini_tier, prepared_); }

  void write_thinking(const json_member& asked) {
    edits_.remove_member(asked);
    const std::string config = thinking_config(asked.value, facts_);
    const bool is_off = json_find(asked.value, "effort") == R"("none")";
    if (is_dropped("thinkingConfig") || (config.empty() && !is_off)) dropped_.emplace_back("reasoning_effort");
    else if (!config.empty()) {
      edits_.insert_member(body_.value_of("generationConfig"), R"("thinkingConfig":)" + config);
      const bool is_own = json_find(asked.value, "config").has_value();
      if (!is_own && is_thinking_changed(asked.value, facts_)) dropped_.emplace_back("reasoning_effort");
    }
  }

  bool is_dropped(std::string_view name) const {
    return contains(behaves_.drop_params, name) || contains(facts_.drop_params, name);
  }

  void drop_where_named(const json_member& each) {
    if (!is_dropped(each.raw_key)) return;
    edits_.remove_member(each);
    if (!is_default(each)) dropped_.emplace_back(each.raw_key);
  }

  // True if the parameter has its default value. Omitting such a parameter changes nothing, so it is not reported as
  // dropped.
  static bool is_default(const json_member& each) {
    const bool is_penalty = each.raw_key == "presencePenalty" || each.raw_key == "frequencyPenalty";
    const bool is_sampling = each.raw_key == "temperature" || each.raw_key == "topP";
    return is_penalty ? !is_meaningful("presence_penalty", each.value)
                      : is_sampling && !is_meaningful("temperature", each.value);
  }

  void fit_length(const json_member& each) {
    std::uint64_t tokens = 0;
    const auto read = std::from_chars(each.value.data(), each.value.data() + each.value.size(), tokens);
    const bool is_over = read.ec == std::errc::result_out_of_range || tokens > facts_.max_output;
    if (!is_over || facts_.max_output == 0) return;
    edits_.replace(each.value, std::to_string(facts_.max_output));
    dropped_.emplace_back(each.raw_key);
  }

  void drop_inside(std::string_view config) {
    if (is_dropped("generationConfig")) return;
    for (const json_member& each : json_members(config)) {
      if (each.raw_key == "maxOutputTokens" && !is_dropped(each.raw_key)) fit_length(each);
      else drop_where_named(each);
    }
  }

  void edit_parts() {
    for (const std::string_view content : json_elements(body_.value_of("contents"))) {
      element_removal list(edits_);
      for (const std::string_view part : json_elements(json_find(content, "parts").value_or("[]"))) {
        if (edit_signature(part) == rest_of_part::nothing) list.remove(part);
        else list.keep(part);
      }
      list.finish(blank_part);
    }
  }

  enum class rest_of_part { something, nothing };

  // Removes a signature that the provider would refuse. If the model requires signatures, a call gets a placeholder
  // instead. A part with an empty text is removed completely, because it existed only for its signature.
  rest_of_part edit_signature(std::string_view part) {
    bool is_call = false, is_empty = false;
    std::optional<json_member> signature;
    for (const json_member& each : json_members(part)) {
      is_call |= each.raw_key == "functionCall";
      is_empty |= each.raw_key == "text" && each.value == R"("")";
      if (each.raw_key == "thoughtSignature") signature = each;
    }
    if (!signature) return rest_of_part::something;
    const bool is_stand_in = signature->value == unsigned_call;
    const bool may_stay = is_stand_in ? facts_.demands_signatures
                                      : !has_refused_signatures_ && !is_known_foreign(foreign_, signature->value);
    if (may_stay) return rest_of_part::something;
    if (!is_stand_in) ++left_out_;
    if (is_empty && !is_call) return rest_of_part::nothing;
    if (is_call && facts_.demands_signatures) edits_.replace(signature->value, unsigned_call);
    else edits_.remove_member(*signature);
    return rest_of_part::something;
  }

  const attempt_request& request_;
  prepared_request& prepared_;
  const client_body& body_;
  const behaviour& behaves_;
  const model_facts& facts_;
  json_edits& edits_;
  std::vector<std::string>& dropped_;
  const bool has_refused_signatures_;
  foreign_reasoning* const foreign_;
  std::size_t left_out_ = 0;
};

// Returns the path after the base URL, such as "/models/gemini-3-pro:generateContent".
std::string gemini_path(std::string_view model, std::string_view verb) {
  std::string path = "/";
  for (const std::string_view collection : {"models/", "tunedModels/"}) {
    if (!model.starts_with(collection)) continue;
    path += collection;
    model.remove_prefix(collection.size());
    break;
  }
  if (path.size() == 1) path += "models/";
  append_percent_encoded(model, path);
  return path.append(":").append(verb);
}

// True if the conversation ends with text or calls of the model, and not with a message of the user.
bool ends_with_model(const client_body& body) {
  return json_find(json_last_element(body.value_of("contents")), "role") == R"("model")";
}

}  // namespace

wire_format gemini_dialect::speaks(wire_format asked, const provider&, std::string_view, const client_body&) const {
  return is_conversation(asked) ? wire_format::gemini : asked;
}

std::optional<std::string_view> gemini_dialect::unsupported(const client_body& body, wire_format format,
                                                            const provider& target) const {
  if (format == wire_format::gemini)
    return target.apis.contains(served_api::chat) ? unsupported_params(body, target.behaves, "generationConfig")
                                                  : to_string(served_api::chat);
  // The code reaches this point only if the conversation was not translated to Gemini's format.
  if (is_conversation(format)) return "format";
  return openai_.unsupported(body, format, target);
}

// Gemini cannot combine function calls with a JSON answer. Such requests are refused with "Function calling with a
// response mime type: 'application/json' is unsupported".
std::optional<std::string_view> gemini_dialect::unsupported_by_model(const client_body& body, wire_format format,
                                                                     std::string_view model,
                                                                     const provider& target) const {
  if (format != wire_format::gemini) return openai_.unsupported_by_model(body, format, model, target);
  const model_facts& facts = gemini_facts_of(model_at(target, model));
  if (!facts.takes_prefill && ends_with_model(body)) return "messages";
  const bool is_json = json_find(body.value_of("generationConfig"), "responseMimeType").has_value();
  if (is_json && !body.value_of("tools").empty() && !facts.calls_beside_json) return "response_format";
  return std::nullopt;
}

prepared_request gemini_dialect::prepare(const attempt_request& request) const {
  if (request.format != wire_format::gemini) {
    provider layer = request.target;
    layer.url.path += openai_layer;
    if (layer.key.auth == auth_style::header && layer.key.header == own_key_header) layer.key.auth = auth_style::bearer;
    return openai_.prepare({request.body, request.format, layer, request.model, request.key, request.forwarded,
                            request.shape, request.previous_response});
  }
  const bool is_streamed = request.shape == answer_shape::streamed;
  const std::string_view verb = is_streamed ? "streamGenerateContent?alt=sse" : "generateContent";
  const std::string path = gemini_path(request.model, verb);
  const std::array<header_field, 2> own{{{"content-type", "application/json"},
                                         {"accept", is_streamed ? "text/event-stream" : "application/json"}}};
  prepared_request prepared;
  prepared.head = provider_head(request.target, request.key, path, own, request.forwarded);
  prepared.body = request_body(request.body);
  prepared.reasoning_left_out = body_editor(request, prepared).edit();
  prepared.is_unstreamed = !is_streamed;
  return prepared;
}

std::unique_ptr<dialect_stream> gemini_dialect::open_stream(stream_settings settings) const {
  if (settings.format != wire_format::gemini) return openai_.open_stream(std::move(settings));
  return std::make_unique<gemini_stream>(std::move(settings));
}

}  // namespace photofinish::proxy
