// From a request's body to what it asks: race_endpoint, continued.
#include "gateway/api/costs/cost_request.hpp"
#include "gateway/api/json_body.hpp"
#include "gateway/requests/race_endpoint.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::gateway {
namespace {

// Some Windows programs write it in front of UTF-8. RFC 8259 lets readers pass over it.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

namespace asio = boost::asio;

// A giant body would hold the worker for as long as some hundred usual requests do.
asio::awaitable<race_endpoint::read_ask> race_endpoint::read_aside() {
  read_ask asked;
  std::function<void()> work = [&asked, this] {
    proxy::tolerant_parser of_its_own;  // its memory goes with it
    asked = read_body(of_its_own);
    if (ask* read = std::get_if<ask>(&asked)) read_ahead(*read, *settings_, who_, worker_.attempts.dialects);
  };
  co_await worker_.beside(std::move(work));
  co_return asked;
}

race_endpoint::read_ask race_endpoint::read_body(proxy::tolerant_parser& parser) {
  std::string& body = attempts_->request.body;
  const std::string_view content_type = attempts_->request.field("content-type");
  if (api_.takes_forms()) return api_.read_form({std::move(body), content_type, attempts_->path_model});
  if (body.starts_with(byte_order_mark)) body.erase(0, byte_order_mark.size());
  if (!attempts_->path_model.empty()) body = with_model(std::move(body), attempts_->path_model);
  if (api_.label() == metrics::endpoint::responses)
    if (auto error = attempts_->take_items(worker_.load.conversations.items(), who_, settings_->limits.max_body,
                                           worker_.alarms.now()))
      return *std::move(error);
  read_ask read = api_.read(std::move(body), parser);
  take_cost_request(read, parser);
  if (const ask* asked = std::get_if<ask>(&read))
    attempts_->recall(*asked, worker_.load.conversations, who_, worker_.alarms);
  return read;
}

// The member is for this gateway; a request with it is read once more without it.
void race_endpoint::take_cost_request(read_ask& read, proxy::tolerant_parser& parser) {
  const ask* const asked = std::get_if<ask>(&read);
  std::optional<cost_request> wanted_cost;
  if (asked != nullptr) wanted_cost = read_cost_request(*asked->body, api_.label());
  if (!wanted_cost) return;
  wants_cost_ = wanted_cost->is_wanted;
  read = api_.read(std::move(wanted_cost->body), parser);
  if (ask* again = std::get_if<ask>(&read)) show_usage(*again);
}

void race_endpoint::show_usage(ask& asked) const {
  if (wants_cost_ && asked.usage == proxy::usage_chunk::unwanted) asked.usage = proxy::usage_chunk::wanted;
}

}  // namespace photofinish::gateway
