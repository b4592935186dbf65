// Tests the file of cached prefixes on a real disk. The prefixes survive a restart. A damaged file is renamed and ignored.
#include "gateway/housekeeping/shared/prefix_keeping.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <sys/stat.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace photofinish::gateway {
namespace {

namespace fs = std::filesystem;

class PrefixKeeping : public testing::Test {
 protected:
  PrefixKeeping() {
    std::string pattern = fs::temp_directory_path() / "photofinish_prefixes_XXXXXX";
    folder = ::mkdtemp(pattern.data());
  }
  ~PrefixKeeping() override { fs::remove_all(folder); }

  static racing::prefix_seconds now() {
    const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<racing::prefix_seconds>(std::chrono::duration_cast<std::chrono::seconds>(since_1970).count());
  }
  static bool is_warm(const prefix_memory& memory) {
    std::array<racing::prefix_finding, 1> findings;
    const std::array<racing::prefix_holder, 1> asked{11};
    const std::array<racing::prefix_boundary, 1> chain{prefix};
    memory.table().find(chain, asked, now(), findings);
    return findings[0].warm.is_found();
  }
  // Simulates a process that starts, optionally stores a prefix, and ends. Returns true if the prefix was known at the start.
  bool run(const proxy::hash_key& key, bool notes) {
    boost::asio::io_context loop;
    prefix_memory memory(1'024, key);
    metrics::store_facts facts;
    prefix_keeping keeping(loop, {"run", folder}, memory, facts);
    if (notes) memory.note({prefix, 11, 1, now(), std::chrono::minutes(60)}, now());
    const bool was_warm = is_warm(memory);
    auto ended = boost::asio::co_spawn(loop, keeping.stop(), boost::asio::use_future);
    loop.run();
    ended.get();
    return was_warm;
  }

  static constexpr racing::prefix_boundary prefix{{1, 2}, 5'000};
  std::string folder;
};

TEST_F(PrefixKeeping, ARestartIsWarm) {
  EXPECT_TRUE(run({1, 2}, true));
  EXPECT_TRUE(run({3, 4}, false));
  EXPECT_TRUE(run({5, 6}, false));
}

TEST_F(PrefixKeeping, TheFileIsItsOwnersAlone) {
  run({1, 2}, true);
  struct stat kept {};
  ASSERT_EQ(::stat((folder + "/prefixes").c_str(), &kept), 0);
  EXPECT_EQ(kept.st_mode & 0777, 0600u);
}

TEST_F(PrefixKeeping, ADamagedFileIsSetAside) {
  run({1, 2}, true);
  fs::resize_file(folder + "/prefixes", 50);
  EXPECT_FALSE(run({3, 4}, false));
  EXPECT_TRUE(fs::exists(folder + "/prefixes.broken"));
  EXPECT_TRUE(run({3, 4}, true));
}

}  // namespace
}  // namespace photofinish::gateway
