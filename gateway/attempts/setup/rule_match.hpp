// Which rule of its route a request runs by. [pure]
#pragma once

#include "gateway/api/parsed_request.hpp"
#include "gateway/api/race_headers.hpp"
#include "gateway/config/config.hpp"

namespace photofinish::gateway {

// The first whose conditions all hold; null: none. Lives as long as the route.
const route_rule* first_rule(const route& of, const parsed_request& asked, const request_marks& marks);

// x-race-task, else metadata.task of the body where the configuration has that name; empty: none.
std::string task_of(const parsed_request& asked, const request_marks& marks, const config& settings);

}  // namespace photofinish::gateway
