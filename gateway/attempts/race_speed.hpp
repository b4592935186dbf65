// Connects one race with the measured speeds of targets. Reports the steps of the race's attempts to the housekeeper,
// and asks the route's budget before a hedge. At the end, charges the race's costs to the budget. The object runs on
// the worker's thread, and exists only for routes that choose targets by speed. It keeps only the few forecasts that it
// needs at the end of the race, because an answer may take minutes.
#pragma once

#include "gateway/attempts/race_observer.hpp"
#include "gateway/attempts/setup/race_setup.hpp"
#include "gateway/attempts/receipt_parts.hpp"
#include "gateway/attempts/setup/forecast_setup.hpp"
#include "gateway/attempts/step_reporter.hpp"
#include "gateway/records/race_account.hpp"
#include "gateway/records/race_receipt.hpp"
#include "racing/adaptive/finish_rule.hpp"
#include "racing/adaptive/forecast_board.hpp"
#include "racing/race_report.hpp"
#include "racing/race_spending.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

// Estimates how many tokens of the prompt were not cached. Only the Messages API reports cached tokens in time for this
// estimate, in its first event. Other APIs report them at the end of the answer.
double tokens_to_read(std::uint64_t estimated, const std::optional<proxy::token_usage>& said);

class race_speed final : public race_observer {
 public:
  // Moves `setup.speed` and `setup.prefixes` out of `setup`. `steps` must outlive this object.
  race_speed(const racing::forecast_board& board, step_sender& steps, receipt_head head, const parsed_request& asked,
             race_setup& setup);

  // Sets two rules of the race. The route's budget decides whether a hedge may start. If the race has `win_on: finish`,
  // forecasts decide which attempt the race waits for.
  void set_rules(racing::race_run& run) override;
  void step(const race_progress& race, std::size_t index, racing::attempt_step what) override;
  // Asks whether the route's budget pays for a losing attempt that continues after the race.
  bool may_keep(std::size_t attempt, std::chrono::milliseconds time) override;
  void won(const race_progress& race) override;
  // Charges the race's costs to the route's budget, and makes the race's receipt.
  void ended(request_record& record, const std::string& race_id) override;

  std::string race_id() const override { return head_.id; }
  void add_facts(race_facts& facts) const override;

 private:
  static constexpr std::size_t no_row = static_cast<std::size_t>(-1);

  struct place {  // a target in the race's plan
    std::size_t row = no_row;
    std::uint64_t key = 0;
  };
  struct board_mark {
    std::uint64_t number = 0;
    racing::instant at;
  };
  struct begun_attempt {
    std::size_t plan_target = 0;
    bool has_taught = false;  // true if the attempt's first token, or its end without a token, was reported
  };
  struct quantiles {
    double p50 = 0, p90 = 0, p99 = 0;
  };

  const place& place_of(std::size_t attempt) const { return places_[begun_[attempt].plan_target]; }
  bool may_start_hedge(std::size_t target);
  racing::hold_choice whom_to_hold(const racing::ask_to_hold& asked, racing::instant now) const;
  // If hardly any target can meet the deadline, returns the probability that the answer meets the deadline. Otherwise
  // returns nothing.
  std::optional<double> unlikely_deadline() const;

  bool has_budget() const { return spending_.has_value(); }
  void keep_what_the_end_needs();
  void begin(const racing::attempt_report& attempt, const planned_attempt& planned);
  bool is_too_early_a_cut(const racing::attempt_report& attempt, racing::instant now) const;
  bool has_twin_running(std::size_t plan_target) const;
  void teach(std::size_t index, const racing::attempt_report& attempt, racing::attempt_step what);
  std::optional<double> cached_tokens(const std::optional<proxy::token_usage>& said) const;
  void note_expected(race_account& record);
  double expected_share(std::size_t row) const;
  void tell_of_usage(const race_account& record) const;
  void tell_of_answer(const race_account& record) const;
  race_receipt receipt_of(const race_account& record) const;
  std::optional<double> predicted_end(const racing::race_report& race) const;
  receipt_choice choice_of_receipt() const;
  void note_choice();
  void account_for(race_account& record);
  std::optional<metrics::deadline_end> deadline_of(const race_account& record) const;
  void settle(race_account& record);
  void compare_with_prediction(const racing::race_report& race);
  double cost_of_loser(const race_account& record, const racing::attempt_report& attempt,
                       const proxy::billed_tokens& answer) const;
  double decode_seconds(std::size_t attempt, std::size_t row) const;
  double dearer_by(const race_account& record, const proxy::billed_tokens& answer) const;

  const board_mark board_;
  const receipt_head head_;
  const std::uint64_t input_tokens_;
  const std::optional<std::uint64_t> max_tokens_;
  // The data from which the race was planned; null if the plan did not use the speeds of targets.
  std::unique_ptr<forecast_setup> setup_;
  std::shared_ptr<const racing::table_rows> rows_;  // the part of the forecast that the plan used
  std::shared_ptr<const racing::compared_route> compared_;
  racing::budget_reading reading_;
  std::optional<racing::race_spending> spending_;  // the race's spending; only for the policy `adaptive`
  std::optional<racing::adaptive_choice> choice_;
  racing::target_sort sort_ = racing::target_sort::listed;
  std::unique_ptr<prefix_setup> prefixes_;  // the prompt's prefixes; null if the race ignores prompt caches
  std::vector<place> places_;
  std::vector<begun_attempt> begun_;
  std::optional<std::size_t> winner_row_;
  step_reporter reporter_;
  metrics::speculation_observation seen_;
  std::optional<quantiles> predicted_;  // the predicted seconds to the first token
  std::optional<double> credited_;  // the part of the winner's cost that the budget has already counted
  std::size_t last_held_back_ = no_row;  // the target of the last hedge for which the budget did not pay
};

}  // namespace photofinish::gateway
