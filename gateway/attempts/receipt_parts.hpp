// Makes the parts of a race's receipt that are the same for all race policies. The race may still be running.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/records/race_account.hpp"
#include "gateway/records/race_receipt.hpp"
#include "racing/race_report.hpp"

#include <string>

namespace photofinish::gateway {

// The maximum length of a target's name in a receipt. Clients may choose names of targets, so a name could be very
// long.
constexpr std::size_t longest_receipt_name = 256;

// The facts about a race that are known at its start: its client, its request and its rules.
struct receipt_head {
  std::string id;
  racing::caller_id caller = 0;
  receipt_request request;
  racing::race_policy policy = racing::race_policy::all;
  racing::win_on wins = racing::win_on::any;
  catalogue_id catalogue{};
};

// Makes the receipt of a race from its report at `now`.
race_receipt make_receipt(const receipt_head& head, const racing::race_report& race,
                          const std::vector<planned_attempt>& planned, racing::instant now);

// Makes the receipt of a race, and adds the targets that the plan left out.
race_receipt make_receipt(const receipt_head& head, const race_account& record, racing::instant now);

}  // namespace photofinish::gateway
