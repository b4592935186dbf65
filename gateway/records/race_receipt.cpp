#include "gateway/records/race_receipt.hpp"

#include "gateway/records/attempt_words.hpp"
#include "proxy/words/decimal_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace photofinish::gateway {
namespace {

using json = nlohmann::ordered_json;

template <class Rows, class Write>
json list_of(const Rows& rows, const Write& write) {
  json all = json::array();
  for (const auto& each : rows) all.push_back(write(each));
  return all;
}

// Rounds a number to four significant digits, which is as precise as the measurements are.
double rounded(double value) {
  if (!std::isfinite(value) || value <= 0) return 0;
  const double scale = std::pow(10, 3 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

std::string milliseconds(double seconds) { return proxy::fixed_text(seconds * 1'000, 0) + " ms"; }

// Returns the name of the reason why an attempt started. In metrics and receipts, a probe is called a trial.
std::string_view word_for_start(racing::start_reason why) {
  return why == racing::start_reason::probe ? "trial" : to_string(why);
}

std::string name_of(const race_receipt& receipt, std::size_t row) {
  return row < receipt.plan.candidates.size() ? receipt.plan.candidates[row].target : std::string();
}

json prefix_json(const receipt_prefix& prefix) {
  json made{{"matched_tokens", std::round(prefix.matched_tokens)},
            {"age_ms", std::round(prefix.age * 1'000)},
            {"hit_chance", rounded(prefix.hit_chance)},
            {"expected_cached_tokens", std::round(prefix.expected_tokens)}};
  if (prefix.saved) made["cold_start_usd"] = rounded(*prefix.saved);
  return made;
}

json candidate_json(const receipt_candidate& each) {
  json made{{"target", each.target},
          {"state", to_string(each.state)},
          {"ttft_seconds", {{"p50", rounded(each.usual)}, {"p99", rounded(each.late)}}},
          {"tokens_per_second", rounded(each.tokens_per_second)},
          {"finish_seconds", rounded(each.finish)},
          {"level_seconds", rounded(each.level)},
          {"shift", rounded(each.shift)},
          {"spread", rounded(each.spread)},
          {"has_headroom", each.has_headroom},
          {"error_share", rounded(each.errors)},
          {"hang_share", rounded(each.hangs)},
          {"in_flight", each.in_flight},
          {"samples", each.samples},
          {"cost", {{"win", rounded(each.win_cost)}, {"loss", rounded(each.loss_cost)}}}};
  if (each.prefix) made["prompt_cache"] = prefix_json(*each.prefix);
  return made;
}

json attempt_json(const receipt_attempt& each) {
  json made{{"target", each.target},
            {"why", word_for_start(each.why)},
            {"started_seconds", rounded(each.started)},
            {"end", each.is_running ? std::string_view("running") : word_for(each.end)},
            {"ended_seconds", rounded(each.ended)}};
  if (each.first_token) made["first_token_seconds"] = rounded(*each.first_token);
  if (!each.failed.empty()) made["failure"] = each.failed;
  if (each.was_observed) made["observed"] = true;
  if (each.was_kept) made["kept"] = true;
  if (each.is_prefill_finished) made["prefill_finished"] = true;
  if (each.cached_tokens) made["cached_tokens"] = *each.cached_tokens;
  if (each.usd) made["cost_usd"] = rounded(*each.usd);
  return made;
}

bool has_prefixes(const race_receipt& receipt) {
  const auto& all = receipt.plan.candidates;
  return std::any_of(all.begin(), all.end(), [](const receipt_candidate& each) { return each.prefix.has_value(); });
}

json move_json(const race_receipt& receipt, const receipt_choice& choice) {
  const racing::adaptive_choice& made = choice.made;
  json all{{"warm_first", made.is_warm_first()}, {"turns", choice.turns}};
  if (made.moved == racing::move_cause::none || !made.warm) return all;
  all["moved_from"] = name_of(receipt, *made.warm);
  all["move_cause"] = to_string(made.moved);
  if (choice.is_money) all["move_cost_usd"] = rounded(made.move_cost);
  return all;
}

json choice_json(const race_receipt& receipt, const receipt_choice& choice) {
  const racing::adaptive_choice& made = choice.made;
  json order = json::array();
  for (std::size_t place = 0; place < made.count; ++place) order.push_back(name_of(receipt, made.order[place]));
  json all{{"order", std::move(order)}, {"value_seconds", rounded(made.value)},
           {"value_without_hedge_seconds", rounded(made.value_unhedged)}};
  if (made.hedge_after)
    all["hedge"] = {{"target", name_of(receipt, made.hedge_row())}, {"twin", made.is_hedge_twin},
                    {"after_seconds", rounded(*made.hedge_after)}, {"silent_share", rounded(made.hedge_share)}};
  if (has_prefixes(receipt)) all["prompt_cache"] = move_json(receipt, choice);
  if (made.third_after) all["third"] = {{"after_seconds", rounded(*made.third_after)}};
  if (made.probe) all["trial"] = {{"target", name_of(receipt, *made.probe)}, {"why", to_string(made.why_probe)}};
  if (made.is_speed_trial) all["speed_trial"] = true;
  if (made.rescue_after) all["rescue"] = {{"after_seconds", rounded(*made.rescue_after)}};
  if (made.deadline)
    all["deadline"] = {{"seconds", rounded(*made.deadline)}, {"chance", rounded(made.deadline_chance)},
                       {"started_more", made.is_hastened}};
  if (!choice.deadline.empty()) all["deadline"]["end"] = choice.deadline;
  if (choice.predicted_p50)
    all["predicted_ttft_seconds"] = {{"p50", rounded(*choice.predicted_p50)},
                                     {"p90", rounded(choice.predicted_p90.value_or(0))},
                                     {"p99", rounded(choice.predicted_p99.value_or(0))}};
  all["budget"] = {{"currency", choice.is_money ? "usd" : "tokens"}, {"price_seconds", rounded(choice.price)},
                   {"fill", rounded(choice.fill)}, {"usual_cost", rounded(choice.usual_cost)},
                   {"held_back", choice.held_back}};
  all["cost"] = {{"winner", rounded(choice.won_cost)}, {"hedge", rounded(choice.hedge_cost)},
                 {"trial", rounded(choice.trial_cost)}, {"rescue", rounded(choice.rescue_cost)}};
  return all;
}

json request_json(const race_receipt& receipt) {
  json made{{"input_tokens", receipt.plan.input_tokens},
            {"expected_output_tokens", rounded(receipt.plan.output_tokens)}};
  if (!receipt.request.work.empty()) made["class"] = receipt.request.work;
  if (!receipt.request.task.empty()) made["task"] = receipt.request.task;
  if (!receipt.request.project.empty()) made["project"] = receipt.request.project;
  if (!receipt.request.session.empty()) made["session"] = receipt.request.session;
  return made;
}

// Returns the costs of the winner and of the losers as a JSON object. Returns an empty text if no price is known.
json cost_json(const race_receipt& receipt) {
  double won = 0, lost = 0;
  bool is_known = false;
  for (std::size_t index = 0; index < receipt.attempts.size(); ++index) {
    const auto& usd = receipt.attempts[index].usd;
    is_known |= usd.has_value();
    (receipt.winner == index ? won : lost) += usd.value_or(0);
  }
  return is_known ? json{{"winner", rounded(won)}, {"losers", rounded(lost)}} : json();
}

void put_end(const race_receipt& receipt, json& page) {
  if (receipt.margin) page["margin_seconds"] = rounded(*receipt.margin);
  if (const json cost = cost_json(receipt); !cost.is_null()) page["cost_usd"] = cost;
  if (receipt.predicted_end) page["predicted_end_seconds"] = rounded(*receipt.predicted_end);
  if (!receipt.answer) return;
  const receipt_answer& answer = *receipt.answer;
  json& into = page["answer"] = {
      {"status", answer.status}, {"outcome", answer.outcome}, {"seconds", rounded(answer.seconds)}};
  if (answer.output_tokens) into["output_tokens"] = *answer.output_tokens;
  if (answer.tokens_per_second) into["tokens_per_second"] = rounded(*answer.tokens_per_second);
  if (answer.queue) into["reported_queue_seconds"] = rounded(*answer.queue);
  if (answer.prompt) into["reported_prompt_seconds"] = rounded(*answer.prompt);
}

json total_json(const std::string& name, const receipt_total& total) {
  const used_amounts& used = total.amounts;
  const auto usd = [](std::uint64_t nano) { return static_cast<double>(nano) / 1e9; };
  return {{"name", name},
          {"since_ms", total.since.time_since_epoch().count()},
          {"requests", used.requests},
          {"input_tokens", used.input_tokens},
          {"output_tokens", used.output_tokens},
          {"lost_input_tokens", used.lost_input_tokens},
          {"lost_output_tokens", used.lost_output_tokens},
          {"cost_usd", usd(used.nano_usd)},
          {"lost_cost_usd", usd(used.lost_nano_usd)}};
}

json catalogue_json(const catalogue_id& id) {
  return id.front() == '\0' ? json(nullptr) : json(std::string_view(id.data(), id.size()));
}

json skipped_json(const receipt_skipped& each) {
  json made{{"target", each.target}, {"reason", to_string(each.reason)}};
  if (!each.detail.empty()) made["detail"] = each.detail;
  return made;
}

json crawl_json(const receipt_crawl& each) {
  return {{"target", each.target}, {"tokens_per_second", rounded(each.tokens_per_second)},
          {"over_seconds", rounded(each.seconds)}, {"min_tokens_per_second", rounded(each.limit)}, {"end", each.end}};
}

json continuation_json(const receipt_continuation& each) {
  return {{"target", each.target.empty() ? json(nullptr) : json(each.target)},
          {"began_seconds", rounded(each.began)}, {"because", each.because}, {"outcome", each.end}};
}

std::string thousands(double tokens) { return proxy::fixed_text(tokens / 1'000, 0) + "k"; }

// Describes the cached part of a prompt: "92k of 95k tokens in the cache, 41 s old, hit chance 97 %", or "cold".
std::string prefix_words(const race_receipt& receipt, const receipt_prefix& prefix) {
  std::string text = "cold";
  if (prefix.matched_tokens > 0)
    text = thousands(prefix.matched_tokens) + " of " + thousands(receipt.plan.input_tokens) + " tokens in the cache, " +
           proxy::fixed_text(prefix.age, 0) + " s old, hit chance " + proxy::fixed_text(prefix.hit_chance * 100, 0) +
           " %";
  return text;
}

// Describes how the contents of prompt caches influenced the choice of the race's first target.
std::string first_words(const race_receipt& receipt, const racing::adaptive_choice& made) {
  const std::string name = name_of(receipt, made.order[0]);
  if (made.is_warm_first()) return "stayed at " + name;
  if (!made.warm || made.moved == racing::move_cause::none) return name + " first";
  return "moved from " + name_of(receipt, *made.warm) + " (" + std::string(to_string(made.moved)) + ") to " + name;
}

std::string plan_words(const race_receipt& receipt) {
  if (!receipt.choice || receipt.choice->made.count == 0) return std::string(to_string(receipt.plan.policy));
  const racing::adaptive_choice& made = receipt.choice->made;
  std::string text = first_words(receipt, made);
  if (made.order[0] < receipt.plan.candidates.size()) {
    const receipt_candidate& first = receipt.plan.candidates[made.order[0]];
    text += " (";
    if (first.prefix) text += prefix_words(receipt, *first.prefix) + ": ";
    text += milliseconds(first.usual) + " expected)";
  }
  if (made.hedge_after && (made.count > 1 || made.is_hedge_twin))
    text += ", " + (made.is_hedge_twin ? "a twin" : name_of(receipt, made.hedge_row())) + " after " +
            milliseconds(*made.hedge_after);
  if (made.is_speed_trial) text += ", to check whether this target is still slow";
  if (made.probe)
    text += ", " + name_of(receipt, *made.probe) + " tried in addition: " + std::string(to_string(made.why_probe));
  return text;
}

// Describes each value of racing::hold_end, in the order of the enumeration.
constexpr std::array<std::string_view, 8> hold_words{
    "a target that was expected to finish sooner sent its first token",
    "another target sent its first token, but was not expected to finish sooner",
    "the other targets were silent for too long to finish sooner", "the answer that was held back was complete",
    "the buffer for the answer that was held back was "
    "full", "no other attempt was running", "it failed", "the race was over"};

std::string crawl_words(const receipt_crawl& crawl) {
  const std::string_view what = crawl.end == "cut"        ? "and was cut"
                                : crawl.end == "replaced" ? "and the runner-up answered instead"
                                                          : "and continued";
  return crawl.target + " sent only " + proxy::short_text(crawl.tokens_per_second, 3) + " tok/s, " + std::string(what);
}

std::string continued_words(const receipt_continuation& each) {
  std::string text = "the answer broke off (" + std::string(each.because) + "), and ";
  if (each.target.empty()) return text + "no target could continue it";
  text += each.target;
  if (each.end == "continued") return text + " continued the answer to the end";
  return text + " continued the answer until it " + (each.end == "broken" ? "also broke off" : "was cancelled");
}

std::string end_words(const race_receipt& receipt) {
  if (!receipt.winner) return "no target answered";
  const receipt_attempt& winner = receipt.attempts[*receipt.winner];
  std::string text = winner.target + " won";
  if (winner.first_token) text += " after " + milliseconds(*winner.first_token);
  if (receipt.answer && receipt.answer->queue)
    text += " (" + milliseconds(*receipt.answer->queue) + " of that in the queue, as the provider reports)";
  if (winner.why != racing::start_reason::first) text += ", started as a " + std::string(word_for_start(winner.why));
  if (receipt.hold)
    text += "; the answer of " + receipt.hold->target + " was held back for " +
            milliseconds(receipt.hold->ended - receipt.hold->began) + ": " +
            std::string(hold_words[static_cast<std::size_t>(receipt.hold->why)]);
  for (const receipt_crawl& each : receipt.crawls) text += "; " + crawl_words(each);
  for (const receipt_continuation& each : receipt.continued) text += "; " + continued_words(each);
  return text;
}

}  // namespace

std::string_view to_string(racing::target_state state) {
  constexpr std::array<std::string_view, 4> words{"ready", "cooldown", "limited", "out"};
  return words[static_cast<std::size_t>(state)];
}

std::string_view to_string(racing::probe_cause cause) {
  constexpr std::array<std::string_view, 4> words{"none", "not tried for a long time",
                                                  "the target may have become faster", "hardly known"};
  return words[static_cast<std::size_t>(cause)];
}

std::size_t race_receipt::bytes() const {
  std::size_t sum = sizeof *this + id.capacity() + request.route.capacity() + request.rule.capacity() +
                    request.task.capacity() + request.project.capacity() + request.session.capacity() +
                    (hold ? hold->target.capacity() : 0);
  for (const receipt_candidate& each : plan.candidates) sum += sizeof each + each.target.capacity();
  for (const receipt_attempt& each : attempts) sum += sizeof each + each.target.capacity() + each.failed.capacity();
  for (const receipt_crawl& each : crawls) sum += sizeof each + each.target.capacity();
  for (const receipt_continuation& each : continued) sum += sizeof each + each.target.capacity();
  for (const receipt_skipped& each : plan.skipped)
    sum += sizeof each + each.target.capacity() + each.detail.capacity();
  return sum;
}

std::string sentence_of(const race_receipt& receipt) { return plan_words(receipt) + "; " + end_words(receipt); }

std::string race_row(const race_receipt& receipt) {
  const std::chrono::duration<double> age(receipt.age);
  const auto begun = receipt.at - std::chrono::round<std::chrono::milliseconds>(age);
  json row{{"id", receipt.id},
           {"begun_ms", begun.time_since_epoch().count()},
           {"route", receipt.request.route},
           {"policy", to_string(receipt.plan.policy)},
           {"winner", receipt.winner ? json(*receipt.winner) : json(nullptr)},
           {"attempts", list_of(receipt.attempts, attempt_json)}};
  if (receipt.choice && has_prefixes(receipt)) row["prompt_cache"] = move_json(receipt, *receipt.choice);
  put_end(receipt, row);
  return row.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string races_page(std::span<const std::shared_ptr<const race_receipt>> newest_first) {
  std::string page = R"({"object":"list","data":[)";
  for (const auto& each : newest_first) page.append(page.ends_with('[') ? "" : ",").append(race_row(*each));
  return page + "]}";
}

std::string receipt_page(const race_receipt& receipt) {
  json page{{"object", "race"},
            {"id", receipt.id},
            {"created_ms", receipt.at.time_since_epoch().count()},
            {"route", receipt.request.route},
            {"rule", receipt.request.rule.empty() ? json(nullptr) : json(receipt.request.rule)},
            {"policy", to_string(receipt.plan.policy)},
            {"sort", to_string(receipt.plan.sort)},
            {"win_on", to_string(receipt.plan.wins)},
            {"summary", sentence_of(receipt)},
            {"request", request_json(receipt)},
            {"known", {{"number", receipt.plan.board}, {"age_seconds", rounded(receipt.plan.board_age)}}},
            {"catalogue", catalogue_json(receipt.plan.catalogue)},
            {"candidates", list_of(receipt.plan.candidates, candidate_json)},
            {"skipped", list_of(receipt.plan.skipped, skipped_json)}};
  if (receipt.choice) page["choice"] = choice_json(receipt, *receipt.choice);
  page["attempts"] = list_of(receipt.attempts, attempt_json);
  if (receipt.hold)
    page["hold"] = {{"target", receipt.hold->target}, {"began_seconds", rounded(receipt.hold->began)},
                    {"ended_seconds", rounded(receipt.hold->ended)}, {"why", to_string(receipt.hold->why)}};
  if (!receipt.crawls.empty()) page["crawls"] = list_of(receipt.crawls, crawl_json);
  if (!receipt.continued.empty()) page["continued"] = list_of(receipt.continued, continuation_json);
  page["winner"] = receipt.winner ? json(receipt.attempts[*receipt.winner].target) : json(nullptr);
  put_end(receipt, page);
  if (receipt.session_total) page["session_total"] = total_json(receipt.request.session, *receipt.session_total);
  if (receipt.project_total) page["project_total"] = total_json(receipt.request.project, *receipt.project_total);
  return page.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace photofinish::gateway
