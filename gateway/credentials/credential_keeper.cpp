#include "gateway/credentials/credential_keeper.hpp"

#include "gateway/credentials/credential_rules.hpp"
#include "proxy/aws/aws_credentials.hpp"
#include "proxy/failures/redactor.hpp"
#include "proxy/loop/spawn.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

namespace photofinish::gateway {

namespace asio = boost::asio;

// One source, and what is held of it.
struct credential_keeper::kept {
  kept(std::shared_ptr<const held_credential> first, std::unique_ptr<credential_io> over, proxy::alarms& clock,
       std::function<void()> renew, std::function<void()> end)
      : held(std::move(first)), io(std::move(over)), due(clock, std::move(renew)), end_of_key(clock, std::move(end)) {}

  std::shared_ptr<const held_credential> held;
  std::unique_ptr<credential_io> io;
  proxy::alarm due, end_of_key;
  std::size_t failures = 0;  // in a row
  std::string shown_trouble;
  std::string providers;  // whose they are, for the log: "'azure', 'claude'"
  bool is_asking = false;
  bool is_refused = false;  // what is held; a newer one is wanted
  bool is_gone = false;  // no longer configured
};

credential_keeper::credential_keeper(asio::any_io_executor loop, proxy::alarms& clock, make_io io, publish on_board,
                                     std::uint64_t seed)
    : loop_(std::move(loop)),
      clock_(clock),
      make_io_(std::move(io)),
      on_board_(std::move(on_board)),
      random_(seed) {}

credential_keeper::~credential_keeper() = default;

void credential_keeper::adopt(const config& settings) {
  if (is_stopping_) return;
  std::vector<std::shared_ptr<kept>> next;
  std::vector<std::shared_ptr<kept>> fresh;
  const auto find = [](auto& among, const proxy::credential_source& source) {
    return std::find_if(among.begin(), among.end(), [&](const auto& each) { return each->held->source == source; });
  };
  for (const auto& [name, provider] : settings.providers) {
    if (!provider.credentials) continue;
    if (const auto shared = find(next, *provider.credentials); shared != next.end()) {
      (*shared)->providers += ", '" + name + "'";
      continue;
    }
    const auto known = find(kept_, *provider.credentials);
    if (known != kept_.end()) next.push_back(*known);
    else fresh.push_back(next.emplace_back(make(*provider.credentials)));
    next.back()->providers = "'" + name + "'";
  }
  for (const auto& each : kept_) {
    if (find(next, each->held->source) != next.end()) continue;
    each->is_gone = true;
    each->due.disarm(), each->end_of_key.disarm();
    each->io->cancel();
  }
  kept_ = std::move(next);
  for (const auto& each : fresh) ask(each);
  show();
}

std::shared_ptr<credential_keeper::kept> credential_keeper::make(const proxy::credential_source& source) {
  held_credential none;
  none.source = source;
  const auto place = std::make_shared<std::weak_ptr<kept>>();  // its alarms are made before it is
  const auto renew = [this, place] {
    if (const auto self = place->lock()) ask(self);
  };
  const auto end = [this, place] {
    if (const auto self = place->lock()) end_key(*self);
  };
  auto made = std::make_shared<kept>(std::make_shared<const held_credential>(std::move(none)), make_io_(), clock_,
                                     renew, end);
  *place = made;
  return made;
}

void credential_keeper::renew(const proxy::credential_source& source, std::uint64_t serial) {
  for (const auto& each : kept_)
    if (each->held->source == source && each->held->serial == serial && each->failures == 0) {
      each->is_refused = true;
      ask(each);
    }
}

void credential_keeper::ask(const std::shared_ptr<kept>& of) {
  if (of->is_asking || of->is_gone || is_stopping_) return;
  of->is_asking = true;
  of->due.disarm();
  const auto ended = [this, of](const std::exception_ptr& bug) {
    if (bug) proxy::report_bug("the asking for credentials", bug);
    of->is_asking = false;
    --asking_;
    if (bug && !of->is_gone && !is_stopping_) schedule(*of, pause_after(++of->failures, chance()));
    ended_.wake();
  };
  try {
    proxy::spawn(loop_, "the asking for credentials", ask_now(of), ended);
  } catch (...) {  // it never began
    of->is_asking = false;
    throw;
  }
  ++asking_;
}

asio::awaitable<void> credential_keeper::ask_now(std::shared_ptr<kept> of) {
  const std::shared_ptr<const held_credential> before = of->held;  // its source stays while it is asked
  auto got = co_await obtain(before->source, *of->io);
  if (!of->is_gone && !is_stopping_) take(*of, std::move(got));
}

void credential_keeper::take(kept& of, obtained_credential got) {
  auto next = std::make_shared<held_credential>(*of.held);
  const bool was_missing = next->key.empty() || !next->trouble.empty();
  ++next->tries;
  if (got.got) {
    const auto lives = got.got->lives;
    if (was_missing)
      spdlog::info("credentials of {} obtained from {}{}", of.providers, got.from,
                   lives ? ", for " + std::to_string(lives->count()) + " s" : std::string());
    next->key = std::move(got.got->key);
    next->serial = ++serial_;
    if (of.is_refused) next->renewed_at = clock_.now();
    next->trouble.clear();
    of.failures = 0;
    of.is_refused = false;
    of.shown_trouble.clear();
    of.end_of_key.disarm();
    if (lives) of.end_of_key.arm(clock_.now() + *lives);
    schedule(of, until_renewal(lives, chance()));
  } else {
    // The answer may quote the key that is held.
    const std::vector<proxy::secret> own = proxy::secrets_in(next->key);
    next->trouble = "tried " + proxy::redact(got.tried, own) + "; ";
    next->trouble += credential_advice(of.held->source);
    if (next->trouble != of.shown_trouble)  // what stays as it was is not said every minute
      spdlog::warn("no {}credentials for {}: {}", next->key.empty() ? "" : "newer ", of.providers, next->trouble);
    of.shown_trouble = next->trouble;
    schedule(of, pause_after(++of.failures, chance()));
  }
  of.held = std::move(next);
  show();
}

void credential_keeper::schedule(kept& of, milliseconds pause) { of.due.arm(clock_.now() + pause); }

// It could not be renewed in time.
void credential_keeper::end_key(kept& of) {
  auto next = std::make_shared<held_credential>(*of.held);
  next->key = {};
  next->serial = ++serial_;
  if (next->trouble.empty()) next->trouble = "they have expired, and newer ones have not come yet";
  of.held = std::move(next);
  show();
}

void credential_keeper::show() {
  credential_board board;
  for (const auto& each : kept_) board.push_back(each->held);
  on_board_(std::make_shared<const credential_board>(std::move(board)));
}

asio::awaitable<void> credential_keeper::stop() {
  is_stopping_ = true;
  for (const auto& each : kept_) {
    each->due.disarm(), each->end_of_key.disarm();
    each->io->cancel();
  }
  while (asking_ > 0) co_await ended_.wait();
}

std::string_view credential_advice(const proxy::credential_source& source) {
  using enum proxy::credential_place;
  if (source.steps.empty()) return {};
  switch (source.steps.back().place) {
    case google_file:
    case google_metadata:
      return "give google_credentials, set GOOGLE_APPLICATION_CREDENTIALS, or run where Google's metadata server is";
    case entra_secret:
    case entra_token_file:
    case entra_imds:
      return "give entra_tenant_id, entra_client_id and entra_client_secret or entra_token_file, set their AZURE_ "
             "variables, or run where a managed identity is";
    case aws_profile:
    case aws_container:
    case aws_instance:
      break;
  }
  return "give aws_access_key_id and aws_secret_access_key, or aws_profile, set their variables, or run where a "
         "container or an instance has a role";
}

}  // namespace photofinish::gateway
