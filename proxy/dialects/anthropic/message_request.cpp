#include "proxy/dialects/anthropic/message_request.hpp"

#include "proxy/conversation/attribution.hpp"
#include "proxy/conversation/object_members.hpp"
#include "proxy/conversation/writers/openai/chat_form.hpp"
#include "proxy/dialects/anthropic/cache_marks.hpp"
#include "proxy/dialects/anthropic/message_history.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/json/key_search.hpp"
#include "proxy/providers/model_facts.hpp"
#include "proxy/providers/parameters.hpp"
#include "proxy/words/contains.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>

namespace photofinish::proxy {
namespace {

// The answer's token limit if the client sets none. Anthropic requires a limit, but most clients of other APIs set
// none. This limit is sufficient for a long answer with its thinking. It is lower than the models' own limits, because
// the prompt and the limit together must fit into the context.
constexpr std::int64_t usual_max_tokens = 32'000;
// The answer's token limit if the client sets none and the model's own limit is unknown.
constexpr std::int64_t modest_max_tokens = 16'000;

constexpr std::int64_t least_budget = 1024;  // Anthropic's minimum thinking budget in tokens
constexpr std::string_view fast_word = R"("fast")";

// The types of content blocks that contain thinking.
constexpr std::array<std::string_view, 2> thinking_types{"thinking", "redacted_thinking"};

struct effort_budget {
  std::string_view effort;
  std::int64_t tokens;
};

// The thinking budget for each effort, in tokens. The budgets are generous. effort_of_budget() does the opposite: it
// converts a budget to an effort.
constexpr std::array<effort_budget, 6> budgets{
    {{"minimal", 1024}, {"low", 2048}, {"medium", 8192}, {"high", 24'576}, {"xhigh", 32'768}, {"max", 65'536}}};

// True if the provider paused the turn between two steps of its own tools. The client sends the turn back unchanged,
// and the model continues the turn.
bool has_hosted_tools(std::string_view content) {
  for (const std::string_view block : json_elements(content)) {
    const object_members members(block);
    const std::string_view type = members.word("type");
    if (type == "server_tool_use" || type == "mcp_tool_use" || type.ends_with("_tool_result")) return true;
  }
  return false;
}

class message_editor {
 public:
  message_editor(const attempt_request& request, const claude_plan& plan, prepared_request& prepared,
                 const message_envelope* envelope)
      : request_(request),
        plan_(plan),
        envelope_(envelope),
        body_(*request.body),
        behaves_(request.target.behaves),
        facts_(facts_of(model_at(request.target, request.model))),
        prepared_(prepared),
        edits_(prepared.body.edits()) {}

  void edit() {
    edit_length();
    if (envelope_ != nullptr) envelop();
    else address();
    for (const json_member& member : body_.members().members())
      if (!remove_attribution(member)) edit_member(member);
    if (plan_.is_fast) send_speed();
    if (plan_.has_lost_tier) note("speed");
    if (plan_.has_lost_beta) note("anthropic-beta");
    const history_facts history = clean();
    if (!is_dropped("thinking")) edit_thinking(history);
    if (!is_dropped("output_config")) edit_output();
    edit_thread();
    edit_cache_marks(request_, plan_, prepared_);
  }

 private:
  void edit_member(const json_member& member) {
    if (is_dropped(json_unescape(member.raw_key))) return drop(member);
    if (request_.tier && json_key_is(member.raw_key, "speed")) return replace_speed(member);
    for (const std::string_view path : remove_members(plan_.lost_members, member, edits_, attribution_)) note(path);
  }

  // Removes Claude Code's attribution (attribution.hpp) from the system text, unless the request is sent to Anthropic's
  // own API. Returns true if the member `system` becomes empty.
  bool remove_attribution(const json_member& member) {
    if (plan_.is_at_anthropic || !json_key_is(member.raw_key, "system")) return false;
    attribution_ = attribution_block(member.value);
    const bool is_all = is_attribution(member.value) ||
                        (!attribution_.empty() && attribution_.data() == json_last_element(member.value).data());
    if (is_all) edits_.remove_member(member);
    else if (!attribution_.empty()) remove_first(member.value);
    return is_all;
  }

  void remove_first(std::string_view list) {
    json_walk blocks(list);
    const char* const first = blocks.next_element()->data();
    edits_.remove({first, static_cast<std::size_t>(blocks.next_element()->data() - first)});
  }

  // Replaces the client's `speed` with the value for the target's service tier.
  void replace_speed(const json_member& member) {
    if (!plan_.is_fast) edits_.remove_member(member);
    else if (member.value != fast_word) edits_.replace(member.value, fast_word);
  }

  void send_speed() {
    prepared_.tier = price_tier::fast;
    if (body_.members().find("speed") == nullptr)
      edits_.insert_member(body_.json(), R"("speed":)" + std::string(fast_word));
  }

  void address() {
    set("model", json_quote(request_.model));
    set_stream();
  }

  void set_stream() { set("stream", request_.shape == answer_shape::in_one_piece ? "false" : "true"); }

  void remove(const char* key) {
    if (const json_member* const there = body_.members().find(key)) edits_.remove_member(*there);
  }

  void envelop() {
    remove("model");
    if (envelope_->has_stream) set_stream();
    else remove("stream");
    for (const auto& [key, value] : envelope_->members) set(key, value);
  }

  void set(std::string_view key, std::string_view value) {
    const json_member* const there = body_.members().find(key);
    if (there == nullptr) edits_.insert_member(body_.json(), json_quote(key).append(":").append(value));
    else if (there->value != value) edits_.replace(there->value, value);
  }

  // Replaces the previous message's id, which this gateway had created for the client, with the provider's own id.
  void edit_thread() {
    if (request_.previous_response.empty()) return;
    const std::string_view previous = object_members(body_.value_of("thread"))["previous_message_id"];
    if (json_is_string(previous)) edits_.replace(previous, json_quote(request_.previous_response));
  }

  void edit_length() {
    const auto most = static_cast<std::int64_t>(facts_.max_output);
    const auto asked = parse_number<std::int64_t>(body_.value_of("max_tokens"));
    if (asked) max_tokens_ = most > 0 ? std::min(*asked, most) : *asked;
    else max_tokens_ = most > 0 ? std::min(most, usual_max_tokens) : modest_max_tokens;
    const bool is_missing = body_.value_of("max_tokens").empty() || body_.value_of("max_tokens") == "null";
    if (is_missing || (asked && *asked != max_tokens_)) set("max_tokens", std::to_string(max_tokens_));
    if (asked && *asked != max_tokens_) note("max_tokens");
  }

  bool is_dropped(std::string_view key) const {
    constexpr std::array<std::string_view, 4> needed{"model", "stream", "messages", "max_tokens"};
    if (contains(needed, key)) return false;
    if (contains(facts_.drop_params, key) || contains(behaves_.drop_params, key)) return true;
    if (contains(plan_.cloud->drop_params, key)) return true;
    if (key == "speed" && !facts_.match.empty() && !facts_.takes_fast) return true;
    if ((key == "speed" || key == "service_tier") && behaves_.tiers == tier_form::none) return true;
    return key == "top_p" && facts_.one_sampling && body_.members().find("temperature") != nullptr;
  }

  void drop(const json_member& member) {
    edits_.remove_member(member);
    const std::string key = json_unescape(member.raw_key);
    const bool is_tier = key == "service_tier" || key == "speed";
    if (is_tier ? is_meaningful(key, member.value) : !json_is_null(member.value)) note(key);
  }

  void note(std::string_view name) {
    if (!contains(prepared_.dropped, name)) prepared_.dropped.emplace_back(name);
  }

  // Removes thinking that Claude would refuse. The history is searched only if it contains a thinking block with a
  // signature, or a redacted thinking block with data.
  history_facts clean() {
    const std::string_view messages = body_.value_of("messages");
    const bool asks_for_it = thinking_type() == "enabled" || thinking_type() == "adaptive";
    const bool has_some = body_.is_long() ? body_.may_hold_key("signature") || body_.may_hold_key("thinking") ||
                                              body_.may_hold_key("data")
                                          : holds_quoted(messages, thinking_types);
    if (!has_some && !(asks_for_it && facts_.thinking.form == thinking_form::budget)) return {};
    const bool is_all = request_.reasoning == reasoning_items::left_out;
    const history_facts found =
        clean_history(messages, is_all ? removed_thinking::all : removed_thinking::foreign, edits_, request_.foreign);
    if (found.removed > 0) prepared_.dropped.emplace_back("thinking.signature");
    prepared_.reasoning_left_out = found.removed;
    return found;
  }

  // Thinking

  std::string_view thinking_type() const { return object_members(body_.value_of("thinking")).word("type"); }

  std::string_view effort() const { return object_members(body_.value_of("output_config")).word("effort"); }

  void edit_thinking(const history_facts& history) {
    const json_member* const member = body_.members().find("thinking");
    const std::string_view type = thinking_type();
    if (member == nullptr || type.empty()) {
      if (plan_.binds_thinking) set("thinking", bound_thinking({}));
      return;
    }
    if (is_off()) return turn_off(*member, type);
    if (facts_.thinking.form == thinking_form::none) return drop(*member);
    if (facts_.thinking.form == thinking_form::budget) {
      // If thinking is on, Claude's last turn must begin with a thinking block. Clients of other APIs cannot send
      // Claude's thinking blocks back. Therefore, `thinking` is removed from the request.
      const bool has_prefill = request_.is_translated && ends_with_prefill(body_);
      if (history.lacks_thinking_of_calls || has_prefill) return drop(*member);
      if (type == "adaptive") give_budget(*member);
      else fit_budget(*member);
    } else if (type == "enabled" && !facts_.thinking.takes_budget) {
      edits_.replace(member->value, plan_.binds_thinking ? bound_thinking(R"(,"display":"summarized")")
                                                         : R"({"type":"adaptive","display":"summarized"})");
    } else if (type == "enabled" && !plan_.binds_thinking) {
      fit_budget(*member);
    } else if (plan_.binds_thinking) {
      edits_.insert_member(member->value, binding);
    }
  }

  bool is_off() const {
    const std::string_view type = thinking_type();
    return type == "disabled" || type == "between_tools";
  }

  static constexpr std::string_view binding = R"("block_binding":{"prefix_mismatch_behavior":"drop_block"})";

  static std::string bound_thinking(std::string_view more) {
    return R"({"type":"adaptive")" + std::string(more) + "," + std::string(binding) + "}";
  }

  void turn_off(const json_member& member, std::string_view type) {
    if (facts_.thinking.is_always_on) {
      note("thinking");
      if (plan_.binds_thinking) edits_.replace(member.value, bound_thinking({}));
      else edits_.remove_member(member);
    } else if (!facts_.match.empty() && type != facts_.thinking.off) {
      edits_.replace(member.value, R"({"type":")" + facts_.thinking.off + "\"}");
    }
  }

  void give_budget(const json_member& member) {
    const auto budget = budget_of_effort(effort().empty() ? std::string_view("high") : effort(), max_tokens_);
    if (!budget) return drop(member);
    is_effort_in_budget_ = true;
    edits_.replace(member.value, R"({"type":"enabled","budget_tokens":)" + std::to_string(*budget) + "}");
  }

  // Reduces a thinking budget that is not smaller than the answer's token limit. The client's budget may be too large
  // if the model's limit is lower than the client's limit. Clients of other APIs may also send a budget above their own
  // limit.
  void fit_budget(const json_member& member) {
    const json_member* const asked = body_.members().find("max_tokens");
    const bool is_kept = asked == nullptr || parse_number<std::int64_t>(asked->value) == max_tokens_;
    const std::string_view budget = object_members(member.value)["budget_tokens"];
    const auto tokens = parse_number<std::int64_t>(budget);
    if (!tokens || (is_kept && !request_.is_translated) || *tokens < max_tokens_) return;
    if (max_tokens_ / 2 < least_budget) return drop(member);
    edits_.replace(budget, std::to_string(max_tokens_ / 2));
    note("thinking");
  }

  bool sends_beta_of_effort() const {
    return std::any_of(request_.forwarded.begin(), request_.forwarded.end(), [](const auto& field) {
      return equals_ignoring_case(field.first, "anthropic-beta") && field.second.find("effort-") != std::string::npos;
    });
  }

  void edit_output() {
    const json_member* const config = body_.members().find("output_config");
    const std::string_view asked = effort();
    // If the model cannot turn thinking off, its lowest effort is requested instead.
    const bool is_least =
        is_off() && facts_.thinking.is_always_on && !facts_.thinking.efforts.empty();
    if (asked.empty() && is_least) return add_effort(config, facts_.thinking.efforts.front());
    if (asked.empty()) return add_effort_of_budget(config);
    const std::string_view fitting =
        is_least ? std::string_view(facts_.thinking.efforts.front()) : nearest_effort(asked);
    const std::string_view taken = facts_.thinking.effort_is_beta && !sends_beta_of_effort() ? "" : fitting;
    if (taken == asked) return;
    if (!is_least && !is_effort_in_budget_) note("output_config.effort");
    std::size_t members = 0;
    std::optional<json_member> found;
    for (const json_member& each : json_members(config->value)) {
      ++members;
      if (json_key_is(each.raw_key, "effort")) found = each;
    }
    if (!taken.empty()) return edits_.replace(found->value, json_quote(taken));
    if (members == 1) edits_.remove_member(*config);
    else edits_.remove_member(*found);
  }

  // Returns the requested effort, or the next lower effort that the model accepts. If there is none, returns the
  // model's lowest effort. Returns an empty view if the model accepts no effort.
  std::string_view nearest_effort(std::string_view asked) const {
    std::string_view taken;
    for (const effort_budget& each : budgets) {
      if (contains(facts_.thinking.efforts, each.effort)) taken = each.effort;
      if (is_off() && each.effort == facts_.thinking.off_effort) return taken;
      if (each.effort == asked && !taken.empty()) return taken;
    }
    const auto known = std::find_if(budgets.begin(), budgets.end(),
                                    [asked](const effort_budget& each) { return each.effort == asked; });
    return known == budgets.end() || facts_.thinking.efforts.empty() ? std::string_view{}
                                                                     : facts_.thinking.efforts.front();
  }

  // Converts a thinking budget to an effort, for models that do not accept budgets.
  void add_effort_of_budget(const json_member* config) {
    const auto budget = parse_number<std::int64_t>(object_members(body_.value_of("thinking"))["budget_tokens"]);
    if (!budget || facts_.thinking.form != thinking_form::adaptive || facts_.thinking.takes_budget) return;
    add_effort(config, effort_of_budget(*budget));
  }

  void add_effort(const json_member* config, std::string_view word) {
    const std::string effort = R"("effort":)" + json_quote(word);
    if (config != nullptr && json_is_object(config->value)) edits_.insert_member(config->value, effort);
    else set("output_config", "{" + effort + "}");
  }

  const attempt_request& request_;
  const claude_plan& plan_;
  const message_envelope* envelope_;
  const client_body& body_;
  const behaviour& behaves_;
  const model_facts& facts_;
  prepared_request& prepared_;
  json_edits& edits_;
  std::int64_t max_tokens_ = 0;
  std::string_view attribution_;  // the attribution block that was removed from `system`, or empty
  bool is_effort_in_budget_ = false;  // true if the thinking budget already reflects the client's effort
};

}  // namespace

void edit_message_request(const attempt_request& request, const claude_plan& plan, prepared_request& prepared,
                          const message_envelope* envelope) {
  message_editor(request, plan, prepared, envelope).edit();
}

bool ends_with_prefill(const client_body& body) {
  const object_members message(json_last_element(body.value_of("messages")));
  return message.word("role") == "assistant" && !has_hosted_tools(message["content"]);
}

std::optional<std::int64_t> budget_of_effort(std::string_view effort, std::int64_t max_tokens) {
  const auto known = std::find_if(budgets.begin(), budgets.end(),
                                  [effort](const effort_budget& each) { return each.effort == effort; });
  if (known == budgets.end()) return std::nullopt;
  const std::int64_t budget = std::min(known->tokens, max_tokens / 2);
  return budget < least_budget ? std::nullopt : std::optional(budget);
}

}  // namespace photofinish::proxy
