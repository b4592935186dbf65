// What is known of a race only when its request is accounted for, put into its receipt: what attempts cost, how much
// came and how fast, and by how much it was won. [pure]
#pragma once

#include "gateway/records/race_account.hpp"
#include "metrics/observations.hpp"

#include <span>

namespace photofinish::gateway {

// `seen` begins with the race's attempts, in their order, as the receipt has them.
void complete_receipt(race_receipt& receipt, const race_account& record,
                      std::span<const metrics::attempt_observation> seen);

// Who went on with an answer that broke off, and how that ended.
void put_continuations(race_receipt& receipt, const race_account& record);

}  // namespace photofinish::gateway
