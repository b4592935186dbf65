#include "gateway/attempts/setup/content_decisions.hpp"

#include "proxy/failures/sanitized_text.hpp"
#include "proxy/json/repeated_member.hpp"
#include "proxy/providers/model_facts.hpp"

#include <algorithm>
#include <string>

namespace photofinish::gateway {
namespace {

bool reads_content(const route_rule& rule) {
  return !rule.task.empty() || rule.min_input_tokens || rule.max_input_tokens || rule.tools || rule.response_format ||
         rule.max_tokens || rule.is_apply;
}

bool reads_content(const runnable& wanted) {
  if (wanted.race.stored == racing::stored_answers::refuse) return true;
  const route* const from = wanted.from;
  if (from == nullptr) return false;
  const auto reads = [](const route_rule& each) { return reads_content(each); };
  return from->cache || std::any_of(from->rules.begin(), from->rules.end(), reads);
}

// Parameters that the target refuses, and lengths that are too much for it.
bool reads_content(const race_candidate& each) {
  const proxy::openai_facts& model = proxy::openai_facts_of(each.target.model, proxy::place_of(*each.provider));
  return !each.provider->behaves.reject_params.empty() || !each.provider->facts.empty() ||
         !model.params.reject.empty() || !model.params.never_reject.empty();
}

}  // namespace

std::optional<api_error> refuse_repeated_member(const parsed_request& asked, const content_deciders& by) {
  const auto judges = [&by](const guardrail_settings& each) { return each.judges(by.route); };
  const auto& guardrails = by.settings.guardrails;
  const auto reads = [](const race_candidate& each) { return reads_content(each); };
  const bool is_decided = std::any_of(guardrails.begin(), guardrails.end(), judges) || reads_content(by.wanted) ||
                          std::any_of(by.candidates.begin(), by.candidates.end(), reads) ||
                          (by.counts_tokens && by.counts_tokens(by.route));
  if (!is_decided) return std::nullopt;
  const std::string path = asked.repeated ? *asked.repeated : proxy::find_repeated_member(asked.body->json());
  if (path.empty()) return std::nullopt;
  std::string message = in_quotes(path) + " is given twice, and readers disagree about which of the two counts: ";
  return bad_request(message + "send it once", proxy::clean_text(path, most_shown));
}

}  // namespace photofinish::gateway
