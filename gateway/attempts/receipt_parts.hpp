// A race as its receipt has it: what every receipt holds, whatever the race's policy, finished or still running.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/records/race_account.hpp"
#include "gateway/records/race_receipt.hpp"
#include "racing/race_report.hpp"

#include <string>

namespace photofinish::gateway {

constexpr std::size_t longest_receipt_name = 256;  // of a target in a receipt: callers may name targets, too

// Whose race it is, and by which rules it is run.
struct receipt_head {
  std::string id;
  racing::caller_id caller = 0;
  receipt_request request;
  racing::race_policy policy = racing::race_policy::all;
  racing::win_on wins = racing::win_on::any;
  catalogue_id catalogue{};
};

// Of a race as it is reported at `now`.
race_receipt make_receipt(const receipt_head& head, const racing::race_report& race,
                          const std::vector<planned_attempt>& planned, racing::instant now);

// Likewise, with the targets that were left out.
race_receipt make_receipt(const receipt_head& head, const race_account& record, racing::instant now);

}  // namespace photofinish::gateway
