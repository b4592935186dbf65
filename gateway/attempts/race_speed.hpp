// One race's dealings with what is known of targets' speed: it sends the housekeeper the steps of its attempts, asks
// its route's budget for hedges, and settles with it at the end.
// Of the worker's thread. A request has one only where some route goes by speed.
#pragma once

#include "gateway/attempts/race_setup.hpp"
#include "gateway/attempts/speed_setup.hpp"
#include "gateway/housekeeping/step_sender.hpp"
#include "gateway/records/race_account.hpp"
#include "gateway/records/race_receipt.hpp"
#include "racing/adaptive/speed_board.hpp"
#include "racing/race_report.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

class race_speed {
 public:
  // Takes `setup.speed`. `steps` outlives it. `id`: of the race's receipt.
  race_speed(std::shared_ptr<const racing::speed_board> board, step_sender& steps, std::string id, const ask& asked,
             racing::caller_id caller, race_setup& setup);
  race_speed(const race_speed&) = delete;
  race_speed& operator=(const race_speed&) = delete;
  ~race_speed();  // what was taken for a race that did not come about is given back

  // A step of the attempt that is reported.
  void step(const racing::attempt_report& attempt, racing::attempt_step what, const planned_attempt& planned,
            racing::instant now);

  // Whether the hedge with that index in the plan may start.
  bool may_start_hedge(std::size_t index);

  // The race has a winner.
  void won(const racing::race_report& race);

  // The request has ended, and the race's report is complete: what its attempts cost. Sends its receipt.
  void ended(race_account& record);

  const std::string& id() const { return id_; }

 private:
  static constexpr std::size_t no_row = static_cast<std::size_t>(-1);

  struct place {  // of the plan
    std::size_t row = no_row;
    std::uint64_t key = 0;
  };
  struct running {
    racing::attempt_event event;  // as it began
    bool is_learned = false;      // its target is one of those that are compared
    bool is_silent = true;
    double taken = 0;  // from the budget
  };

  bool has_budget() const { return choice_.has_value(); }
  racing::speculation_budget& budget() const { return *setup_->terms.route->budget; }
  void begin(const racing::attempt_report& attempt, const planned_attempt& planned);
  void pay(running& made, std::size_t row, racing::start_reason why);
  void send(const running& of, racing::attempt_step what, racing::instant now) const;
  void tell_of_answer(const race_account& record) const;
  race_receipt make_receipt(const race_account& record) const;
  receipt_choice choice_of_receipt() const;
  void note_choice();
  void account_for(race_account& record);
  void settle(race_account& record);
  void compare_with_prediction(const racing::race_report& race);
  double cost_of_loser(const race_account& record, const racing::attempt_report& attempt,
                       const proxy::billed_tokens& answer) const;
  double dearer_by(const race_account& record, const proxy::billed_tokens& answer) const;

  const std::shared_ptr<const racing::speed_board> board_;
  step_sender& steps_;
  const std::string id_;
  const std::string route_name_;
  const racing::race_policy policy_;
  const racing::caller_id caller_;
  const std::uint64_t input_tokens_;
  const std::optional<std::uint64_t> max_tokens_;
  racing::route_number route_;
  std::unique_ptr<speed_setup> setup_;            // null: the plan did not go by speed
  std::optional<racing::adaptive_choice> choice_;
  racing::target_sort sort_ = racing::target_sort::listed;
  std::vector<place> places_;
  std::vector<running> attempts_;
  double unstarted_probe_ = 0;  // taken, until it starts
  metrics::speculation_observation seen_;
  std::optional<double> predicted_p50_, predicted_p90_, predicted_p99_;
  std::size_t last_held_back_ = no_row;  // the hedge that was last not granted
};

}  // namespace photofinish::gateway
