// Tests which changed settings need a restart.
#include "gateway/config/change/restart_settings.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

TEST(RestartSettings, AreThoseThatDifferFromWhatRuns) {
  const config started;
  config fresh;
  EXPECT_EQ(settings_awaiting_restart(started, fresh), "");
  fresh.log.level = "debug";
  EXPECT_EQ(settings_awaiting_restart(started, fresh), "") << "a reload puts it into use";
  fresh.server.listen = {{"127.0.0.1", 1}};
  fresh.server.workers = 3;
  EXPECT_EQ(settings_awaiting_restart(started, fresh), "listen, workers");
  fresh.server.admin = listen_address{"127.0.0.1", 2};
  fresh.state_dir = "/tmp/x";
  fresh.limits.max_prefixes = 0;
  fresh.log.format = log_form::json;
  EXPECT_EQ(settings_awaiting_restart(started, fresh), "listen, admin, workers, state_dir, limits.max_prefixes, log_format");
  EXPECT_EQ(settings_awaiting_restart(started, started), "") << "a file that returned to what runs";
}

}  // namespace
}  // namespace photofinish::gateway
