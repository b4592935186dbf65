#include "gateway/attempts/setup/continued_request.hpp"

#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/providers/parameters.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using proxy::json_find;
using proxy::wire_format;

// Returns true if the request asks for more than plain text. Also returns true for a text format that becomes invalid
// if two models each write one half.
bool asks_for_more(const proxy::client_body& body) {
  constexpr std::array<std::string_view, 13> parameters{
      "tools", "functions", "n",     "logprobs",           "top_logprobs", "prediction",    "best_of",
      "audio", "store",     "web_search_options", "mcp_servers",  "output_format", "response_format"};
  const auto is_asked = [&body](std::string_view each) { return proxy::is_meaningful(each, body.value_of(each)); };
  if (std::any_of(parameters.begin(), parameters.end(), is_asked)) return true;
  const std::string_view modalities = body.value_of("modalities");
  if (modalities.find("audio") != std::string_view::npos) return true;
  if (json_find(body.value_of("output_config"), "format")) return true;
  const std::string_view thinking = body.value_of("thinking");
  return proxy::json_is_object(thinking) && json_find(thinking, "type") != R"("disabled")";
}

std::string_view last_message(const proxy::client_body& body) {
  std::string_view last;
  const std::string_view messages = body.value_of("messages");
  if (!proxy::json_is_array(messages)) return last;
  proxy::json_walk walk(messages);
  while (const auto each = walk.next_element()) last = *each;
  return last;
}

}  // namespace

bool may_be_continued(const parsed_request& asked) {
  const bool is_known = asked.format == wire_format::openai_chat || asked.format == wire_format::anthropic_messages;
  if (!is_known || !asked.body || asked.body->is_form() || !asked.state.field.empty()) return false;
  if (asks_for_more(*asked.body)) return false;
  const std::string_view role = json_find(last_message(*asked.body), "role").value_or(std::string_view{});
  return role != R"("assistant")";
}

bool may_go_on_behind(const proxy::failure& why) {
  if (why.origin != proxy::failure_origin::provider) return false;
  switch (why.kind) {
    case proxy::failure_kind::timeout:  // the request has reached its total time limit
    case proxy::failure_kind::bad_request:
    case proxy::failure_kind::cancelled: return false;
    default: return true;
  }
}

continued_request continue_request(const parsed_request& asked, std::string_view answer, std::uint64_t tokens) {
  const proxy::client_body& body = *asked.body;
  // Removes white space at the end of the answer, because Anthropic's models refuse a prefill that ends with white
  // space.
  const std::size_t end = answer.find_last_not_of(" \n\r\t") + 1;
  continued_request made;
  made.before = {std::string(answer.substr(0, end)), std::string(answer.substr(end)), tokens};
  proxy::json_edits edits(body.json());
  const std::string_view last = last_message(body);
  edits.insert(edits.offset_of(last.data() + last.size()),
               R"(,{"role":"assistant","content":)" + proxy::json_quote(made.before.given) + "}");
  for (const std::string_view limit : {"max_tokens", "max_completion_tokens"}) {
    const std::string_view value = body.value_of(limit);
    // Does not change a token limit that is not a number, because the provider will reject the request.
    const auto most = proxy::parse_number<std::uint64_t>(value);
    if (most) edits.replace(value, std::to_string(*most > tokens ? *most - tokens : 1));
  }
  for (const std::string_view piece : edits.pieces()) made.body += piece;
  return made;
}

void plan_continuation(race_setup& setup, std::span<const target_name> spoken, std::size_t most,
                       std::chrono::milliseconds time_left) {
  std::vector<std::size_t> chosen;
  for (const std::size_t index : setup.planned.chosen) {
    const race_candidate& each = setup.candidates[index];
    const bool has_spoken = std::find(spoken.begin(), spoken.end(), each.target) != spoken.end();
    const bool is_chosen = std::find(chosen.begin(), chosen.end(), index) != chosen.end();
    const bool takes_it = each.provider->behaves.prefill != proxy::prefill_form::none;
    if (takes_it && !has_spoken && !is_chosen && chosen.size() < most) chosen.push_back(index);
  }
  const racing::race_plan before = setup.planned.plan;
  racing::race_plan plan;
  plan.target_count = plan.max_attempts = chosen.size();
  plan.policy = racing::race_policy::fallback;
  plan.max_parallel = 1;
  plan.race_timeout = std::min(before.race_timeout, time_left);
  plan.first_token_timeout = racing::first_token_limit(setup.settings, plan.policy, chosen.size());
  plan.answer_timeout = std::min(before.answer_timeout, time_left);
  setup.planned.plan = plan;
  setup.planned.chosen = std::move(chosen);
  setup.planned.choice.reset();
  setup.speed.reset();
}

}  // namespace photofinish::gateway
