// Finds the rule of a route that applies to a request. [pure]
#pragma once

#include "gateway/api/parsed_request.hpp"
#include "gateway/api/race_headers.hpp"
#include "gateway/config/config.hpp"

namespace photofinish::gateway {

// Returns the first rule of the route whose conditions all match the request, or null. The rule lives as long as the
// route.
const route_rule* first_rule(const route& of, const parsed_request& asked, const request_marks& marks);

// Returns the request's task, which is the value of the header x-race-task. Without this header, the task is
// `metadata.task` of the body if the configuration lists a task with this name. Returns an empty text if there is no
// task.
std::string task_of(const parsed_request& asked, const request_marks& marks, const config& settings);

}  // namespace photofinish::gateway
