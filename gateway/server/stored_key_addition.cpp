#include "gateway/server/stored_key_addition.hpp"

#include "gateway/config/sections/sections.hpp"
#include "proxy/failures/sanitized_text.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>

namespace photofinish::gateway {
namespace {

// The maximum time for adding the store's access keys. Even adding 50,000 keys takes less than one second.
constexpr std::chrono::seconds adding_patience{60};
constexpr std::size_t longest_reason = 300;          // the maximum length of the logged reason why a key was left out

}  // namespace

// Returns the settings together with the access keys from the store. The keys are added on another thread, because
// adding ten thousand keys takes some time.
boost::asio::awaitable<std::shared_ptr<const config>> stored_key_addition::add_to(std::shared_ptr<const config> own) {
  if (!own->store.has_access_keys || !heard_) co_return own;
  struct addition {
    std::shared_ptr<const config> settings;
    std::vector<left_out_key> left_out;
  };
  std::function<addition()> add = [own, keys = heard_] {
    auto whole = std::make_shared<config>(*own);
    std::vector<left_out_key> left_out = add_stored_keys(*keys, *whole);
    return addition{std::move(whole), std::move(left_out)};
  };
  auto result = co_await work_.run(std::move(add), adding_patience);
  if (is_cancelled_) co_return own;
  if (!result) throw std::runtime_error("adding the store's access keys takes too long");
  log_left_out(std::move(result->left_out));
  co_return std::move(result->settings);
}

void stored_key_addition::cancel() {
  is_cancelled_ = true;
  work_.cancel();
}

// Logs that a key was left out, unless this was already logged.
void stored_key_addition::log_left_out(std::vector<left_out_key> left_out) {
  constexpr std::size_t most_lines = 20;
  std::sort(left_out.begin(), left_out.end());
  std::size_t shown = 0;
  for (const left_out_key& each : left_out) {
    if (std::binary_search(left_out_.begin(), left_out_.end(), each)) continue;
    if (++shown <= most_lines)
      spdlog::error("access key {} of the store is left out: {}", each.id,
                    proxy::clean_text(each.why, longest_reason));
  }
  if (shown > most_lines) spdlog::error("and {} more access keys of the store", shown - most_lines);
  left_out_ = std::move(left_out);
}

}  // namespace photofinish::gateway
