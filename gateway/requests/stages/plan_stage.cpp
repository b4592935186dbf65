#include "gateway/requests/stages/plan_stage.hpp"

#include "gateway/access/caller_digest.hpp"
#include "gateway/api/messages/message_words.hpp"
#include "gateway/api/responses/item_references.hpp"
#include "gateway/attempts/race_speed.hpp"
#include "gateway/attempts/race_watch.hpp"
#include "gateway/attempts/setup/rule_match.hpp"
#include "gateway/config/rows/choice_words.hpp"
#include "gateway/http/request_id.hpp"
#include "gateway/page/page_rules.hpp"
#include "gateway/requests/observers/content_observer.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <variant>

namespace photofinish::gateway {

stage_result plan_stage::choose_targets(const limit_stage& limits) {
  worker_context& worker = context_.worker;
  unknown_state_ = open_state();
  auto overrides = read_overrides(plan_.request);
  if (auto* error = std::get_if<api_error>(&overrides)) return std::move(*error);
  auto marks = read_marks(plan_.request, *context_.settings);
  if (auto* error = std::get_if<api_error>(&marks)) return std::move(*error);
  plan_.marks = std::get<request_marks>(std::move(marks));
  context_.record.caller.project = plan_.marks.project;
  context_.record.caller.session = plan_.marks.session;
  plan_.marks.task = task_of(plan_.asked, plan_.marks, *context_.settings);
  const std::optional<speed_source> speed = known_speed();
  plan_.setup = set_up_race({plan_.asked, *context_.settings, plan_.keys, context_.who,
                             std::get<racing::plan_overrides>(overrides), *worker.snapshots.board, worker.alarms.now(),
                             worker.random.fingerprint_salt, worker.attempts.dialects,
                             [&worker](const proxy::provider& each) { return !has_room(worker.attempts, each); },
                             plan_.only ? &*plan_.only : nullptr, speed ? &*speed : nullptr, plan_.marks, nullptr,
                             [&limits](std::string_view route) { return limits.counts_tokens(route); },
                             context_.known_prices()});
  note_unsaid_store();
  return next_stage();
}

// Finds the target of the conversation's previous answer, because only this target can continue the conversation.
std::optional<api_error> plan_stage::open_state() {
  asked_state& state = plan_.asked.state;
  if (state.previous.empty()) return std::nullopt;
  auto kept = ids_of(context_.worker, *context_.settings).opened(state.previous,
                                                                 caller_digest(context_.who, plan_.keys));
  if (!kept && plan_.asked.format == proxy::wire_format::anthropic_messages) return no_such_thread();
  if (!kept) return no_such_response(state.previous, "previous_response_id");
  state.previous_there = std::move(kept->id);
  plan_.only = std::move(kept->target);
  return std::nullopt;
}

std::optional<speed_source> plan_stage::known_speed() const {
  worker_context& worker = context_.worker;
  if (!worker.snapshots.speed) return std::nullopt;
  const auto wall_time = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  speed_source known{worker.snapshots.speed, {}, {}, wall_time};
  known.in_flight = [&worker](const target_name& each) {
    const metrics::target_series& series = worker.shard.target(each.provider, each.model);
    return static_cast<double>(worker.attempts.flights.at(series).load(std::memory_order_relaxed));
  };
  known.prices_of = [this](const target_name& each) {
    return context_.worker.prices.find(context_.settings, each);
  };
  const std::uint64_t tokens = tokens_of_attempt(plan_.asked, context_.record.prompt.extent);
  known.is_full = [&worker, tokens](const race_candidate& each) {
    return worker.attempts.rooms.of(each.id)->is_full(tokens, worker.alarms.now());
  };
  known.prefixes = &worker.load.prefixes;
  known.caller_digest = [this] { return std::string(as_text(caller_digest(context_.who, plan_.keys))); };
  known.draw = std::uniform_real_distribution<double>(0, 1)(worker.random.engine);
  return known;
}

// Records that the provider may store the answer although the request does not ask for it. The route's settings allow
// this.
void plan_stage::note_unsaid_store() {
  asked_state& state = plan_.asked.state;
  state.is_unsaid = plan_.setup.is_store_unsaid;
  if (!plan_.setup.is_kept_unsaid) return;
  state.is_kept = true;
  if (state.field.empty()) state.field = "store";
}

stage_result plan_stage::record(bool is_stored) {
  const race_setup& setup = plan_.setup;
  context_.limits = setup.settings;
  context_.notes.is_lowered_by_store = setup.is_lowered_by_store;
  draw_observation();
  context_.record.route = setup.route;
  context_.record.terms.has_rule = !setup.rule.empty();
  context_.record.terms.policy = setup.planned.plan.policy;
  if (!is_stored) record_race();
  if (context_.settings->log.content.is_on()) add_content_log();
  // An error in the plan of the race has priority over the error about an unknown response id. If the plan has an
  // error, the request reaches no target.
  if (unknown_state_ && !setup.error) return *std::move(unknown_state_);
  if (setup.error) return *setup.error;
  if (!plan_.hold_forms(context_.memory.another())) return memory_overloaded();
  return next_stage();
}

// Decides at random whether the losers of this race continue to their first token, so that the gateway can measure
// them.
void plan_stage::draw_observation() {
  racing::race_plan& plan = plan_.setup.planned.plan;
  const double chance = std::uniform_real_distribution<double>(0, 1)(context_.worker.random.engine);
  const bool has_trials = plan.policy == racing::race_policy::adaptive;
  const bool is_finish = plan.wins == racing::win_on::finish && plan_.setup.speed && !has_trials;
  const double observed = std::max(context_.limits.observe_losers, is_finish ? racing::observed_share : 0.0);
  if (chance < observed) plan.disposition = racing::losers::observed;
}

void plan_stage::record_race() {
  const race_setup& setup = plan_.setup;
  for (const auto& [index, reason, detail] : setup.planned.skipped) {
    const target_name& target = setup.candidates[index].target;
    context_.record.skipped.push_back({target, reason, detail});
    context_.notes.skipped.emplace_back(target.text(),
                                        std::string(to_string(reason)) + (detail.empty() ? "" : ":" + detail));
  }
  context_.record.planned = race_builder::planned(setup);
  if (!setup.error) add_observers();
}

// Adds the observers for the speed of targets, for the live page, and for the totals of sessions and projects.
void plan_stage::add_observers() {
  worker_context& worker = context_.worker;
  race_setup& setup = plan_.setup;
  const bool is_shown =
      worker.sampler.is_open() && worker.sampler.takes(worker.alarms.now(), is_pages_own(plan_.request));
  const bool is_summed = !plan_.marks.session.empty() || !plan_.marks.project.empty();
  if (!worker.snapshots.speed && !is_shown && !is_summed) return;
  receipt_head head{.id = new_race_id({worker.random.unguessable.next(), worker.random.unguessable.next()}),
                    .caller = context_.record.caller.id,
                    .request = {.route = setup.route, .rule = setup.rule, .task = plan_.marks.task,
                                .project = plan_.marks.project, .session = plan_.marks.session,
                                .work = proxy::word_of(plan_.marks.work)},
                    .policy = setup.planned.plan.policy, .wins = setup.planned.plan.wins,
                    .catalogue = context_.settings->catalogue.id_letters()};
  std::unique_ptr<race_watch> watch;
  if (is_shown || is_summed) watch = std::make_unique<race_watch>(worker.steps, head, is_shown);
  if (worker.snapshots.speed)
    context_.observers.add(
        std::make_unique<race_speed>(*worker.snapshots.speed, worker.steps, std::move(head), plan_.asked, setup));
  // Adds the observer for the live page last. Only the first observer in the list writes the receipt (the stored report
  // about the race). The observer for speeds writes a more detailed receipt, so it must come first.
  if (watch) context_.observers.add(std::move(watch));
}

// Gives the content log a copy of the request, because the race may free the request's own bytes.
void plan_stage::add_content_log() {
  worker_context& worker = context_.worker;
  const content_log_settings& log = context_.settings->log.content;
  if (!log.has(context_.record.route) || !plan_.asked.body) return;
  content_observer::context by{worker.keeper.content(), worker.index, worker.attempts.redactors.of(context_.settings)};
  context_.observers.add(std::make_unique<content_observer>(std::move(by), log, plan_.asked, plan_.keys,
                                                            context_.memory.another()));
}

}  // namespace photofinish::gateway
