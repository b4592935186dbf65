#include "gateway/requests/count_tokens.hpp"

#include "gateway/api/messages/token_count.hpp"
#include "gateway/api/model_name.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <cstddef>
#include <functional>
#include <utility>

namespace photofinish::gateway {
namespace {

// Takes a tenth of a millisecond, and a few at worst.
constexpr std::size_t most_counted_here = 8u << 10;

constexpr std::size_t longest_shown_model = 256;  // of a model, for the log

}  // namespace

boost::asio::awaitable<std::variant<std::string, api_error>> count_tokens(worker_context& worker,
                                                                          std::shared_ptr<const config> settings,
                                                                          std::string body, caller who,
                                                                          std::string& asked_model) {
  std::variant<token_count, api_error> counted;
  if (body.size() <= most_counted_here) {
    counted = count_request(std::move(body), worker.outbound.parser());
  } else {
    std::function<void()> work = [&counted, &body] {
      proxy::tolerant_parser of_its_own;
      counted = count_request(std::move(body), of_its_own);
    };
    co_await worker.beside(std::move(work));
  }
  if (auto* error = std::get_if<api_error>(&counted)) co_return std::move(*error);
  auto& made = std::get<token_count>(counted);
  asked_model = made.model.substr(0, longest_shown_model);
  auto resolved = resolve_model(*settings, made.model, who);
  if (auto* error = std::get_if<api_error>(&resolved)) co_return std::move(*error);
  co_return std::move(made.json);
}

}  // namespace photofinish::gateway
