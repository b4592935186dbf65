// The one log line of a request: id, route, winner, each attempt; never a prompt, an answer or a key.
#pragma once

#include "gateway/accounting.hpp"
#include "metrics/observations.hpp"

#include <span>
#include <string>

namespace photofinish::gateway {

// `attempts`: those of the race, in its order, then the skipped ones.
std::string request_line(const request_record& record, std::span<const metrics::attempt_observation> attempts);

void log_request(const request_record& record, std::span<const metrics::attempt_observation> attempts);

}  // namespace photofinish::gateway
