// Counts a request as one of the racing requests, and charges it to its caller's limits.
#pragma once

#include "gateway/attempts/request_plan.hpp"
#include "gateway/requests/stages/request_context.hpp"
#include "gateway/requests/stages/request_limits.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

class limit_stage {
 public:
  // `context` and `plan` must outlive the stage. The limit table and the caller must belong to the same configuration.
  limit_stage(request_context& context, const request_plan& plan, std::shared_ptr<const limit_table> table)
      : context_(context), plan_(plan), table_(std::move(table)) {}

  // Returns true if the request's tokens count against a limit of its caller or of the route.
  bool counts_tokens(std::string_view route) const;

  // Charges the request to all limits that apply to it. If `is_stored` is true, the answer is already stored, so the
  // request uses neither tokens nor money.
  stage_result take(load_place& place, bool is_stored);
  // Returns true if the request must wait, because this gateway has used up the quota that it has leased from the
  // store. In that case, call wait().
  bool must_wait() const { return awaited_.has_value(); }
  boost::asio::awaitable<stage_result> wait();

 private:
  stage_result note(taken_limits taken);

  request_context& context_;
  const request_plan& plan_;
  const std::shared_ptr<const limit_table> table_;
  std::optional<limited_request> wanted_;
  std::optional<awaited_limits> awaited_;
};

}  // namespace photofinish::gateway
