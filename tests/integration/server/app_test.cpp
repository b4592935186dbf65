// Tests a running gateway on a machine that temporarily cannot start threads. Reloads and the file watcher must continue to work.
#include "gateway/server/app.hpp"
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>

namespace photofinish::testing {
namespace {

// Prevents new threads while this object exists. Each new thread would need a stack that is larger than the memory of any machine.
class no_new_threads {
 public:
  no_new_threads() {
    ::pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    ::pthread_attr_init(&huge);
    ::pthread_attr_setstacksize(&huge, std::size_t{1} << 60);
    ::pthread_setattr_default_np(&huge);
    ::pthread_attr_destroy(&huge);
  }
  no_new_threads(const no_new_threads&) = delete;
  ~no_new_threads() {
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_;
};

class App : public gateway_fixture {
 protected:
  void run() {
    const auto first = std::make_shared<const gateway::config>(settings);
    auto started = gateway::server::start(first, {"0", "test", "test"}, keeping);
    server_ = std::get<std::unique_ptr<gateway::server>>(std::move(started));
    app_.emplace(*server_, first, [again = settings] { return gateway::config_result{again, {}}; });
    ended_ = std::async(std::launch::async, [this] { app_->run(); });
  }

  void end() {
    server_->cut();
    EXPECT_NO_THROW(ended_.get());
    app_.reset();
    server_.reset();
  }

  static void ask_for_reload() { ::kill(::getpid(), SIGHUP); }
  bool is_logged(std::string_view text) {
    return comes_true([&] { return !log_.lines_with({text}).empty(); });
  }
  bool reload_successful_becomes(char value) const {
    return comes_true([&] {
      test_client client(server_->addresses().front().port);
      client.get("/metrics");
      const std::string line = std::string("\nphotofinish_config_last_reload_successful ") + value;
      return client.read().body.find(line) != std::string::npos;
    });
  }

 private:
  captured_log log_;
  std::unique_ptr<gateway::server> server_;
  std::optional<gateway::app> app_;
  std::future<void> ended_;
};

TEST_F(App, AReloadThatCannotBeginIsRefusedAndTheNextOneIsDone) {
  run();
  {
    const no_new_threads starved;
    ask_for_reload();
    EXPECT_TRUE(is_logged("the configuration could not be reloaded: "));
    EXPECT_TRUE(is_logged("the old one stays in use"));
    EXPECT_TRUE(reload_successful_becomes('0'));
  }
  ask_for_reload();
  EXPECT_TRUE(is_logged("configuration reloaded"));
  EXPECT_TRUE(reload_successful_becomes('1'));
  end();
}

TEST_F(App, FilesThatCouldNotBeLookedAtAreWatchedOn) {
  const std::filesystem::path secret =
      std::filesystem::temp_directory_path() / ("photofinish-app-" + std::to_string(::getpid()));
  std::ofstream(secret) << "door-0123456789";
  settings.source.watched_files = {secret.string()};
  run();
  {
    const no_new_threads starved;
    EXPECT_TRUE(is_logged("the files that the configuration names could not be checked for changes: "));
  }
  std::filesystem::last_write_time(secret, std::filesystem::last_write_time(secret) + std::chrono::hours(1));
  EXPECT_TRUE(is_logged("a file that the configuration names has changed"));
  EXPECT_TRUE(is_logged("configuration reloaded"));
  end();
  std::filesystem::remove(secret);
}

}  // namespace
}  // namespace photofinish::testing
