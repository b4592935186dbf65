#include "gateway/housekeeping/credential_network.hpp"

#include "gateway/process/regular_file.hpp"
#include "gateway/threads/held_value.hpp"
#include "gateway/threads/slow_work.hpp"
#include "proxy/failures/network_failures.hpp"
#include "proxy/fetch.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

constexpr std::size_t longest_file = 256u << 10, longest_answer = 64u << 10;
// The time limit for reading files. It is needed because a network mount may hang.
constexpr std::chrono::seconds reading_patience{10};

class network_io final : public credential_io {
 public:
  explicit network_io(proxy::outbound& over, asio::any_io_executor loop) : over_(over), reading_(std::move(loop)) {}

  asio::awaitable<proxy::result<credential_answer>> ask(credential_request request) override {
    if (is_cancelled_) co_return proxy::cancelled_failure();
    proxy::provider at;
    at.name = "credentials";
    at.url = request.at;
    at.via = request.via;
    at.ca_file = request.ca_file;
    at.limits.max_spares = 0;  // no idle connection is kept, because there is only about one request per hour
    proxy::fetch_request wanted;
    wanted.head = std::move(request.head);
    wanted.body = std::move(request.body);
    wanted.patience = request.patience;
    wanted.max_body = longest_answer;
    wanted.head.fields.emplace_back("user-agent", "photofinish");
    proxy::fetch call(over_, at);
    // A pointer to the running call, through which cancel() ends this call. It is reset even if run() throws.
    const held_value running(running_, &call);
    auto said = co_await call.run(std::move(wanted));
    if (said && said->broken) co_return in_words(*said->broken);
    if (!said) co_return in_words(said.error());
    co_return credential_answer{said->head.status, std::move(said->body)};
  }

  asio::awaitable<file_content> read(std::string path) override {
    if (is_cancelled_) co_return file_content{{}, "was not read"};
    std::function<file_content()> work = [path] { return read_regular_file(path, longest_file); };
    auto text = co_await reading_.run(std::move(work), reading_patience);
    if (!text) co_return file_content{{}, "cannot be read: the file system does not answer"};
    co_return *std::move(text);
  }

  std::chrono::sys_seconds now() const override {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  }

  void cancel() noexcept override {
    is_cancelled_ = true;
    if (running_) running_->cancel();
    reading_.cancel();
  }

 private:
  // Returns the failure with a detail text such as "connect: connection refused".
  static proxy::failure in_words(const proxy::failure& why) {
    std::string text(to_string(why.kind));
    if (!why.detail.empty()) text += ": " + why.detail;
    return proxy::network_failure(why.kind, std::move(text));
  }

  proxy::outbound& over_;
  slow_work reading_;
  proxy::fetch* running_ = nullptr;
  bool is_cancelled_ = false;
};

}  // namespace

proxy::outbound& credential_network::network() {
  if (!outbound_) outbound_ = std::make_unique<proxy::outbound>(loop_);
  return *outbound_;
}

void credential_network::adopt(const config& settings) {
  const bool is_asked_for = std::any_of(settings.providers.begin(), settings.providers.end(),
                                        [](const auto& entry) { return entry.second.key.credentials.has_value(); });
  const auto make = [this] { return std::make_unique<network_io>(*outbound_, loop_.get_executor()); };
  if (is_asked_for && !keeper_)
    keeper_ = std::make_unique<credential_keeper>(loop_.get_executor(), network().alarms(), make, on_board_,
                                                  std::random_device{}());
  if (!settings.access.jwt.empty() && !issuers_)
    issuers_ = std::make_unique<jwks_keeper>(loop_.get_executor(), network().alarms(), make, on_key_sets_,
                                             std::random_device{}());
  if (keeper_) keeper_->adopt(settings);
  if (issuers_) issuers_->adopt(settings);
}

void credential_network::renew(const proxy::credential_source& source, std::uint64_t serial) {
  asio::post(loop_, [this, source, serial] {
    if (keeper_) keeper_->renew(source, serial);
  });
}

void credential_network::ask_for_keys(const jwks_source& source) {
  asio::post(loop_, [this, source] {
    if (issuers_) issuers_->ask_again(source);
  });
}

std::vector<jwks_keeper::age> credential_network::key_ages() const {
  return issuers_ ? issuers_->ages() : std::vector<jwks_keeper::age>();
}

asio::awaitable<void> credential_network::stop() {
  if (keeper_) co_await keeper_->stop();
  if (issuers_) co_await issuers_->stop();
  if (outbound_) co_await outbound_->stop();
}

}  // namespace photofinish::gateway
