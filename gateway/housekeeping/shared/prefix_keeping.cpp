#include "gateway/housekeeping/shared/prefix_keeping.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

constexpr const char* meanwhile_alone = "each gateway knows only the prompt caches that its own requests have filled";

racing::prefix_seconds seconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<racing::prefix_seconds>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

}  // namespace

prefix_keeping::prefix_keeping(asio::io_context& loop, surroundings how, prefix_memory& memory,
                               metrics::store_facts& facts)
    : how_(std::move(how)), memory_(memory), shown_facts_(facts),
      rounds_(loop, {.is_wanted = [this] { return client_ != nullptr; },
                     .round = [this] { return run_round(); },
                     .ended = {},
                     .failure = "the gateways' knowledge of prompt caches was not shared"}) {
  if (how_.state_dir.empty() || !memory_.is_used()) return;
  file_.emplace(how_.state_dir, "prefixes", "warm prefixes");
  if (file_->is_usable()) load();
  else file_.reset();
}

void prefix_keeping::load() {
  const std::optional<file_content> kept = file_->read();
  if (!kept) return;
  const std::string problem = kept->problem.empty() ? memory_.restore(kept->text, seconds_now()) : kept->problem;
  if (!problem.empty()) file_->set_aside(problem);
}

void prefix_keeping::use(store_network* net, const store_settings& settings) {
  if (client_) client_->cancel();
  client_.reset();
  sharing_.reset();
  const bool is_shared = net != nullptr && memory_.is_used();
  memory_.share(is_shared);
  if (!is_shared) return;
  prefix_ = settings.prefix;
  sharing_.emplace(how_.run, prefix_);
  client_ = std::make_shared<store_client>(*net, settings, facts_, meanwhile_alone);
  rounds_.wake();
}

asio::awaitable<proxy::instant> prefix_keeping::run_round() {
  const proxy::instant begun = std::chrono::steady_clock::now();
  co_await share();
  move_errors(facts_, shown_facts_);
  co_return begun + how_.tick;
}

// If the store could not accept some prefixes, they are not sent again. The shared prefixes are only hints, and most of
// them are renewed within a minute.
asio::awaitable<void> prefix_keeping::share() {
  const std::shared_ptr<store_client> client = client_;
  std::vector<store_command> commands =
      sharing_->round(memory_.key(), memory_.take_written(racing::most_entries_of_batch), seconds_now());
  const auto said = co_await client->call(std::move(commands), store_client::denial_rule::reply);
  if (!said || client != client_ || is_refused(*said)) co_return;
  const prefix_sharing::news heard = sharing_->heard(*said, seconds_now());
  facts_.errors[static_cast<std::size_t>(store_error::protocol)] += heard.refused;
  if (heard.key) memory_.adopt(*heard.key);
  for (const racing::prefix_entry& each : heard.entries) memory_.note_of_replica(each, seconds_now());
}

// Returns true if the store's user lacks the rights for prefixes. In that case, prefixes are not shared until a new
// configuration of the store is applied.
bool prefix_keeping::is_refused(const store_link::replies& said) {
  const auto is_denial = [](const store_reply& each) {
    return each.kind == reply_kind::error && each.text.starts_with("NOPERM");
  };
  if (std::none_of(said.begin(), said.end(), is_denial)) return false;
  memory_.share(false);
  client_.reset();
  spdlog::warn("the store's user has no permission to read and write {}:stats:*: {}", prefix_, meanwhile_alone);
  return true;
}

asio::awaitable<void> prefix_keeping::stop() {
  co_await rounds_.stop();
  const std::shared_ptr<store_client> client = client_;
  if (client && !client->is_away()) {
    std::vector<store_command> leave = sharing_->leave();
    co_await client->call(std::move(leave), store_client::denial_rule::reply);
  }
  if (client) client->cancel();
  memory_.share(false);
  if (!file_) co_return;
  file_->write(memory_.saved(seconds_now()));
  file_->finish();
}

}  // namespace photofinish::gateway
