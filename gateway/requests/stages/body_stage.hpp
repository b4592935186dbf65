// Reads the request from its body. If a guardrail has masked text in the body, reads the request again.
#pragma once

#include "gateway/attempts/request_plan.hpp"
#include "gateway/requests/stages/request_context.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <string>
#include <variant>

namespace photofinish::gateway {

class body_stage {
 public:
  // Both arguments must outlive the stage. The stage parses the request's body, and stores the result in the plan of
  // the request.
  body_stage(request_context& context, request_plan& plan) : context_(context), plan_(plan) {}

  // Returns true if reading the body would block the worker for as long as about a hundred usual requests. In that
  // case, call read_aside() instead, which reads the body on another thread.
  bool is_long() const;
  stage_result read();
  boost::asio::awaitable<stage_result> read_aside();

  // Reads the request as if its client had sent the masked body. If the masked body cannot be read, the result is the
  // error `unread`.
  boost::asio::awaitable<stage_result> read_masked(std::string body, api_error unread);
  // Runs `work`, whose duration grows with the size of the body. If the body is long, the work runs on another thread.
  boost::asio::awaitable<void> do_with_body(std::function<void()> work);

 private:
  using request_or_error = std::variant<parsed_request, api_error>;

  request_or_error read_body(proxy::tolerant_parser& parser);
  stage_result take(request_or_error read);
  void read_other_formats(parsed_request& asked) const;
  std::optional<api_error> take_items();
  void take_cost_request(request_or_error& read, proxy::tolerant_parser& parser);
  void show_usage(parsed_request& asked) const;
  void recall(const parsed_request& read);
  void note_size();

  request_context& context_;
  request_plan& plan_;
};

}  // namespace photofinish::gateway
